// RoPE: the cos/sin tables that rotate queries and keys, and the variants that extend a model's context (`rope_scaling`).
// Everything is computed in double precision on the host (a GPU's sin is off by 2e-4 at large angles), so kernels need
// only the tables, and scaling costs nothing extra.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { rotaryDim } from './layer-types.ts';
import type { ModelConfig, RopeScaling } from './types.ts';

const ROPE_TYPES = ['linear', 'llama3', 'yarn'] as const;

type Json = Record<string, unknown>;

/** Field with the rotated share of a head; below 1 only for Qwen3.5. */
export const PARTIAL_FACTOR = 'partial_rotary_factor';
const DEFAULT_THETA = 10000;

/** True for what Python treats as an absent object. */
const isEmpty = (value: unknown): boolean =>
  !value || (typeof value === 'object' && Object.keys(value as object).length === 0);

/** RoPE settings as transformers 5 reads them, and notes on ignored fields. */
export interface Rope {
  theta: unknown;
  scaling?: RopeScaling;
  notes: string[];
}

/**
 * Reads `rope_scaling or rope_parameters`, and the theta inside that object or else beside it (default 10000). Yarn's
 * original context is `maxPositions` by default. Throws FormatError, naming the object and the value.
 */
export function parseRope(config: Json, maxPositions: number): Rope {
  const { rope_scaling, rope_parameters, rope_theta } = config;
  for (const [name, raw] of Object.entries({ rope_scaling, rope_parameters })) checkPartial(raw, name);
  const name = isEmpty(rope_scaling) ? 'rope_parameters' : 'rope_scaling';
  const raw = config[name];
  const notes: string[] = [];
  if (isEmpty(raw)) return { theta: rope_theta ?? DEFAULT_THETA, notes };
  if (name === 'rope_scaling' && !isEmpty(rope_parameters) && !sameJson(rope_scaling, rope_parameters))
    notes.push(
      `config.json: rope_scaling ${shown(rope_scaling)} is read, as in transformers 5; rope_parameters ${shown(rope_parameters)} is left out.`,
    );
  const scaling = parseRopeScaling(raw, maxPositions, name, config.original_max_position_embeddings);
  const { rope_theta: within, rope_type, type } = raw as Json;
  if (within != null && rope_theta != null && within !== rope_theta)
    notes.push(
      `config.json: rope_theta is ${shown(rope_theta)}, and ${shown(within)} within ${name}; the one within is read, as in transformers 5.`,
    );
  if (rope_type != null && type != null && rope_type !== type)
    notes.push(`config.json: ${name} has rope_type ${shown(rope_type)} and type ${shown(type)}; rope_type is read.`);
  const read = READ_BY[scaling?.type ?? 'default'];
  const unread = Object.keys(raw as Json).filter((key) => !ALWAYS_READ.includes(key) && !read.includes(key));
  if (unread.length > 0)
    notes.push(
      `config.json: ${name} of type ${scaling?.type ?? 'default'} does not read ${shown(unread.slice(0, 8))}, which it has.`,
    );
  return { theta: within ?? rope_theta ?? DEFAULT_THETA, ...(scaling ? { scaling } : {}), notes };
}

const ALWAYS_READ: readonly string[] = ['rope_type', 'type', 'rope_theta', PARTIAL_FACTOR];
const READ_BY: Readonly<Record<RopeScaling['type'] | 'default', readonly string[]>> = {
  default: [],
  linear: ['factor'],
  llama3: ['factor', 'low_freq_factor', 'high_freq_factor', 'original_max_position_embeddings'],
  yarn: [
    ...['factor', 'original_max_position_embeddings', 'beta_fast', 'beta_slow', 'attention_factor'],
    ...['mscale', 'mscale_all_dim', 'truncate'],
  ],
};

const sameJson = (a: unknown, b: unknown): boolean => {
  const sorted = (value: unknown) =>
    JSON.stringify(value, (_, held) =>
      held && typeof held === 'object' && !Array.isArray(held)
        ? Object.fromEntries(Object.entries(held).sort(([x], [y]) => (x < y ? -1 : 1)))
        : held,
    );
  return sorted(a) === sorted(b);
};

/** Throws FormatError if the object, or one nested in it for a layer type, rotates only a part of each head. */
function checkPartial(raw: unknown, name: string): void {
  const open = [raw];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const factor = (value as Json)[PARTIAL_FACTOR] ?? 1;
    if (factor !== 1) throw refused(name, `has ${PARTIAL_FACTOR} ${shown(factor)}; only 1 is supported`);
    for (const held of Object.values(value)) open.push(held);
  }
}

function parseRopeScaling(
  raw: unknown,
  maxPositions: number,
  name: string,
  originalBeside: unknown,
): RopeScaling | undefined {
  if (typeof raw !== 'object' || Array.isArray(raw)) throw refused(name, `is ${shown(raw)}`);
  const json: Json = { ...(raw as Json) };
  if (originalBeside != null) {
    const within = json.original_max_position_embeddings ?? originalBeside;
    if (within !== originalBeside)
      throw refused(
        name,
        `has original_max_position_embeddings ${shown(within)}, and config.json ${shown(originalBeside)} beside it`,
      );
    json.original_max_position_embeddings = originalBeside;
  }
  const type = json.rope_type ?? json.type;
  const positive = (key: string, fallback?: number): number => {
    const value = json[key] ?? fallback;
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
    throw refused(name, `of type ${shown(type)} has "${key}" ${shown(value)}, not a positive number`);
  };
  const original = () => positive('original_max_position_embeddings', maxPositions);
  if (type === undefined && Object.values(json).some((value) => typeof value === 'object' && value !== null))
    throw refused(name, `differs between layers (${Object.keys(json).join(', ').slice(0, 80)})`);
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
      name,
      `has high_freq_factor ${scaling.highFreqFactor}, which is not above low_freq_factor ${scaling.lowFreqFactor}`,
    );
  }
  if (type === 'yarn') {
    // An explicit factor wins over the ratio of the two contexts, as in transformers 5 and vLLM.
    const factor = positive('factor', maxPositions / original());
    const mscale = (m: number) => (factor <= 1 ? 1 : 0.1 * m * Math.log(factor) + 1);
    const both = json.mscale && json.mscale_all_dim;
    const fallback = both ? mscale(positive('mscale')) / mscale(positive('mscale_all_dim')) : mscale(1);
    const truncate = json.truncate ?? true;
    if (typeof truncate !== 'boolean') throw refused(name, `has truncate ${shown(truncate)}, not true or false`);
    return {
      type,
      factor,
      originalPositions: original(),
      betaFast: positive('beta_fast', 32),
      betaSlow: positive('beta_slow', 1),
      attentionFactor: positive('attention_factor', fallback),
      truncate,
    };
  }
  throw refused(name, `type ${shown(type)} is not supported`);
}

/** A value of the file, shortened for a message. */
export const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 80);

function refused(name: string, what: string): FormatError {
  return new FormatError(
    `config.json: ${name} ${what}.`,
    `Use a model with plain rotary positions, or with rope_scaling of type ${ROPE_TYPES.join(', ')}.`,
  );
}

/** The inverse of parseRope, for a model with scaled RoPE. */
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

/** Radians per position of each pair of dimensions, [rotaryDim/2]. */
export function inverseFrequencies(config: ModelConfig): Float64Array {
  const { ropeTheta, ropeScaling } = config;
  const turned = rotaryDim(config);
  const half = turned / 2;
  const plain = Float64Array.from({ length: half }, (_, i) => ropeTheta ** (-i / half));
  if (!ropeScaling) return plain;
  const { factor } = ropeScaling;
  switch (ropeScaling.type) {
    case 'linear':
      return plain.map((frequency) => frequency / factor);
    case 'llama3':
      return plain.map((frequency) => frequency * llama3Share(frequency, ropeScaling));
    case 'yarn': {
      const [low, high] = yarnRange(turned, ropeTheta, ropeScaling);
      // Between low and high, the frequency is interpolated between the original and the scaled one (arXiv 2309.00071, eq. 20–23).
      return plain.map((frequency, i) => {
        const stretched = Math.min(1, Math.max(0, (i - low) / (high - low)));
        return frequency * (1 - stretched + stretched / factor);
      });
    }
  }
}

/** Llama 3.1: short wavelengths stay, long ones are scaled by 1/factor, those between are interpolated. */
function llama3Share(frequency: number, scaling: RopeScaling & { type: 'llama3' }): number {
  const { factor, lowFreqFactor: low, highFreqFactor: high, originalPositions } = scaling;
  const turns = (originalPositions * frequency) / (2 * Math.PI);
  const kept = Math.min(1, Math.max(0, (turns - low) / (high - low)));
  return kept + (1 - kept) / factor;
}

/** The dimensions (pairs) that make betaFast and betaSlow rotations over the original context; the ramp lies between them. */
function yarnRange(turned: number, theta: number, scaling: RopeScaling & { type: 'yarn' }): [number, number] {
  const { originalPositions, betaFast, betaSlow, truncate } = scaling;
  const pairOf = (turns: number) =>
    (turned * Math.log(originalPositions / (2 * Math.PI * turns))) / (2 * Math.log(theta));
  const [fast, slow] = [pairOf(betaFast), pairOf(betaSlow)];
  const low = Math.max(0, truncate ? Math.floor(fast) : fast);
  // The limit is turned − 1 although there are only turned/2 pairs, as in the authors' code, with which models were trained.
  const high = Math.min(turned - 1, truncate ? Math.ceil(slow) : slow);
  return [low, high === low ? low + 0.001 : high];
}

/** cos and sin of every position's angles, [maxPositions, rotaryDim/2], multiplied by yarn's attention factor if there is one. */
export function ropeTables(config: ModelConfig): { cos: Float64Array; sin: Float64Array } {
  const { maxPositions, ropeScaling } = config;
  const half = rotaryDim(config) / 2;
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
