// Cuts a kernel's call into one call or several side by side. A cut goes between rows, columns or elements whose sums
// stay whole, so that every piece gives the bits that it has in the whole call: the number of threads changes no byte.
import type { ExportName } from './generated/simd.ts';
import type { Simd } from './simd.ts';

/** An argument of a piece's call: a number; one that grows by a step for every item before the piece; where its items
 *  begin and end, and how many they are. Each is linear in where the piece begins, so that pieces of one length are a
 *  first and a step. */
type Argument = number | readonly [first: number, step: number] | 'from' | 'end' | 'count';

export interface Cut {
  /** Rows, columns or elements that there are, and of how many a piece's length is a multiple. */
  of: number;
  unit?: number;
  /** Cost of one of them, in multiply-adds of a matrix product, roughly: what is worth waking others for. */
  cost: number;
  args: readonly Argument[];
  /** Bytes of scratch that a call needs for itself; its address becomes the last argument. */
  scratch?: number;
  /** Pieces for each thread, by default so many that whoever has the easier ones or the free core does more of them. */
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
