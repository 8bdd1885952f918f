// Runs a generator concurrently with other work, so that its waiting (for a grader's programs) overlaps with computation. Values that it
// yields meanwhile are kept in order.
import { drained } from './drained.ts';

interface Prefetched<T, End> {
  /** Values yielded since the last call; throws the generator's error. */
  take(): T[];
  /** Resolves with the generator's result, or rejects with its error. */
  end: Promise<End>;
  /** Stops the generator without waiting for it. */
  leave(): void;
}

export function prefetch<T, End>(generator: AsyncGenerator<T, End>): Prefetched<T, End> {
  let yielded: T[] = [];
  let failed: { error: unknown } | null = null;
  const end = drained(generator, (value) => {
    yielded.push(value);
  });
  // `take` rethrows the error; this prevents an unhandled rejection.
  end.catch((error) => {
    failed = { error };
  });
  return {
    take() {
      if (failed) throw failed.error;
      const news = yielded;
      yielded = [];
      return news;
    },
    end,
    leave: () => void generator.return(undefined as never).catch(() => {}),
  };
}
