// Work that can be paused: a generator that yields wherever that is possible, and returns the result. The command line and tests run it at
// once; a worker handles messages in between (lab/agents/slices.ts).

export type Parts<T> = Generator<undefined, T>;

export function atOnce<T>(parts: Parts<T>): T {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}
