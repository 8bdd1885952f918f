// What a part of the page asks for and shows once it is there. An answer that comes late, when something else is asked for, is dropped.
import { useEffect, useState } from 'react';
import { type Problem, problemOf } from '../../store/lab-state.ts';

/** Undefined until it is there; nothing of another key is shown. */
export function useLoaded<T>(load: () => Promise<T>, key: unknown = null): T | undefined {
  const last = useLast(load, key);
  return last && last.key === key ? last.value : undefined;
}

/** Undefined until the first is there, which stays until that of another key has come. */
export function useLatest<T>(load: () => Promise<T>, key: unknown): T | undefined {
  return useLast(load, key)?.value;
}

interface Fetched<T> {
  /** Null while it is on its way, and where it did not come. */
  value: T | null;
  problem: Problem | null;
  /** Another try. */
  again: () => void;
}

export function useFetched<T>(load: () => Promise<T>, key = ''): Fetched<T> {
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
    let isGone = false;
    void load().then((value) => isGone || setLast({ key, value }));
    return () => {
      isGone = true;
    };
  }, [key]);
  return last;
}
