// Shapes of real models that tests and benchmarks plan for: no weights of them are needed.
import { parseConfig } from '../config-reading.ts';
import { shapeNamed } from '../shapes.ts';
import type { ModelConfig } from '../types.ts';

export const QWEN3_06B: ModelConfig = shapeNamed('qwen3-0.6b');

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
