// Which question and which run the address asks for, and changing it: links can be opened in a new tab, back and forward work.
import { useCallback, useSyncExternalStore } from 'react';
import { asksForFindings, type FindingsRef, withFindings } from '../../store/findings/link.ts';
import { asksForQuestion, type QuestionRef, withQuestion } from '../../store/kinds/study/link.ts';
import { onAddress, openAddress } from '../parts/view.ts';

const read = () => window.location.search;

export function useQuestionPlace(): [QuestionRef, (ref: QuestionRef) => void] {
  const search = useSyncExternalStore(onAddress, read);
  const go = useCallback((ref: QuestionRef) => openAddress(withQuestion(window.location.href, ref)), []);
  return [asksForQuestion(search), go];
}

/** The same of the environments' questions. */
export function useFindingsPlace(): [FindingsRef, (ref: FindingsRef) => void] {
  const search = useSyncExternalStore(onAddress, read);
  const go = useCallback((ref: FindingsRef) => openAddress(withFindings(window.location.href, ref)), []);
  return [asksForFindings(search), go];
}
