// Runs a generator to its end, for the value that it returns.

/** A promise that `on` returns is awaited. */
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
