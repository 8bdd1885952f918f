// Cases of the adapter, the projection and the optimizer, with awkward sizes, for tests that compare implementations.
import type { CounterRng } from '../../rng/index.ts';
import { distinct, floats, type KernelCase, make } from '../testing/case.ts';

export function adapterCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [rows, cols] of [
    [1, 1],
    [9, 16],
    [7, 37],
    [40, 5],
  ])
    for (const beta of [0, 1]) {
      cases.push(
        make('adapter_grad', [floats(r, (rows + 2) * cols), floats(r, (rows + 2) * cols), floats(r, cols + 3)], {
          rows,
          r: cols,
          rowOff: 2,
          outOff: 3,
          beta,
        }),
      );
      cases.push(
        make('row_dot', [floats(r, rows * cols), floats(r, rows * cols), floats(r, rows + 3)], {
          r: rows,
          cols,
          outOff: 3,
          beta,
        }),
      );
    }
  for (const [n, m, nv] of [
    [2, 3, 2],
    [7, 10, 7],
    [8, 64, 8],
  ]) {
    const pairs = Uint32Array.from([0, 0, ...distinct(r, n - (n % 2), n)]);
    cases.push(
      make('jacobi_round', [floats(r, n * m), floats(r, n * nv), pairs, floats(r, pairs.length / 2)], {
        m,
        nv,
        count: pairs.length / 2 - 1,
        pairOff: 1,
        tol: 1e-6,
      }),
    );
  }
  // The modules have r = 5 with two directions, r = 3 with none (k = 0), and r = 9 with one.
  const table = Uint32Array.from([0, 5, 0, 2, 0, 5, 3, 10, 0, 2, 8, 9, 10, 1, 2]);
  for (const gate of [0, 1, 2])
    cases.push(
      make('project', [floats(r, 17), floats(r, 19), table, floats(r, 17), floats(r, 17), floats(r, 3)], {
        modules: 3,
        gate,
        overshoot: gate === 1 ? 1.1 : 1,
      }),
    );
  for (const n of [1, 8, 39])
    cases.push(
      make('adamw', [floats(r, n), floats(r, n), floats(r, n), floats(r, n).map(Math.abs)], {
        n,
        lr: 0.01,
        beta1: 0.9,
        beta2: 0.98,
        eps: 1e-8,
        wd: 0.1,
        bc1: 1.4,
        bc2: 2.5,
        gScale: 0.6,
      }),
    );
  return cases;
}
