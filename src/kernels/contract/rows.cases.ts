// Cases of the kernels that move rows, with awkward sizes, for tests that compare implementations.
import type { CounterRng } from '../../rng/index.ts';
import { distinct, floats, indices, type KernelCase, make } from '../testing/case.ts';

export function rowsCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [rows, dim] of [
    [1, 1],
    [6, 16],
    [9, 7],
  ]) {
    cases.push(make('gather_rows', [floats(r, 5 * dim), indices(r, rows, 5), floats(r, rows * dim)], { rows, dim }));
    for (const add of [0, 1])
      cases.push(
        make('scatter_rows', [floats(r, rows * dim), distinct(r, rows, 12), floats(r, 14 * dim)], {
          rows,
          dim,
          shift: 2,
          add,
        }),
      );
    const vocab = 5;
    const tokens = indices(r, rows, vocab);
    const starts = new Uint32Array(vocab + 1);
    const order: number[] = [];
    for (let v = 0; v < vocab; v++) {
      for (let i = 0; i < rows; i++) if (tokens[i] === v) order.push(i);
      starts[v + 1] = order.length;
    }
    cases.push(
      make('embed_grad', [floats(r, rows * dim), starts, Uint32Array.from(order), floats(r, vocab * dim)], {
        vocab,
        dim,
      }),
    );
  }
  return cases;
}
