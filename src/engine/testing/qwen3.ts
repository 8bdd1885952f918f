// Configs of real models for tests and benchmarks that need no weights.
import { parseConfig } from '../config-reading.ts';
import { shapeNamed } from '../shapes.ts';
import type { ModelConfig } from '../types.ts';

export const QWEN3_06B: ModelConfig = shapeNamed('qwen3-0.6b');

/** The text part of Qwen/Qwen3.5-0.8B's config.json. */
export const QWEN35_08B: ModelConfig = parseConfig({
  model_type: 'qwen3_5_text',
  hidden_size: 1024,
  num_hidden_layers: 24,
  num_attention_heads: 8,
  num_key_value_heads: 2,
  head_dim: 256,
  intermediate_size: 3584,
  vocab_size: 248320,
  full_attention_interval: 4,
  linear_num_key_heads: 16,
  linear_num_value_heads: 16,
  linear_key_head_dim: 128,
  linear_value_head_dim: 128,
  linear_conv_kernel_dim: 4,
  rope_parameters: { rope_type: 'default', rope_theta: 1e7, partial_rotary_factor: 0.25 },
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  max_position_embeddings: 262144,
});

/** 26 million parameters, with Qwen3's norms: between the embedded models and the smallest released one. */
export const QWEN3_26M: ModelConfig = parseConfig({
  model_type: 'qwen3',
  hidden_size: 512,
  num_hidden_layers: 8,
  num_attention_heads: 8,
  num_key_value_heads: 2,
  head_dim: 64,
  intermediate_size: 1408,
  vocab_size: 6400,
  rope_theta: 1e6,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  max_position_embeddings: 32768,
});

/** The shape with another number of layers, repeating its sequence of layer types. */
export function withLayers(shape: ModelConfig, layers: number): ModelConfig {
  const { layerTypes: types } = shape;
  if (!types) return { ...shape, layers };
  return { ...shape, layers, layerTypes: Array.from({ length: layers }, (_, i) => types[i % types.length]) };
}
