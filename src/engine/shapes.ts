// Configs of released models by name, for memory plans, benchmarks and random weights without the model's files.
import { parseConfig } from './config-reading.ts';
import type { ModelConfig } from './types.ts';

const QWEN3 = {
  model_type: 'qwen3',
  num_key_value_heads: 8,
  head_dim: 128,
  vocab_size: 151936,
  rope_theta: 1e6,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  max_position_embeddings: 40960,
};

const QWEN35 = {
  model_type: 'qwen3_5_text',
  head_dim: 256,
  linear_num_key_heads: 16,
  linear_key_head_dim: 128,
  linear_value_head_dim: 128,
  linear_conv_kernel_dim: 4,
  full_attention_interval: 4,
  vocab_size: 248320,
  rope_parameters: { rope_type: 'default', rope_theta: 1e7, partial_rotary_factor: 0.25 },
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  max_position_embeddings: 262144,
};

/** Sizes of one model of a family, with config.json's field names. */
const sizes = (hidden: number, ffn: number, layers: number, heads: number) => ({
  hidden_size: hidden,
  intermediate_size: ffn,
  num_hidden_layers: layers,
  num_attention_heads: heads,
});

const RAW = {
  'qwen3-0.6b': { ...QWEN3, ...sizes(1024, 3072, 28, 16) },
  'qwen3-1.7b': { ...QWEN3, ...sizes(2048, 6144, 28, 16) },
  'qwen3-4b': { ...QWEN3, ...sizes(2560, 9728, 36, 32) },
  'qwen3.5-0.8b': { ...QWEN35, ...sizes(1024, 3584, 24, 8), num_key_value_heads: 2, linear_num_value_heads: 16 },
  'qwen3.5-2b': { ...QWEN35, ...sizes(2048, 6144, 24, 8), num_key_value_heads: 2, linear_num_value_heads: 16 },
  'qwen3.5-4b': { ...QWEN35, ...sizes(2560, 9216, 32, 16), num_key_value_heads: 4, linear_num_value_heads: 32 },
  'minimind2-small': {
    model_type: 'qwen2',
    ...sizes(512, 1408, 8, 8),
    num_key_value_heads: 2,
    head_dim: 64,
    vocab_size: 6400,
    rope_theta: 1e6,
    rms_norm_eps: 1e-5,
    tie_word_embeddings: true,
    max_position_embeddings: 32768,
  },
} as const;

export type ShapeName = keyof typeof RAW;
export const SHAPE_NAMES = Object.keys(RAW) as ShapeName[];

/** Config of a released model. */
export const shapeNamed = (name: ShapeName): ModelConfig => parseConfig(RAW[name]);
