// Whether the page is as narrow as a phone. It is updated when a phone is rotated.
import { useSyncExternalStore } from 'react';

/** The same breakpoint as in the stylesheets. */
const NARROW = '(max-width: 640px)';

function subscribe(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
