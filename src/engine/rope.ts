// Rotary positions: the cos/sin tables that a model turns its queries and keys by, and the ways in which its context was
// stretched (`rope_scaling`). Everything is computed in double on the host (a GPU's sin is off by 2e-4 at large angles), so
// the kernels know tables alone, and a stretched model costs what a plain one does.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { ModelConfig, RopeScaling } from './types.ts';

const ROPE_TYPES = ['linear', 'llama3', 'yarn'] as const;

type Json = Record<string, unknown>;

/**
 * `rope_scaling` of a config.json (`rope_parameters` in newer ones) → what is needed of it; undefined for plain positions.
 * `maxPositions` stands for the original context where it is not given. Throws FormatError, naming the type or the value.
 */
export function parseRopeScaling(raw: unknown, maxPositions: number): RopeScaling | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (typeof raw !== 'object') throw refused(`is ${shown(raw)}`);
  const json = raw as Json;
  const type = json.rope_type ?? json.type;
  const positive = (key: string, fallback?: number): number => {
    const value = json[key] ?? fallback;
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
    throw refused(`of type ${shown(type)} has "${key}" ${shown(value)}, not a positive number`);
  };
  const original = () => positive('original_max_position_embeddings', maxPositions);
  if (type === undefined && Object.values(json).some((value) => typeof value === 'object' && value !== null))
    throw refused(`differs between layers (${Object.keys(json).join(', ').slice(0, 80)})`);
  if (type === 'default' || (type === undefined && json.factor === undefined)) return undefined;
  if (type === 'linear') return { type, factor: positive('factor') };
  if (type === 'llama3') {
    const scaling = {
      type,
      factor: positive('factor'),
      lowFreqFactor: positive('low_freq_factor'),
      highFreqFactor: positive('high_freq_factor'),
      originalPositions: positive('original_max_position_embeddings'),
    } as const;
    if (scaling.highFreqFactor > scaling.lowFreqFactor) return scaling;
    throw refused(
      `has high_freq_factor ${scaling.highFreqFactor}, which is not above low_freq_factor ${scaling.lowFreqFactor}`,
    );
  }
  if (type === 'yarn') {
    // An explicit factor wins over the ratio of the two contexts, as in transformers 5 and vLLM.
    const factor = positive('factor', maxPositions / original());
    const mscale = (m: number) => (factor <= 1 ? 1 : 0.1 * m * Math.log(factor) + 1);
    const both = json.mscale && json.mscale_all_dim;
    const fallback = both ? mscale(positive('mscale')) / mscale(positive('mscale_all_dim')) : mscale(1);
    return {
      type,
      factor,
      originalPositions: original(),
      betaFast: positive('beta_fast', 32),
      betaSlow: positive('beta_slow', 1),
      attentionFactor: positive('attention_factor', fallback),
      truncate: json.truncate !== false,
    };
  }
  throw refused(`type ${shown(type)} is not supported`);
}

/** A value of the file in a message. */
export const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 80);

function refused(what: string): FormatError {
  return new FormatError(
    `config.json: rope_scaling ${what}`,
    `Use a model with plain rotary positions, or with rope_scaling of type ${ROPE_TYPES.join(', ')}.`,
  );
}

/** The inverse of parseRopeScaling. */
export function ropeScalingToJson(scaling: RopeScaling): Json {
  const { type: rope_type, factor } = scaling;
  if (scaling.type === 'linear') return { rope_type, factor };
  const original_max_position_embeddings = scaling.originalPositions;
  if (scaling.type === 'llama3') {
    const { lowFreqFactor: low_freq_factor, highFreqFactor: high_freq_factor } = scaling;
    return { rope_type, factor, low_freq_factor, high_freq_factor, original_max_position_embeddings };
  }
  const { betaFast: beta_fast, betaSlow: beta_slow, attentionFactor: attention_factor, truncate } = scaling;
  return { rope_type, factor, original_max_position_embeddings, beta_fast, beta_slow, attention_factor, truncate };
}

/** Radians per position of each pair of dimensions, [headDim/2]. */
export function inverseFrequencies({ headDim, ropeTheta, ropeScaling }: ModelConfig): Float64Array {
  const half = headDim / 2;
  const plain = Float64Array.from({ length: half }, (_, i) => ropeTheta ** (-i / half));
  if (!ropeScaling) return plain;
  const { factor } = ropeScaling;
  switch (ropeScaling.type) {
    case 'linear':
      return plain.map((frequency) => frequency / factor);
    case 'llama3':
      return plain.map((frequency) => frequency * llama3Share(frequency, ropeScaling));
    case 'yarn': {
      const [low, high] = yarnRange(headDim, ropeTheta, ropeScaling);
      // Between the two the dimensions pass from their own frequency to the stretched one (arXiv 2309.00071, eq. 20–23).
      return plain.map((frequency, i) => {
        const stretched = Math.min(1, Math.max(0, (i - low) / (high - low)));
        return frequency * (1 - stretched + stretched / factor);
      });
    }
  }
}

/** Llama 3.1: short waves stay, waves longer than the original context are stretched whole, those between in part. */
function llama3Share(frequency: number, scaling: RopeScaling & { type: 'llama3' }): number {
  const { factor, lowFreqFactor: low, highFreqFactor: high, originalPositions } = scaling;
  const turns = (originalPositions * frequency) / (2 * Math.PI);
  const kept = Math.min(1, Math.max(0, (turns - low) / (high - low)));
  return kept + (1 - kept) / factor;
}

/** The dimensions (pairs) that turn betaFast and betaSlow times over the original context: the ramp lies between them. */
function yarnRange(headDim: number, theta: number, scaling: RopeScaling & { type: 'yarn' }): [number, number] {
  const { originalPositions, betaFast, betaSlow, truncate } = scaling;
  const pairOf = (turns: number) =>
    (headDim * Math.log(originalPositions / (2 * Math.PI * turns))) / (2 * Math.log(theta));
  const [fast, slow] = [pairOf(betaFast), pairOf(betaSlow)];
  const low = Math.max(0, truncate ? Math.floor(fast) : fast);
  // headDim − 1, though there are only headDim/2 pairs: so do the paper's authors, and so were the models trained.
  const high = Math.min(headDim - 1, truncate ? Math.ceil(slow) : slow);
  return [low, high === low ? low + 0.001 : high];
}

/** cos and sin of every position's angles, [maxPositions, headDim/2]; with yarn's factor on the attention, they carry it. */
export function ropeTables(config: ModelConfig): { cos: Float64Array; sin: Float64Array } {
  const { maxPositions, headDim, ropeScaling } = config;
  const half = headDim / 2;
  // Hugging Face computes these in float32; the reference fixtures in float64. They agree to 1e-7 relative.
  const frequencies = inverseFrequencies(config);
  const length = ropeScaling?.type === 'yarn' ? ropeScaling.attentionFactor : 1;
  const cos = new Float64Array(maxPositions * half);
  const sin = new Float64Array(maxPositions * half);
  for (let p = 0; p < maxPositions; p++) {
    for (let i = 0; i < half; i++) {
      const angle = p * frequencies[i];
      cos[p * half + i] = Math.cos(angle) * length;
      sin[p * half + i] = Math.sin(angle) * length;
    }
  }
  return { cos, sin };
}
