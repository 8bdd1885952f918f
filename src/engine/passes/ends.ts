// The rows whose last-layer output is needed: those that predict a token. Of the others (prompts, observations of an episode) the last
// layer needs only keys and values, so everything after attention is skipped for them, forward and backward. Their terms in a gradient
// are zeros, which change no bit of a sum in ascending order. Only on the CPU: a GPU sums in blocks of rows.
import type { SomeRows } from './layer.ts';
import type { Packed } from './packing.ts';

/** Rows in the order of `Packed.targetRows`. */
export type Ends = SomeRows;

/** Null if every row predicts a token, or if the targets are in the order of another batch (alignTargets). */
export function endsOf({ rows, targetRows, segments }: Packed): Ends | null {
  if (targetRows.length === rows) return null;
  for (let i = 1; i < targetRows.length; i++) if (targetRows[i] <= targetRows[i - 1]) return null;
  const before = (row: number) => {
    let [from, to] = [0, targetRows.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (targetRows[middle] < row) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  return {
    rows: targetRows.length,
    segments: segments.map(({ from, to }) => ({ from: before(from), to: before(to) })),
  };
}
