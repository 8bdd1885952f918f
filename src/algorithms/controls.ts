// Control bases without information about the hack, which a real effect has to beat (METHOD "Negative controls"). They are drawn
// from the run's own seed, so that the spread over seeds includes theirs.
import { CounterRng } from '../rng/counter-rng.ts';
import { STREAMS } from '../rng/threefry.ts';
import { type HackBasis, layRows } from './basis.ts';
import type { BasisLayout, PairGradients, RawBasis } from './extraction.ts';
import { norm, subtractComponent } from './vectors.ts';

/** Random orthonormal rows, as many per module as `like` has. `step` > 0 gives a new draw, for a refresh after that many steps. */
export function randomBasis(like: HackBasis, layout: BasisLayout, seed: number, step = 0): HackBasis {
  return layRows(
    layout,
    like.modules.map(({ k, r }, m) => orthonormalRows(CounterRng.of(seed, STREAMS.randomV, m, ...drawn(step)), k, r)),
  );
}

/** Step 0 is not part of the key, so that runs without refreshes keep their published draws. */
const drawn = (step: number): number[] => (step === 0 ? [] : [step]);

/** The first k rows of `orthonormalStream`. */
export function orthonormalRows(rng: CounterRng, k: number, r: number): Float32Array[] {
  const rows: Float32Array[] = [];
  const stream = orthonormalStream(rng, r);
  while (rows.length < k) rows.push(stream.next().value as Float32Array);
  return rows;
}

/**
 * Up to r Gaussian rows, orthogonalised twice (Gram-Schmidt; "twice is enough", Kahan and Parlett) in double precision. A row does
 * not depend on later ones, so a wider basis begins with the narrower one.
 */
export function* orthonormalStream(rng: CounterRng, r: number): Generator<Float32Array, void> {
  const rows: Float64Array[] = [];
  while (rows.length < r) {
    const row = Float64Array.from({ length: r }, () => rng.normal());
    for (let pass = 0; pass < 2; pass++) for (const earlier of rows) subtractComponent(row, earlier);
    const length = norm(row);
    rows.push(row.map((x) => x / length));
    yield Float32Array.from(rows[rows.length - 1]);
  }
}

/** Pools all completions of all pairs and permutes the labels: equally many hack and clean ones, but prompts no longer match. */
export function permuteLabels(gradients: PairGradients, seed: number, step = 0): PairGradients {
  const pool = [...gradients.hack, ...gradients.clean];
  const dealt = CounterRng.of(seed, STREAMS.permutedV, ...drawn(step)).shuffle(pool);
  return { hack: dealt.slice(0, gradients.hack.length), clean: dealt.slice(gradients.hack.length) };
}

/**
 * The basis of the same pairs with flipped labels: D becomes −D, with the same singular vectors and opposite orientations, so
 * every row changes its sign. Components stripped by solve-orth stay stripped.
 */
export function flipBasis(raw: RawBasis): RawBasis {
  return new Map([...raw].map(([name, { V, ...rest }]) => [name, { ...rest, V: V.map((x) => (x === 0 ? 0 : -x)) }]));
}
