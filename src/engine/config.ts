// A model's shape, read from Hugging Face's config.json and checked. The weights that it implies: weight-names.ts; its adapter parameters: adapter-layout.ts.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseRopeScaling, ropeScalingToJson, shown } from './rope.ts';
import type { ModelConfig } from './types.ts';

const ARCHITECTURES: Record<string, ModelConfig['architecture']> = { qwen3: 'qwen3', qwen2: 'qwen2', llama: 'llama' };

type Json = Record<string, unknown>;

function positive(json: Json, key: string, fallback?: number): number {
  const value = json[key] ?? fallback;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw new FormatError(
      `config.json: "${key}" is ${shown(value)}, a positive number was expected`,
      'Check that the file is a Qwen2, Qwen3 or Llama config.json as Hugging Face writes it.',
    );
  }
  return value;
}

/** The most of each: several times what any model of these architectures has, and little enough that the list of weights which a
 *  config implies, made before a file of weights is looked at, stays small. */
export const CONFIG_LIMITS: Readonly<Record<string, number>> = {
  hidden_size: 2 ** 17,
  num_hidden_layers: 1024,
  num_attention_heads: 4096,
  num_key_value_heads: 4096,
  head_dim: 2 ** 14,
  intermediate_size: 2 ** 20,
  vocab_size: 2 ** 22,
  max_position_embeddings: 2 ** 24,
};

function count(json: Json, key: string, fallback?: number): number {
  const value = positive(json, key, fallback);
  const most = CONFIG_LIMITS[key];
  if (value > most)
    throw new FormatError(
      `config.json: "${key}" is ${value}, more than the ${most} that are read`,
      'Check the file: no dense Qwen2, Qwen3 or Llama has as many.',
    );
  if (Number.isSafeInteger(value)) return value;
  throw new FormatError(
    `config.json: "${key}" is ${value}, a whole number was expected`,
    'Check that the file is a Qwen2, Qwen3 or Llama config.json as Hugging Face writes it.',
  );
}

/** Settings that change what a model computes in ways that this engine does not know, each with the values at which it
 *  changes nothing. Absent and null are always among them. */
const PLAIN: Readonly<Record<string, readonly unknown[]>> = {
  hidden_act: ['silu', 'swish'],
  use_sliding_window: [false],
  mlp_bias: [false],
  partial_rotary_factor: [1],
  attn_logit_softcapping: [],
  final_logit_softcapping: [],
  query_pre_attn_scalar: [],
  logit_scale: [1],
  embedding_multiplier: [1],
  residual_multiplier: [1],
  attention_multiplier: [],
  clip_qkv: [],
  dual_chunk_attention_config: [],
  attention_chunk_size: [],
  use_qk_norm: [false],
  qk_layernorm: [false],
  num_experts: [0],
  num_local_experts: [0, 1],
  quantization_config: [],
  is_encoder_decoder: [false],
};

function refuse(what: string): FormatError {
  return new FormatError(
    `config.json: ${what} is not supported.`,
    'Use a dense, unquantised SwiGLU model with full attention and plain or stretched rotary positions.',
  );
}

/** Refuses what would be computed otherwise than the model was trained. */
function checkPlain(json: Json, architecture: ModelConfig['architecture']): void {
  for (const [key, neutral] of Object.entries(PLAIN)) {
    const value = json[key] ?? undefined;
    if (value !== undefined && !neutral.includes(value)) throw refuse(`${key} ${shown(value)}`);
  }
  if (json.attention_bias === true && architecture !== 'qwen2') throw refuse('attention_bias true');
  // Qwen names a window that use_sliding_window switches on; a Llama with one is a Mistral.
  if (architecture === 'llama' && typeof json.sliding_window === 'number')
    throw refuse(`sliding_window ${json.sliding_window}`);
  const types = Array.isArray(json.layer_types) ? json.layer_types : [];
  const other = types.find((type) => type !== 'full_attention');
  if (other !== undefined) throw refuse(`layer type ${shown(other)}`);
}

/** Throws FormatError for anything the engine cannot run faithfully, naming what was found. */
export function parseConfig(raw: unknown): ModelConfig {
  if (typeof raw !== 'object' || raw === null) {
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
  const architecture = ARCHITECTURES[String(json.model_type)];
  checkPlain(json, architecture);
  // transformers 5 keeps theta and the scaling in one object.
  const parameters = (json.rope_parameters ?? {}) as Json;
  const maxPositions = count(json, 'max_position_embeddings', 2048);
  const ropeScaling = parseRopeScaling(json.rope_scaling ?? json.rope_parameters, maxPositions);

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
    ropeTheta: positive({ rope_theta: json.rope_theta ?? parameters.rope_theta }, 'rope_theta', 10000),
    rmsEps: positive(json, 'rms_norm_eps', 1e-6),
    tied: json.tie_word_embeddings === true,
    qkvBias: architecture === 'qwen2',
    qkNorm: architecture === 'qwen3',
    maxPositions,
    ...(ropeScaling ? { ropeScaling } : {}),
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
  return config;
}

/** The inverse of parseConfig, as Hugging Face writes it. */
export function configToJson(config: ModelConfig): Json {
  const name = { qwen3: 'Qwen3ForCausalLM', qwen2: 'Qwen2ForCausalLM', llama: 'LlamaForCausalLM' }[config.architecture];
  return {
    architectures: [name],
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
    hidden_act: 'silu',
    max_position_embeddings: config.maxPositions,
    ...(config.ropeScaling ? { rope_scaling: ropeScalingToJson(config.ropeScaling) } : {}),
  };
}
