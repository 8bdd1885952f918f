// The lab's treatment of each field of a config.json of Qwen2, Qwen3, Qwen3.5 or Llama, as transformers 4 and 5 write
// it. The loader's checks and warnings (config-reading.ts), `lab doctor` and docs/reference/models.md are derived from
// this table. A field is used, without effect here, or refused at every value that would change the computation. A field
// that is not in the table is named in a warning.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { className } from './config.ts';
import { HYBRID, layerTypesProblem } from './hybrid-config.ts';
import { PARTIAL_FACTOR, shown } from './rope.ts';
import type { ModelConfig } from './types.ts';

type Json = Readonly<Record<string, unknown>>;
type Architecture = ModelConfig['architecture'];

export type FieldEffect = 'used' | 'without effect' | 'refused';

export interface ConfigField {
  effect: FieldEffect;
  /** What a used field is for, why one has no effect, or what another value of a refused one would change. */
  why: string;
  /** Values at which a refused field changes nothing and is accepted. Absent and null are always accepted. */
  plain?: readonly unknown[];
  /** Describes what passes `check`. */
  taken?: string;
  /** Replaces `plain`: describes what is wrong with a value, or returns null if it changes nothing. */
  check?: (value: unknown, config: Json) => string | null;
  /** The architectures that read the field; in others it has no effect. */
  only?: readonly Architecture[];
  /** What Qwen3.5 uses a field for that is refused in other architectures. */
  hybrid?: string;
}

const used = (why: string): ConfigField => ({ effect: 'used', why });
const usedByHybrid = (why: string): ConfigField => ({ effect: 'used', why, only: [HYBRID] });
const idle = (why: string): ConfigField => ({ effect: 'without effect', why });
const refused = (plain: readonly unknown[], why: string, only?: readonly Architecture[]): ConfigField => ({
  effect: 'refused',
  why,
  plain,
  ...(only ? { only } : {}),
});
/** The same entry for several fields. */
const each = (names: readonly string[], field: ConfigField): Record<string, ConfigField> =>
  Object.fromEntries(names.map((name) => [name, field]));

const TRAINING_ONLY = 'It acts in another program’s training alone: nothing is dropped out or initialised here.';
const OUTPUTS_ONLY = 'It says what a call of transformers returns.';
const SAMPLING = 'An older place for sampling settings: flags and generation_config.json decide.';
const HEAD_OF_CLASSES = 'It belongs to a classifier’s head, whose weights would be refused.';
const OTHER_MODEL = 'It belongs to another architecture, whose layers are computed otherwise.';
const IMAGES = 'It belongs to the part that reads images, which is left out.';
const FURTHER = 'It belongs to the layers that predict further tokens, which are left out.';
const EXPERTS = 'With experts, a token would go through some of several feed-forward blocks.';

/** Fields by name, in the order of the reference page. */
export const CONFIG_FIELDS: Readonly<Record<string, ConfigField>> = {
  // The shape.
  model_type: used('The architecture: qwen2, qwen3, llama, qwen3_5_text; qwen3_5 is the last one’s with images.'),
  architectures: used('Named in refusals; another class than the causal language model is named in a warning.'),
  hidden_size: used('Width of the residual stream.'),
  num_hidden_layers: used('Layers.'),
  num_attention_heads: used('Query heads.'),
  num_key_value_heads: used('Heads of keys and values; as many as query heads where absent.'),
  head_dim: used('Width of a head; hidden_size / num_attention_heads where absent.'),
  intermediate_size: used('Width of the feed-forward block.'),
  vocab_size: used('Rows of the embedding and of the head.'),
  max_position_embeddings: used('The longest text, tokens; 2048 where absent.'),
  rms_norm_eps: used('ε of the norms; 1e-6 where absent.'),
  tie_word_embeddings: used(
    'Whether the head is the embedding. A file with a head of its own that differs is read as untied, as transformers 5 reads it.',
  ),
  // Positions.
  rope_theta: used('Base of the rotary positions; 10000 where absent. One within the object below counts before it.'),
  rope_scaling: used('How positions are stretched: default, linear, llama3 or yarn. Empty, it counts as absent.'),
  rope_parameters: used('The same where transformers 5 writes it. Read where rope_scaling is absent or empty.'),
  original_max_position_embeddings: used(
    'The context before it was stretched; refused where the one within the object differs.',
  ),
  [PARTIAL_FACTOR]: {
    ...refused([1], 'Only a part of each head would be turned. Refused within the two objects too.'),
    hybrid: 'The part of each head that is turned; 0.25 where absent. One within the two objects counts before it.',
  },
  ...each(['mrope_section', 'mrope_interleaved'], idle('Of a text all rows of positions are equal.')),
  // Qwen3.5.
  text_config: usedByHybrid('The text part of a model of model_type qwen3_5: its fields count before those beside it.'),
  full_attention_interval: usedByHybrid('Every such-numbered layer is full attention where layer_types is absent; 4.'),
  linear_num_key_heads: usedByHybrid('Key heads of a linear layer.'),
  linear_num_value_heads: usedByHybrid('Value heads of a linear layer, a multiple of its key heads.'),
  linear_key_head_dim: usedByHybrid('Width of its queries and keys.'),
  linear_value_head_dim: usedByHybrid('Width of its values.'),
  linear_conv_kernel_dim: usedByHybrid('Tokens that its convolution sees.'),
  attn_output_gate: refused([true], 'q_proj would have no gates.', [HYBRID]),
  output_gate_type: refused(['swish'], 'The gate of a linear layer is computed with SiLU.', [HYBRID]),
  mlp_only_layers: {
    effect: 'refused',
    why: 'Other layers would have experts.',
    taken: '`[]`',
    check: (value) => (Array.isArray(value) && value.length === 0 ? null : shown(value)),
  },
  mamba_ssm_dtype: idle('States are float32.'),
  ...each(['mtp_num_hidden_layers', 'mtp_use_dedicated_embeddings'], idle(FURTHER)),
  ...each(['vision_config', 'image_token_id', 'video_token_id'], idle(IMAGES)),
  ...each(['vision_start_token_id', 'vision_end_token_id', 'language_model_only'], idle(IMAGES)),
  // Fields that change the computation.
  hidden_act: refused(['silu', 'swish'], 'The feed-forward block is computed with SiLU.'),
  hidden_activation: refused(['silu', 'swish'], 'The feed-forward block is computed with SiLU.'),
  is_causal: refused([true], 'Each token would see those after it.'),
  use_bidirectional_attention: refused([false], 'Each token would see those after it.'),
  layer_types: {
    effect: 'refused',
    why: 'Layers of another type would be computed otherwise.',
    taken: '`full_attention` for each layer',
    check: layerTypesProblem,
    hybrid: 'The mixer of each layer: `linear_attention` or `full_attention`.',
  },
  use_sliding_window: refused([false], 'Some layers would see the last tokens alone.'),
  sliding_window: {
    ...refused([], 'With a window, a Llama is a Mistral; Qwen’s acts with use_sliding_window alone.', ['llama']),
    taken: 'no number',
    check: (value) => (typeof value === 'number' ? shown(value) : null),
  },
  max_window_layers: idle('It acts with use_sliding_window alone.'),
  attention_bias: refused([false], 'Queries, keys, values and outputs would have biases.', ['qwen3', 'llama', HYBRID]),
  mlp_bias: refused([false], 'The feed-forward block would have biases.'),
  lm_head_bias: refused([false], 'The head would have a bias.'),
  use_qk_norm: refused([false], 'Queries and keys would be normalised otherwise than model_type says.'),
  qk_layernorm: refused([false], 'Queries and keys would be normalised otherwise than model_type says.'),
  ...each(
    ['attn_logit_softcapping', 'final_logit_softcapping', 'query_pre_attn_scalar', 'attention_multiplier', 'clip_qkv'],
    refused([], 'Scores or logits would be scaled or bounded.'),
  ),
  ...each(
    ['logit_scale', 'logits_scaling', 'embedding_multiplier', 'residual_multiplier'],
    refused([1], 'Logits, embeddings or residuals would be scaled.'),
  ),
  ...each(
    ['dual_chunk_attention_config', 'attention_chunk_size', 'no_rope_layers', 'no_rope_layer_interval'],
    refused([], OTHER_MODEL),
  ),
  ...each(['scale_emb', 'scale_depth', 'dim_model_base', 'kv_lora_rank', 'q_lora_rank'], refused([], OTHER_MODEL)),
  num_experts: refused([0], EXPERTS),
  num_local_experts: refused([0, 1], EXPERTS),
  n_routed_experts: refused([0], EXPERTS),
  use_moe: refused([false], EXPERTS),
  quantization_config: refused([], 'Weights would have to be unpacked.'),
  compression_config: refused([], 'Weights would have to be unpacked.'),
  is_encoder_decoder: refused([false], OTHER_MODEL),
  add_cross_attention: refused([false], OTHER_MODEL),
  pruned_heads: {
    effect: 'refused',
    why: 'Some heads would be missing.',
    taken: '`{}`',
    check: (value) => (Object.keys(Object(value)).length > 0 ? shown(value) : null),
  },
  // Special tokens and text.
  eos_token_id: used('What ends an answer, where generation_config.json is silent.'),
  bos_token_id: idle('What begins a text is named by the tokenizer’s files.'),
  pad_token_id: idle('Nothing is padded in a way that a model sees.'),
  sep_token_id: idle('Nothing here separates texts by it.'),
  decoder_start_token_id: idle('It belongs to models with an encoder.'),
  tokenizer_class: idle('tokenizer.json says how text becomes tokens.'),
  prefix: idle('A legacy text before prompts of pipelines; no model is called by one here.'),
  auto_map: idle('Names Python code of the model’s own, which is not run: the model is computed as its model_type.'),
  // Metadata of other programs.
  ...each(
    [
      '_name_or_path',
      'name_or_path',
      '_commit_hash',
      'transformers_version',
      'transformers.js_config',
      'unsloth_fixed',
    ],
    idle('A note of where the file comes from.'),
  ),
  ...each(
    ['unsloth_version', 'finetuning_task', 'task_specific_params', 'model_name'],
    idle('A note of another program.'),
  ),
  ...each(['dtype', 'torch_dtype'], idle('Each tensor’s own dtype in the file counts.')),
  ...each(
    [
      'attn_implementation',
      '_attn_implementation',
      '_attn_implementation_autoset',
      '_flash_attn_2_enabled',
      'use_flash_attn',
    ],
    idle('It chooses among ways to compute the same.'),
  ),
  ...each(
    ['use_cache', 'pretraining_tp', 'chunk_size_feed_forward', 'tensor_parallel', 'use_bfloat16', 'torchscript'],
    idle('It chooses among ways to compute the same.'),
  ),
  ...each(
    ['base_model_tp_plan', 'base_model_pp_plan', 'tp_plan', 'pp_plan', 'tf_legacy_loss'],
    idle('It spreads the model over devices, or is another framework’s.'),
  ),
  ...each(
    ['initializer_range', 'attention_dropout', 'hidden_dropout', 'hidden_dropout_prob', 'attention_probs_dropout_prob'],
    idle(TRAINING_ONLY),
  ),
  ...each(
    ['dropout', 'resid_pdrop', 'embd_pdrop', 'attn_pdrop', 'gradient_checkpointing', 'classifier_dropout'],
    idle(TRAINING_ONLY),
  ),
  ...each(['router_aux_loss_coef', 'output_router_logits', 'z_loss_coefficient'], idle(TRAINING_ONLY)),
  ...each(['return_dict', 'output_attentions', 'output_hidden_states'], idle(OUTPUTS_ONLY)),
  ...each(
    ['is_decoder', 'tie_encoder_decoder', 'cross_attention_hidden_size'],
    idle('It acts in models with an encoder.'),
  ),
  ...each(['id2label', 'label2id', 'num_labels', 'problem_type', 'classifier_activation'], idle(HEAD_OF_CLASSES)),
  ...each(
    ['max_length', 'min_length', 'do_sample', 'early_stopping', 'num_beams', 'num_beam_groups', 'diversity_penalty'],
    idle(SAMPLING),
  ),
  ...each(
    ['temperature', 'top_k', 'top_p', 'typical_p', 'repetition_penalty', 'length_penalty', 'no_repeat_ngram_size'],
    idle(SAMPLING),
  ),
  ...each(
    [
      'encoder_no_repeat_ngram_size',
      'bad_words_ids',
      'num_return_sequences',
      'output_scores',
      'return_dict_in_generate',
    ],
    idle(SAMPLING),
  ),
  ...each(
    ['forced_bos_token_id', 'forced_eos_token_id', 'remove_invalid_values', 'exponential_decay_length_penalty'],
    idle(SAMPLING),
  ),
  ...each(['suppress_tokens', 'begin_suppress_tokens', 'max_new_tokens'], idle(SAMPLING)),
};

/** The treatment of one field of the file: `unknown` if the table does not have it. */
export interface FieldReading {
  name: string;
  value: unknown;
  effect: FieldEffect | 'unknown';
  why: string;
  /** Message of a refusal; null if the value is accepted. */
  refusal: string | null;
}

const UNKNOWN = 'This version of the lab does not know it, and does not follow it.';
const entry = (name: string): ConfigField | undefined =>
  Object.hasOwn(CONFIG_FIELDS, name) ? CONFIG_FIELDS[name] : undefined;

/** The treatment of every field that is not null, in file order. */
export function readFields(config: Json, architecture: Architecture): FieldReading[] {
  return Object.entries(config)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      const field = entry(name);
      if (!field) return { name, value, effect: 'unknown', why: UNKNOWN, refusal: null };
      const { effect, why, only, plain, check, hybrid } = field;
      if (only && !only.includes(architecture))
        return { name, value, effect: 'without effect', why: `${architecture} does not read it.`, refusal: null };
      const isUsed = hybrid !== undefined && architecture === HYBRID;
      const wrong = check ? check(value, config) : !isUsed && plain && !plain.includes(value) ? shown(value) : null;
      return {
        name,
        value,
        effect: isUsed ? 'used' : effect,
        why: isUsed ? hybrid : why,
        refusal: wrong === null ? null : `${name} ${wrong} is not supported: ${lower(why)}`,
      };
    });
}

/** Turns a sentence into the end of another: lower-cases the first letter and removes the full stop. */
const lower = (text: string): string => `${text[0].toLowerCase()}${text.slice(1)}`.replace(/\.$/, '');

/** Throws FormatError, naming the field, for values that would make the model compute something other than it was trained for. */
export function checkFields(config: Json, architecture: Architecture): void {
  for (const { refusal } of readFields(config, architecture))
    if (refusal !== null)
      throw new FormatError(
        `config.json: ${refusal}.`,
        'Use a dense, unquantised SwiGLU model with full attention (or a Qwen3.5) and plain or stretched rotary positions.',
      );
}

/** Most names that a warning lists. */
const NAMED = 8;

/** Warnings about fields that are ignored although they may matter. */
export function fieldNotes(config: Json, architecture: Architecture): string[] {
  const notes: string[] = [];
  const { auto_map, architectures } = config;
  if (auto_map && Object.keys(Object(auto_map)).length > 0)
    notes.push(
      `config.json: auto_map ${shown(auto_map)} names code of the model’s own; it is not run, the model is computed as ${className(architecture)}.`,
    );
  const classes = Array.isArray(architectures) ? architectures : [];
  const taken = [className(architecture), ...(architecture === HYBRID ? ['Qwen3_5ForConditionalGeneration'] : [])];
  if (classes.length > 0 && !taken.some((name) => classes.includes(name)))
    notes.push(`config.json: architectures is ${shown(classes)}; it is computed as ${className(architecture)}.`);
  const unknown = readFields(config, architecture).filter(({ effect }) => effect === 'unknown');
  if (unknown.length > 0) {
    const names = unknown.slice(0, NAMED).map(({ name, value }) => `${name.slice(0, 40)} ${shown(value).slice(0, 40)}`);
    const more = unknown.length > NAMED ? ` and ${unknown.length - NAMED} more` : '';
    notes.push(`config.json: not known here and not followed: ${names.join(', ')}${more}.`);
  }
  return notes;
}
