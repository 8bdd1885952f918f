// Work that can be paused: a generator that yields at every possible pause, and returns the result. The command line and tests run it
// without pauses; a worker handles messages in between (lab/agents/slices.ts).

export type Parts<T> = Generator<undefined, T>;

export function atOnce<T>(parts: Parts<T>): T {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}
