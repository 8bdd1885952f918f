// Cases of normalisation, position and activation, with awkward sizes, for tests that compare implementations.
import type { CounterRng } from '../../rng/index.ts';
import { floats, indices, type KernelCase, make } from '../testing/case.ts';

export function normCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [rows, dim] of [
    [1, 4],
    [5, 7],
    [11, 32],
    [3, 130],
  ]) {
    const x = () => floats(r, rows * dim);
    const rstd = Float32Array.from({ length: rows }, () => 0.5 + r.uniform());
    cases.push(make('rmsnorm', [x(), floats(r, dim), x(), floats(r, rows)], { rows, dim, eps: 1e-6 }));
    for (const beta of [0, 1]) {
      cases.push(make('rmsnorm_dx', [x(), floats(r, dim), rstd, x(), x()], { rows, dim, beta }));
      cases.push(make('rmsnorm_dw', [x(), rstd, x(), floats(r, dim)], { rows, dim, beta }));
    }
  }
  for (const [rows, heads, headDim] of [
    [1, 1, 2],
    [7, 3, 10],
    [9, 4, 32],
  ])
    for (const inverse of [0, 1]) {
      const angles = floats(r, (30 * headDim) / 2, 3);
      cases.push(
        make(
          'rope',
          [floats(r, rows * heads * headDim), angles.map(Math.cos), angles.map(Math.sin), indices(r, rows, 25)],
          { rows, heads, headDim, shift: 5, inverse, rest: 0 },
        ),
      );
    }
  for (const n of [1, 4, 7, 130]) {
    const x = () => floats(r, n, 3);
    cases.push(make('swiglu', [x(), x(), x()], { n, upOff: 0 }));
    cases.push(make('swiglu_grad', [x(), x(), x(), x(), x()], { n }));
  }
  return cases;
}

/** Newer cases, which are drawn after the older ones so that those keep their data. */
export function laterNormCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [rows, heads, headDim, rest] of [
    [3, 2, 6, 1],
    [9, 4, 8, 24],
  ])
    for (const inverse of [0, 1]) {
      const angles = floats(r, (30 * headDim) / 2, 3);
      cases.push(
        make(
          'rope',
          [
            floats(r, rows * heads * (headDim + rest)),
            angles.map(Math.cos),
            angles.map(Math.sin),
            indices(r, rows, 25),
          ],
          { rows, heads, headDim, shift: 5, inverse, rest },
        ),
      );
    }
  for (const n of [1, 4, 7, 130]) {
    const x = () => floats(r, n, 3);
    cases.push(make('sigmoid_gate', [x(), x(), x()], { n }));
    cases.push(make('sigmoid_gate_grad', [x(), x(), x(), x(), x()], { n }));
  }
  return cases;
}
