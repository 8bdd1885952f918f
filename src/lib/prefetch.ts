// A generator that is drawn from while something else is done: what waits elsewhere (a grader's programs) goes on beside what computes
// here. What it yields meanwhile is kept in order.
import { drained } from './drained.ts';

interface Prefetched<T, End> {
  /** What it has yielded since this was last asked; throws what it failed with. */
  take(): T[];
  /** Its end. Rejects with what it failed with. */
  end: Promise<End>;
  /** Nobody waits for its end any more. */
  leave(): void;
}

export function prefetch<T, End>(generator: AsyncGenerator<T, End>): Prefetched<T, End> {
  let yielded: T[] = [];
  let failed: { error: unknown } | null = null;
  const end = drained(generator, (value) => {
    yielded.push(value);
  });
  // Whoever asks is told.
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
