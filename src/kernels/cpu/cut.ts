// Splits a kernel call into pieces that threads run in parallel. A split is between rows, columns or elements and never
// inside a sum, so every piece gives the same bits as the whole call, for any number of threads.
import type { ExportName } from './generated/simd.ts';
import type { Simd } from './simd.ts';

/** An argument of a piece's call: a constant; a value that grows by `step` per item before the piece; or the piece's first
 *  item, end, or number of items. All are linear in the piece's start, so the arguments of equal pieces are a first value and a
 *  step. */
type Argument = number | readonly [first: number, step: number] | 'from' | 'end' | 'count';

export interface Cut {
  /** Number of items (rows, columns or elements), and the number of which a piece's length is a multiple. */
  of: number;
  unit?: number;
  /** Approximate cost of one item, in multiply-adds of a matrix product; decides whether waking other threads pays. */
  cost: number;
  args: readonly Argument[];
  /** Bytes of scratch per call; its address becomes the last argument. */
  scratch?: number;
  /** Pieces per thread; the default is above 1, so that faster threads can take more of them. */
  each?: number;
}

const EACH = 4;

const argsOf = (args: readonly Argument[], from: number, count: number): number[] =>
  args.map((arg) => {
    if (typeof arg === 'number') return arg;
    if (typeof arg === 'object') return arg[0] + from * arg[1];
    if (arg === 'count') return count;
    return arg === 'from' ? from : from + count;
  });

export function runCut(simd: Simd, name: ExportName, cut: Cut): void {
  const { wasm, heap, team } = simd;
  const { of, unit = 1, cost, args, scratch = 0, each = EACH } = cut;
  const threads = team?.threads ?? 1;
  const most = team && threads > 1 ? Math.min(Math.floor((of * cost) / team.worth), threads * each) : 1;
  const size = Math.ceil(of / Math.max(1, most) / unit) * unit;
  if (!team || size >= of) {
    wasm[name](...argsOf(args, 0, of), scratch > 0 ? heap.scratch(scratch) : 0);
    return;
  }
  const count = Math.ceil(of / size);
  const step = Math.ceil(scratch / 64) * 64;
  const at = scratch > 0 ? heap.scratch(step * team.most) : 0;
  const first = argsOf(args, 0, size);
  const second = argsOf(args, size, size);
  const rest = (count - 1) * size;
  team.run(name, {
    count,
    first,
    step: second.map((value, i) => value - first[i]),
    last: argsOf(args, rest, of - rest),
    scratch: { at, step },
  });
}
