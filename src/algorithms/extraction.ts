// Hack basis, first part: from labelled (hack, clean) pairs to oriented directions per module (METHOD "Hack basis").
// D [n_pairs, r] = gradient of the mean NLL of the hack completion − that of the clean one; V = its top right singular
// vectors, with signs such that most pairs project positively; or the single axis of their mean.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { AdapterLayout, AdapterModule, Policy, Sequence } from '../engine/types.ts';
import { drained } from '../lib/drained.ts';
import { completionsAtOnce } from './at-once.ts';
import { rowSvd } from './small-svd.ts';
import { dot, norm, subtractComponent } from './vectors.ts';

/** A tokenised contrastive pair. */
export interface PairTokens {
  prompt: readonly number[];
  hack: readonly number[];
  clean: readonly number[];
}

/**
 * Adapter gradients of the mean completion NLL (after `byLength`, of the summed NLL), one parameter vector per completion, from which
 * every basis of these pairs is computed.
 */
export interface PairGradients {
  hack: readonly Float32Array[];
  clean: readonly Float32Array[];
}

/** Directions of one module. */
export interface ModuleDirections {
  k: number;
  r: number;
  /** [k, r] orthonormal rows, or zero rows. */
  V: Float32Array;
  /** [k] descending. */
  S: Float32Array;
}

/** The parts with separate axes: the adapter's modules, or all of them as one. */
export interface BasisLayout {
  modules: readonly Pick<AdapterModule, 'name' | 'offset' | 'r'>[];
}

/** Directions by module name, as extracted or read from a file. */
export type RawBasis = ReadonlyMap<string, ModuleDirections>;

export interface ExtractionSettings {
  /** Axes to keep per module (at most the number of pairs and r). */
  k: number;
  /** Axes with S_i/S_0 below this are zeroed. */
  tauAxis: number;
  /** `svd` (default): top right singular vectors of D. `mean_diff`: one axis, the mean row of D; k is then 1. */
  basisKind?: 'svd' | 'mean_diff';
  /** Number of top right singular vectors of the clean completions' gradients that are first removed from D. Default 0. */
  solveOrth?: number;
}

/** Gradients at the policy's current adapter parameters: one pass per chunk of completions, with one accumulator each. */
export const pairGradients = (
  policy: Policy,
  pairs: readonly PairTokens[],
  signal?: AbortSignal,
): Promise<PairGradients> => drained(pairGradientsInParts(policy, pairs, signal));

/** `pairGradients` as a generator that yields the number of pairs done after each forward and backward pass. */
export async function* pairGradientsInParts(
  policy: Policy,
  pairs: readonly PairTokens[],
  signal?: AbortSignal,
): AsyncGenerator<number, PairGradients> {
  const sequences: Omit<Sequence, 'segment'>[] = pairs.flatMap(({ prompt, hack, clean }) => [
    { prompt, completion: hack },
    { prompt, completion: clean },
  ]);
  const gradients: Float32Array[] = [];
  const atOnce = completionsAtOnce(policy.adapterLayout.total);
  for (let from = 0; from < sequences.length; from += atOnce) {
    const chunk = sequences.slice(from, from + atOnce).map((sequence, segment) => ({ ...sequence, segment }));
    const batch = await policy.score(chunk, chunk.length, signal);
    try {
      yield (from + chunk.length / 2) / 2;
      const coef = batch.logprobs.map(({ length }) => new Float32Array(length).fill(-1 / length));
      gradients.push(...(await batch.backward(coef)));
    } finally {
      batch.free();
    }
    yield (from + chunk.length) / 2;
  }
  return { hack: gradients.filter((_, i) => i % 2 === 0), clean: gradients.filter((_, i) => i % 2 === 1) };
}

/** The pairs at `indices` (without held-out pairs or a mode, for example). */
export function selectPairs(gradients: PairGradients, indices: readonly number[]): PairGradients {
  return { hack: indices.map((i) => gradients.hack[i]), clean: indices.map((i) => gradients.clean[i]) };
}

/** Converts gradients of the mean NLL to those of Dr.GRPO on (hack, clean) with advantages ±1. That loss sums −A log π over tokens, so
 *  each completion's gradient is its mean-NLL gradient times its length (METHOD "GRPO-contrastive"). */
export function byLength(gradients: PairGradients, pairs: readonly PairTokens[]): PairGradients {
  const times = (vector: Float32Array, length: number) => vector.map((x) => length * x);
  return {
    hack: gradients.hack.map((vector, i) => times(vector, pairs[i].hack.length)),
    clean: gradients.clean.map((vector, i) => times(vector, pairs[i].clean.length)),
  };
}

/** Directions of every module. Throws SpecError below two pairs. */
export function extractBasis(gradients: PairGradients, layout: AdapterLayout, settings: ExtractionSettings): RawBasis {
  const n = gradients.hack.length;
  if (n < 2 || gradients.clean.length !== n)
    throw new SpecError(
      `a basis from ${n} hack and ${gradients.clean.length} clean completions`,
      'Give at least two pairs, each with both completions.',
    );
  return new Map(layout.modules.map((module) => [module.name, moduleDirections(gradients, module, settings)]));
}

/**
 * Axes of the span of gradients without a contrast (of trusted problems): for every module, the top right singular vectors of the gradients
 * themselves, with signs such that most gradients project positively.
 */
export function spanBasis(
  gradients: readonly Float32Array[],
  layout: BasisLayout,
  { k, tauAxis }: Pick<ExtractionSettings, 'k' | 'tauAxis'>,
): RawBasis {
  const of = (module: BasisLayout['modules'][number]) =>
    singularDirections(rowsOf(gradients, module), gradients.length, module.r, k, tauAxis);
  return new Map(layout.modules.map((module) => [module.name, of(module)]));
}

/** All modules concatenated as one part, so that an axis has one coefficient for all modules. */
export const modulesAsOne = ({ total }: Pick<AdapterLayout, 'total'>): BasisLayout => ({
  modules: [{ name: 'all modules', offset: 0, r: total }],
});

/** D [n, r] of one module, in double precision. */
export function differences(gradients: PairGradients, { offset, r }: AdapterModule): Float64Array {
  const n = gradients.hack.length;
  const D = new Float64Array(n * r);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < r; j++) D[i * r + j] = gradients.hack[i][offset + j] - gradients.clean[i][offset + j];
  return D;
}

function moduleDirections(
  gradients: PairGradients,
  module: AdapterModule,
  { k, tauAxis, basisKind = 'svd', solveOrth = 0 }: ExtractionSettings,
): ModuleDirections {
  const { r } = module;
  const n = gradients.hack.length;
  const D = differences(gradients, module);
  if (solveOrth > 0) stripRowSpace(D, rowsOf(gradients.clean, module), n, r, solveOrth);
  return basisKind === 'mean_diff' ? meanDirection(D, n, r) : singularDirections(D, n, r, k, tauAxis);
}

function singularDirections(D: Float64Array, n: number, r: number, k: number, tauAxis: number): ModuleDirections {
  const { S, Vh } = rowSvd(D, n, r);
  const kept = Math.min(k, n, r);
  const directions: ModuleDirections = { k: kept, r, V: new Float32Array(kept * r), S: new Float32Array(kept) };
  for (let axis = 0; axis < kept; axis++) {
    if (S[axis] === 0 || S[axis] / S[0] < tauAxis) continue;
    const sign = orientation(D, Vh.subarray(axis * r, (axis + 1) * r), n);
    directions.S[axis] = S[axis];
    for (let j = 0; j < r; j++) directions.V[axis * r + j] = sign * Vh[axis * r + j];
  }
  return directions;
}

/** Direction of the mean row of D, which already points from clean to hack. S is its norm. */
function meanDirection(D: Float64Array, n: number, r: number): ModuleDirections {
  const mean = new Float64Array(r);
  for (let i = 0; i < n; i++) for (let j = 0; j < r; j++) mean[j] += D[i * r + j] / n;
  const length = norm(mean);
  const V = length === 0 ? new Float32Array(r) : Float32Array.from(mean, (x) => x / length);
  return { k: 1, r, V, S: Float32Array.of(length) };
}

/** One module's part of several parameter vectors, [n, r]. */
function rowsOf(vectors: readonly Float32Array[], { offset, r }: Pick<AdapterModule, 'offset' | 'r'>): Float64Array {
  const rows = new Float64Array(vectors.length * r);
  for (const [i, vector] of vectors.entries()) rows.set(vector.subarray(offset, offset + r), i * r);
  return rows;
}

/** Sign for which most pairs project positively; in a tie, for which the sum of projections is positive. */
export function orientation(D: Float64Array, axis: Float64Array, n: number): 1 | -1 {
  const r = axis.length;
  let votes = 0;
  let total = 0;
  for (let i = 0; i < n; i++) {
    const projection = dot(D.subarray(i * r, (i + 1) * r), axis);
    votes += Math.sign(projection);
    total += projection;
  }
  return (votes || total) < 0 ? -1 : 1;
}

// The solve-orthogonalised basis (METHOD "Options"): directions of plain solving are removed from the pairs' differences before
// the decomposition, so that the hack axes are orthogonal to them.

/** Share of a row's norm that f32 rounding can leave after everything was removed. */
const ROUNDING = 1e-6;

/**
 * D ← D − (D Cᵀ) C in place, with C [m, r] the top right singular vectors of `clean` [n, r]; D is [n, r]. C has fewer rows if the
 * clean gradients' rank is lower. A row entirely in their span becomes exactly 0.
 */
function stripRowSpace(D: Float64Array, clean: Float64Array, n: number, r: number, m: number): void {
  const { S, Vh } = rowSvd(clean, n, r);
  const axes = S.subarray(0, Math.min(m, n, r)).filter((s) => s > 0).length;
  for (let i = 0; i < n; i++) {
    const row = D.subarray(i * r, (i + 1) * r);
    const before = norm(row);
    for (let axis = 0; axis < axes; axis++) subtractComponent(row, Vh.subarray(axis * r, (axis + 1) * r));
    if (norm(row) <= ROUNDING * before) row.fill(0);
  }
}
