// Hooks that load a value by its key. A result that arrives after the key has changed is dropped.
import { useEffect, useState } from 'react';
import { type Problem, problemOf } from '../../store/lab-state.ts';

/** The value of `key`; undefined until it is loaded. */
export function useLoaded<T>(load: () => Promise<T>, key: unknown = null): T | undefined {
  const last = useLast(load, key);
  return last && last.key === key ? last.value : undefined;
}

/** The value that was loaded last, which remains until that of a new key arrives; undefined before the first. */
export function useLatest<T>(load: () => Promise<T>, key: unknown): T | undefined {
  return useLast(load, key)?.value;
}

interface FetchState<T> {
  /** Null while it is being loaded, and if loading failed. */
  value: T | null;
  problem: Problem | null;
  /** Loads again. */
  again: () => void;
}

export function useFetched<T>(load: () => Promise<T>, key = ''): FetchState<T> {
  const [round, setRound] = useState(0);
  const answer = useLoaded(
    () =>
      load().then(
        (value) => ({ value, problem: null }),
        (error) => ({ value: null, problem: problemOf(error) }),
      ),
    `${key} ${round}`,
  );
  return { ...(answer ?? { value: null, problem: null }), again: () => setRound((before) => before + 1) };
}

function useLast<T>(load: () => Promise<T>, key: unknown): { key: unknown; value: T } | null {
  const [last, setLast] = useState<{ key: unknown; value: T } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when there is something else to load
  useEffect(() => {
    let isStale = false;
    void load().then((value) => isStale || setLast({ key, value }));
    return () => {
      isStale = true;
    };
  }, [key]);
  return last;
}
