// Which question and which run the address asks for, and changing it: links can be opened in a new tab, back and forward work.
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { asksForFindings, type FindingsRef, withFindings } from '../../store/findings/link.ts';
import { onAddress, openAddress } from '../parts/view.ts';

const read = () => window.location.search;

export function useFindingsPlace(): [FindingsRef, (ref: FindingsRef) => void] {
  const search = useSyncExternalStore(onAddress, read);
  const place = useMemo(() => asksForFindings(search), [search]);
  const go = useCallback((ref: FindingsRef) => openAddress(withFindings(window.location.href, ref)), []);
  return [place, go];
}
