// Cases of products, sums and copies, with awkward sizes, for tests that compare implementations.
import type { CounterRng } from '../../rng/index.ts';
import { floats, type KernelCase, make } from '../testing/case.ts';

export function linearCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [m, n, k] of [
    [1, 1, 1],
    [4, 8, 5],
    [5, 9, 7],
    [13, 31, 17],
    [33, 70, 64],
    [3, 4, 130],
    [150, 24, 40],
    [2, 3, 0],
  ])
    for (const ta of [0, 1])
      for (const tb of [0, 1])
        for (const beta of [0, 1])
          cases.push(
            make('matmul', [floats(r, m * k + 3), floats(r, k * n + 2), floats(r, m * n + 6)], {
              m,
              n,
              k,
              ta,
              tb,
              beta,
              aOff: 3,
              bOff: 1,
              cOff: 5,
            }),
          );
  for (const [rows, cols] of [
    [1, 1],
    [5, 16],
    [7, 19],
    [30, 50],
  ]) {
    cases.push(make('bias_add', [floats(r, rows * cols), floats(r, cols)], { rows, cols }));
    for (const beta of [0, 1])
      cases.push(make('col_sum', [floats(r, rows * cols), floats(r, cols)], { rows, cols, beta }));
    cases.push(
      make('scale_rows', [floats(r, rows * cols), floats(r, rows + 2), floats(r, rows * cols)], {
        rows,
        cols,
        sOff: 2,
      }),
    );
    const n = rows * cols;
    cases.push(make('add', [floats(r, n + 5), floats(r, n + 2)], { n, xOff: 3, yOff: 1 }));
    cases.push(make('copy', [floats(r, n + 5), floats(r, n + 2)], { n, srcOff: 3, dstOff: 1 }));
    cases.push(make('fill', [floats(r, n + 5)], { n, off: 2, value: -1.5 }));
    cases.push(make('sumsq', [floats(r, n + 5), floats(r, 3)], { n, off: 2, outOff: 1 }));
  }
  return cases;
}

/** Newer cases, which are drawn after all others so that those keep their data. */
export function laterLinearCases(r: CounterRng): KernelCase[] {
  return [
    [1, 1],
    [5, 16],
    [7, 19],
  ].map(([rows, cols]) =>
    make('scale_cols', [floats(r, rows * cols + 3), floats(r, cols + 2)], { rows, cols, sOff: 2, xOff: 3 }),
  );
}
