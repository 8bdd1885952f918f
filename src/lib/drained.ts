// Runs a generator to its end and returns its result.

/** Calls `on` for each yielded value, and awaits its promise if there is one. */
export async function drained<T, Result>(
  stream: AsyncGenerator<T, Result>,
  on?: (value: T) => void | Promise<void>,
): Promise<Result> {
  for (;;) {
    const next = await stream.next();
    if (next.done) return next.value;
    const waiting = on?.(next.value);
    if (waiting) await waiting;
  }
}
