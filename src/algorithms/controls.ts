// Bases that know nothing of the hack: what a real effect has to beat (METHOD "Negative controls"). Drawn from the run's own
// seed, so that a seed's spread includes them.
import type { KnobLayout } from '../engine/types.ts';
import { CounterRng } from '../rng/counter-rng.ts';
import { STREAMS } from '../rng/threefry.ts';
import { type HackBasis, layRows } from './basis.ts';
import type { PairGradients } from './extraction.ts';

/** Random orthonormal rows, as many per module as `like` has. */
export function randomBasis(like: HackBasis, layout: KnobLayout, seed: number): HackBasis {
  return layRows(
    layout,
    like.modules.map(({ k, r }, m) => orthonormalRows(CounterRng.of(seed, STREAMS.randomV, m), k, r)),
  );
}

/** Gaussian rows, orthogonalised twice (Gram-Schmidt; "twice is enough", Kahan and Parlett) in double precision. */
export function orthonormalRows(rng: CounterRng, k: number, r: number): Float32Array[] {
  const rows: Float64Array[] = [];
  for (let axis = 0; axis < k; axis++) {
    const row = Float64Array.from({ length: r }, () => rng.normal());
    for (let pass = 0; pass < 2; pass++) for (const earlier of rows) subtractComponent(row, earlier);
    const length = Math.sqrt(dot(row, row));
    rows.push(row.map((x) => x / length));
  }
  return rows.map((row) => Float32Array.from(row));
}

/** All completions of all pairs pooled, and the labels dealt anew: as many hack as clean ones, prompts no longer matched. */
export function permuteLabels(gradients: PairGradients, seed: number): PairGradients {
  const pool = [...gradients.hack, ...gradients.clean];
  const dealt = CounterRng.of(seed, STREAMS.permutedV).shuffle(pool);
  return { hack: dealt.slice(0, gradients.hack.length), clean: dealt.slice(gradients.hack.length) };
}

function dot(a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let j = 0; j < a.length; j++) total += a[j] * b[j];
  return total;
}

function subtractComponent(row: Float64Array, unit: Float64Array): void {
  const c = dot(row, unit);
  for (let j = 0; j < row.length; j++) row[j] -= c * unit[j];
}
