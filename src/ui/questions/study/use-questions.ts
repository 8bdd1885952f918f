// The questions view's store, as a hook: it arrives with the view, and lives on when the view is left.
import { use } from 'react';
import { useStore } from 'zustand/react';
import type { QuestionsState } from '../../../store/kinds/study/state.ts';
import type { Questions } from '../../../store/kinds/study/study.ts';
import { useLabActions } from '../../lab-context.ts';

/** Suspends until the part of the page that knows the study is there. */
export function useQuestionsActions(): Questions {
  return use(useLabActions().openQuestions(document.baseURI));
}

export function useQuestions<T>(selector: (state: QuestionsState) => T): T {
  return useStore(useQuestionsActions().store, selector);
}
