// Whether the page is as narrow as a phone; it follows when a phone is turned.
import { useSyncExternalStore } from 'react';

/** As in the stylesheets. */
const NARROW = '(max-width: 640px)';

function subscribe(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
