// Buffers of a piece of work, added up: their bytes, and the largest of them.

export const BYTES = 4;

export interface Sum {
  bytes: number;
  largest: number;
}

/** @param lengths elements of each buffer */
export const sumOf = (lengths: readonly number[]): Sum => ({
  bytes: BYTES * lengths.reduce((sum, length) => sum + length, 0),
  largest: BYTES * lengths.reduce((most, length) => Math.max(most, length), 0),
});

/** Scratch is taken from the arena, which gives 64 elements at least. */
export const scratchOf = (lengths: readonly number[]): Sum => sumOf(lengths.map((length) => Math.max(64, length)));

/** Of each kind of piece the greatest counts: they use the same room in turn. */
export function most(sums: readonly Sum[]): Sum {
  return {
    bytes: Math.max(0, ...sums.map(({ bytes }) => bytes)),
    largest: Math.max(0, ...sums.map(({ largest }) => largest)),
  };
}

export const plus = (a: Sum, b: Sum): Sum => ({ bytes: a.bytes + b.bytes, largest: Math.max(a.largest, b.largest) });
