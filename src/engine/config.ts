// A model's shape: read from Hugging Face's config.json, checked, and turned into the list of weights and knobs it implies.
import { FormatError } from '../lib/errors.ts';
import { parseRopeScaling, ropeScalingToJson } from './rope.ts';
import type { AdapterSettings, BareWeight, KnobLayout, KnobModule, ModelConfig } from './types.ts';

const ARCHITECTURES: Record<string, ModelConfig['architecture']> = { qwen3: 'qwen3', qwen2: 'qwen2', llama: 'llama' };

type Json = Record<string, unknown>;

/** A value of the file in a message. */
const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 80);

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
  for (const [key, idle] of Object.entries(PLAIN)) {
    const value = json[key] ?? undefined;
    if (value !== undefined && !idle.includes(value)) throw refuse(`${key} ${shown(value)}`);
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

export type LinearRole = 'q_proj' | 'k_proj' | 'v_proj' | 'o_proj' | 'gate_proj' | 'up_proj' | 'down_proj';
export const LINEARS: readonly LinearRole[] = [
  'q_proj',
  'k_proj',
  'v_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
];

/** [dOut, dIn] of a Linear. */
export function linearShape(config: ModelConfig, role: LinearRole): readonly [number, number] {
  const { hiddenSize, heads, kvHeads, headDim, ffn } = config;
  switch (role) {
    case 'q_proj':
      return [heads * headDim, hiddenSize];
    case 'k_proj':
    case 'v_proj':
      return [kvHeads * headDim, hiddenSize];
    case 'o_proj':
      return [hiddenSize, heads * headDim];
    case 'gate_proj':
    case 'up_proj':
      return [ffn, hiddenSize];
    case 'down_proj':
      return [hiddenSize, ffn];
  }
}

/** `model.layers.3.mlp.up_proj` */
export function moduleName(layer: number, role: LinearRole): string {
  const block = role === 'gate_proj' || role === 'up_proj' || role === 'down_proj' ? 'mlp' : 'self_attn';
  return `model.layers.${layer}.${block}.${role}`;
}

/** Every Linear's knob, end to end, in layer order and LINEARS order. */
export function knobLayout(config: ModelConfig, settings?: AdapterSettings): KnobLayout {
  const linears = Array.from({ length: config.layers }, (_, layer) =>
    LINEARS.map((role) => {
      const [dOut, dIn] = linearShape(config, role);
      return { name: moduleName(layer, role), dOut, dIn };
    }),
  );
  const carriers = new Set(linears.flat().map(({ name }) => `${name}.weight`));
  const bare = [...weightShapes(config)].flatMap(([name, [dOut, dIn = 1]]) =>
    carriers.has(name) ? [] : [{ name: name.replace(/\.weight$/, ''), dOut, dIn }],
  );
  return layKnobs(linears.flat(), settings, bare);
}

/** The knobs of these Linears under this adapter (svd where it is left out); under `full` those of the other weights follow. */
export function layKnobs(
  linears: readonly Pick<KnobModule, 'name' | 'dOut' | 'dIn'>[],
  settings?: AdapterSettings,
  bare: readonly BareWeight[] = [],
): KnobLayout {
  const adapter = settings?.adapter ?? 'svd';
  const modules: KnobModule[] = [];
  let offset = 0;
  for (const { name, dOut, dIn } of adapter === 'full' ? [...linears, ...bare] : linears) {
    const directions = Math.min(dOut, dIn);
    const at = { name, offset, dOut, dIn };
    const rank = Math.min(directions, settings?.loraRank ?? 0);
    if (adapter === 'full') modules.push({ ...at, r: dOut * dIn, whole: true });
    else if (adapter === 'lora') modules.push({ ...at, r: rank * (dIn + dOut), rank });
    else modules.push({ ...at, r: directions });
    offset += modules[modules.length - 1].r;
  }
  return { modules, total: offset, ...(adapter !== 'full' && bare.length > 0 && { bare }) };
}

/** Another adapter's layout of the same model. */
export function layoutOf({ modules, bare }: KnobLayout, settings: AdapterSettings): KnobLayout {
  const isLinear = ({ name }: KnobModule) => LINEARS.some((role) => name.endsWith(`.${role}`));
  const others = modules.filter((module) => !isLinear(module)).map(({ name, dOut, dIn }) => ({ name, dOut, dIn }));
  return layKnobs(modules.filter(isLinear), settings, bare ?? others);
}

/** The name of a knob module's weight, as files have it. */
export const weightOf = ({ name }: Pick<KnobModule, 'name'>): string =>
  name.endsWith('.bias') ? name : `${name}.weight`;

/** A LoRA module's rank, and where its halves lie in a knob vector of the whole model. */
export function loraParts({ offset, r, dIn, rank = 0 }: KnobModule): {
  rank: number;
  a: readonly [from: number, to: number];
  b: readonly [from: number, to: number];
} {
  const middle = offset + rank * dIn;
  return { rank, a: [offset, middle], b: [middle, offset + r] };
}

/** The settings that `layKnobs` would have made this layout from (or settings that make the same one). */
export function adapterOf({ modules }: KnobLayout): AdapterSettings {
  if (modules.some(({ whole }) => whole)) return { adapter: 'full', loraRank: 0 };
  const loraRank = Math.max(0, ...modules.map(({ rank = 0 }) => rank));
  return { adapter: loraRank > 0 ? 'lora' : 'svd', loraRank };
}

/** `a LoRA of rank 32`, `singular directions`. */
export function describeAdapter({ adapter, loraRank }: AdapterSettings): string {
  if (adapter === 'full') return 'all weights';
  return adapter === 'lora' ? `a LoRA of rank ${loraRank}` : 'singular directions';
}

export const EMBEDDING = 'model.embed_tokens.weight';
export const HEAD = 'lm_head.weight';

/** Whether a weight is a table along the vocabulary (vocab-table.ts). */
export function isVocab(name: string): boolean {
  return name === EMBEDDING || name === HEAD;
}

/** Every weight that the model must have, by Hugging Face name, with its shape. */
export function weightShapes(config: ModelConfig): Map<string, readonly number[]> {
  const shapes = new Map<string, readonly number[]>();
  const d = config.hiddenSize;
  shapes.set(EMBEDDING, [config.vocab, d]);
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}`;
    shapes.set(`${prefix}.input_layernorm.weight`, [d]);
    for (const role of LINEARS) {
      const shape = linearShape(config, role);
      shapes.set(`${moduleName(layer, role)}.weight`, shape);
      if (config.qkvBias && (role === 'q_proj' || role === 'k_proj' || role === 'v_proj')) {
        shapes.set(`${moduleName(layer, role)}.bias`, [shape[0]]);
      }
    }
    if (config.qkNorm) {
      shapes.set(`${prefix}.self_attn.q_norm.weight`, [config.headDim]);
      shapes.set(`${prefix}.self_attn.k_norm.weight`, [config.headDim]);
    }
    shapes.set(`${prefix}.post_attention_layernorm.weight`, [d]);
  }
  shapes.set('model.norm.weight', [d]);
  if (!config.tied) shapes.set(HEAD, [config.vocab, d]);
  return shapes;
}
