// Reads and checks a model's shape from Hugging Face's config.json. weight-names.ts has the weights that it implies, adapter-layout.ts the
// adapter parameters.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { PARTIAL_FACTOR, parseRope, ropeScalingToJson, shown } from './rope.ts';
import type { ModelConfig } from './types.ts';

const ARCHITECTURES: Record<string, ModelConfig['architecture']> = {
  qwen3: 'qwen3',
  qwen2: 'qwen2',
  llama: 'llama',
  qwen3_5_text: 'qwen3_5_text',
};

type Json = Record<string, unknown>;

function positive(json: Json, key: string, fallback?: number): number {
  const value = json[key] ?? fallback;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw new FormatError(
      `config.json: "${key}" is ${shown(value)}, a positive number was expected`,
      'Check that the file is a Qwen2, Qwen3, Qwen3.5 or Llama config.json as Hugging Face writes it.',
    );
  }
  return value;
}

/** Upper limits: several times what any model of these architectures has, but low enough that the list of weights implied by a config
 *  stays small. */
export const CONFIG_LIMITS: Readonly<Record<string, number>> = {
  hidden_size: 2 ** 17,
  num_hidden_layers: 1024,
  num_attention_heads: 4096,
  num_key_value_heads: 4096,
  head_dim: 2 ** 14,
  intermediate_size: 2 ** 20,
  vocab_size: 2 ** 22,
  max_position_embeddings: 2 ** 24,
  linear_num_key_heads: 4096,
  linear_num_value_heads: 4096,
  linear_key_head_dim: 2 ** 14,
  linear_value_head_dim: 2 ** 14,
  linear_conv_kernel_dim: 256,
  full_attention_interval: 1024,
};

/** Reads a whole number from 1 to its limit. Throws FormatError. */
export function count(json: Json, key: string, fallback?: number): number {
  const value = positive(json, key, fallback);
  const most = CONFIG_LIMITS[key];
  if (value > most)
    throw new FormatError(
      `config.json: "${key}" is ${value}, more than the ${most} that are read`,
      'Check the file: no dense model of these architectures has as many.',
    );
  if (Number.isSafeInteger(value)) return value;
  throw new FormatError(
    `config.json: "${key}" is ${value}, a whole number was expected`,
    'Check that the file is a Qwen2, Qwen3, Qwen3.5 or Llama config.json as Hugging Face writes it.',
  );
}

/** The config, and one sentence for each field that is ignored. */
export interface ConfigReading {
  config: ModelConfig;
  notes: readonly string[];
}

/** The architecture that a config.json names. Throws FormatError for an unsupported one, and for anything that is not a config. */
export function architectureOf(raw: unknown): ModelConfig['architecture'] {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw new FormatError(`config.json holds ${shown(raw)}, not an object`, 'Give a Hugging Face config.json.');
  }
  const json = raw as Json;
  const known = Object.hasOwn(ARCHITECTURES, String(json.model_type));
  if (!known) {
    const classes = Array.isArray(json.architectures) ? ` (${json.architectures.join(', ').slice(0, 80)})` : '';
    throw new FormatError(
      `config.json: model_type ${shown(json.model_type)}${classes} is not supported.`,
      `Use a dense model of one of: ${Object.keys(ARCHITECTURES).join(', ')}.`,
    );
  }
  return ARCHITECTURES[String(json.model_type)];
}

/**
 * Reads the shape, without checking the other fields (config-reading.ts does that first). Throws FormatError for counts and positions
 * that the engine does not support.
 */
export function shapeOf(raw: unknown): ConfigReading {
  const architecture = architectureOf(raw);
  const json = raw as Json;
  const maxPositions = count(json, 'max_position_embeddings', 2048);
  const rope = parseRope(json, maxPositions);
  const tied = json.tie_word_embeddings ?? false;
  if (typeof tied !== 'boolean')
    throw new FormatError(
      `config.json: tie_word_embeddings is ${shown(tied)}, not true or false.`,
      'Write true where the head is the embedding, else false.',
    );

  const hiddenSize = count(json, 'hidden_size');
  const heads = count(json, 'num_attention_heads');
  const config: ModelConfig = {
    architecture,
    hiddenSize,
    layers: count(json, 'num_hidden_layers'),
    heads,
    kvHeads: count(json, 'num_key_value_heads', heads),
    headDim: count(json, 'head_dim', hiddenSize / heads),
    ffn: count(json, 'intermediate_size'),
    vocab: count(json, 'vocab_size'),
    ropeTheta: positive({ rope_theta: rope.theta }, 'rope_theta'),
    rmsEps: positive(json, 'rms_norm_eps', 1e-6),
    tied,
    qkvBias: architecture === 'qwen2',
    qkNorm: architecture === 'qwen3' || architecture === 'qwen3_5_text',
    maxPositions,
    ...(rope.scaling ? { ropeScaling: rope.scaling } : {}),
  };
  if (config.heads % config.kvHeads !== 0) {
    throw new FormatError(
      `config.json: ${config.heads} attention heads cannot share ${config.kvHeads} key/value heads evenly`,
      'num_attention_heads must be a multiple of num_key_value_heads.',
    );
  }
  if (config.headDim % 2 !== 0) {
    throw new FormatError(
      `config.json: head_dim ${config.headDim} is not even`,
      'Rotary positions need an even head_dim.',
    );
  }
  return { config, notes: rope.notes };
}

const CLASSES = {
  qwen3: 'Qwen3ForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  llama: 'LlamaForCausalLM',
  qwen3_5_text: 'Qwen3_5ForCausalLM',
} as const;
/** Name of the transformers class that computes an architecture. */
export const className = (architecture: ModelConfig['architecture']): string => CLASSES[architecture];

const ACTIVATION = 'silu';

/** Fields of the lab's own models: those of `configToJson` without RoPE scaling and Qwen3.5's, and torch_dtype. */
export const OWN_FIELDS: readonly string[] = [
  ...['architectures', 'model_type', 'hidden_size', 'num_hidden_layers', 'num_attention_heads', 'num_key_value_heads'],
  ...['head_dim', 'intermediate_size', 'vocab_size', 'rope_theta', 'rms_norm_eps', 'tie_word_embeddings', 'hidden_act'],
  ...['max_position_embeddings', 'torch_dtype'],
];

/** Whether a config.json has only these fields, with values that are neither refused nor noted, so that `shapeOf` suffices. */
export function isOwnConfig(raw: unknown): boolean {
  if (typeof raw !== 'object' || raw === null) return false;
  const { model_type, architectures, hidden_act } = raw as Json;
  const named = Object.hasOwn(ARCHITECTURES, String(model_type)) && className(ARCHITECTURES[String(model_type)]);
  return (
    Object.keys(raw).every((name) => OWN_FIELDS.includes(name)) &&
    hidden_act === ACTIVATION &&
    model_type !== 'qwen3_5_text' &&
    Array.isArray(architectures) &&
    architectures.length === 1 &&
    architectures[0] === named
  );
}

/** The inverse of shapeOf, in Hugging Face's format. */
export function configToJson(config: ModelConfig): Json {
  return {
    architectures: [className(config.architecture)],
    model_type: config.architecture,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    intermediate_size: config.ffn,
    vocab_size: config.vocab,
    rope_theta: config.ropeTheta,
    rms_norm_eps: config.rmsEps,
    tie_word_embeddings: config.tied,
    hidden_act: ACTIVATION,
    max_position_embeddings: config.maxPositions,
    ...(config.ropeScaling ? { rope_scaling: ropeScalingToJson(config.ropeScaling) } : {}),
    ...hybridToJson(config),
  };
}

/** The additional fields of a hybrid model (hybrid-config.ts). */
function hybridToJson({ layerTypes, delta, rotaryDim, headDim }: ModelConfig): Json {
  if (!layerTypes || !delta) return {};
  return {
    layer_types: layerTypes,
    linear_num_key_heads: delta.keyHeads,
    linear_num_value_heads: delta.valueHeads,
    linear_key_head_dim: delta.keyDim,
    linear_value_head_dim: delta.valueDim,
    linear_conv_kernel_dim: delta.convWidth,
    attn_output_gate: true,
    [PARTIAL_FACTOR]: (rotaryDim ?? headDim) / headDim,
  };
}
