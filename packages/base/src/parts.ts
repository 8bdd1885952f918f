// Work that can be left for a while: a generator that yields wherever that is possible, and returns what was worked out. At once for
// the command line and tests; a worker lets messages through in between (lab/agents/slices.ts).

export type Parts<T> = Generator<undefined, T>;

export function atOnce<T>(parts: Parts<T>): T {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}
