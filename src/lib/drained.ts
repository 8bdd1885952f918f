// A generator drawn to its end, for the sake of what it returns.

/** `on` is waited for where it gives a promise. */
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
