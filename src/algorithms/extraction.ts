// Hack basis, first half: from labelled (hack, clean) pairs to oriented directions per module (METHOD "Hack basis").
// D [n_pairs, r] = gradient of the mean NLL of the hack completion − that of the clean one; V = its top right singular
// vectors, each turned to where the majority of the pairs project positively.
import type { KnobLayout, KnobModule, Policy, Sequence } from '../engine/types.ts';
import { SpecError } from '../lib/errors.ts';
import { rowSvd } from './small-svd.ts';

/** A contrastive pair, tokenised. */
export interface PairTokens {
  prompt: readonly number[];
  hack: readonly number[];
  clean: readonly number[];
}

/** Knob gradients of the mean completion NLL, one knob vector per completion. Every basis of these pairs comes from them. */
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
/** As extracted, or read from a file: by module name. */
export type RawBasis = ReadonlyMap<string, ModuleDirections>;

export interface ExtractionSettings {
  /** Axes to keep per module (fewer where the pairs or r are fewer). */
  k: number;
  /** Axes with S_i/S_0 below this are zeroed. */
  tauAxis: number;
}

/** Completions per backward pass; sequences do not mix, so this bounds memory and changes nothing else. */
const CHUNK = 64;

/** Gradients at the policy's present knobs: one pass for all completions of a chunk, one accumulator each. */
export async function pairGradients(
  policy: Policy,
  pairs: readonly PairTokens[],
  signal?: AbortSignal,
): Promise<PairGradients> {
  const sequences: Omit<Sequence, 'segment'>[] = pairs.flatMap(({ prompt, hack, clean }) => [
    { prompt, completion: hack },
    { prompt, completion: clean },
  ]);
  const gradients: Float32Array[] = [];
  for (let from = 0; from < sequences.length; from += CHUNK) {
    const chunk = sequences.slice(from, from + CHUNK).map((sequence, segment) => ({ ...sequence, segment }));
    const batch = await policy.score(chunk, chunk.length, signal);
    try {
      const coef = batch.logprobs.map(({ length }) => new Float32Array(length).fill(-1 / length));
      gradients.push(...(await batch.backward(coef)));
    } finally {
      batch.free();
    }
  }
  return {
    hack: gradients.filter((_, i) => i % 2 === 0),
    clean: gradients.filter((_, i) => i % 2 === 1),
  };
}

/** The pairs at `indices` alone (held-out pairs, a mode left out). */
export function selectPairs(gradients: PairGradients, indices: readonly number[]): PairGradients {
  return { hack: indices.map((i) => gradients.hack[i]), clean: indices.map((i) => gradients.clean[i]) };
}

/** Directions of every module. Throws SpecError below two pairs. */
export function extractBasis(gradients: PairGradients, layout: KnobLayout, settings: ExtractionSettings): RawBasis {
  const n = gradients.hack.length;
  if (n < 2 || gradients.clean.length !== n)
    throw new SpecError(
      `a basis from ${n} hack and ${gradients.clean.length} clean completions`,
      'Give at least two pairs, each with both completions.',
    );
  return new Map(layout.modules.map((module) => [module.name, moduleDirections(gradients, module, settings)]));
}

/** D [n, r] of one module, in double precision. */
export function differences(gradients: PairGradients, { offset, r }: KnobModule): Float64Array {
  const n = gradients.hack.length;
  const D = new Float64Array(n * r);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < r; j++) D[i * r + j] = gradients.hack[i][offset + j] - gradients.clean[i][offset + j];
  return D;
}

function moduleDirections(
  gradients: PairGradients,
  module: KnobModule,
  { k, tauAxis }: ExtractionSettings,
): ModuleDirections {
  const { r } = module;
  const n = gradients.hack.length;
  const D = differences(gradients, module);
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

/** +1 or −1: the side to which most pairs project; on a tie, the side with the larger sum of projections. */
export function orientation(D: Float64Array, axis: Float64Array, n: number): 1 | -1 {
  const r = axis.length;
  let votes = 0;
  let total = 0;
  for (let i = 0; i < n; i++) {
    let projection = 0;
    for (let j = 0; j < r; j++) projection += D[i * r + j] * axis[j];
    votes += Math.sign(projection);
    total += projection;
  }
  return (votes || total) < 0 ? -1 : 1;
}
