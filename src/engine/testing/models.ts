// Small random models for tests, one for every architecture that the engine supports.
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { parseConfig } from '../config-reading.ts';
import type { ModelConfig, Tensor, Weights } from '../types.ts';
import { isZeroCentred, weightShapes } from '../weight-names.ts';

export const SMALL: Record<'qwen3' | 'qwen2' | 'llama' | 'qwen35', ModelConfig> = {
  qwen3: parseConfig({
    model_type: 'qwen3',
    hidden_size: 20,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 6,
    intermediate_size: 28,
    vocab_size: 31,
    rope_theta: 10000,
    tie_word_embeddings: true,
    max_position_embeddings: 64,
  }),
  qwen2: parseConfig({
    model_type: 'qwen2',
    hidden_size: 24,
    num_hidden_layers: 2,
    num_attention_heads: 3,
    num_key_value_heads: 1,
    head_dim: 8,
    intermediate_size: 20,
    vocab_size: 29,
    rope_theta: 1e6,
    tie_word_embeddings: true,
    max_position_embeddings: 64,
  }),
  llama: parseConfig({
    model_type: 'llama',
    hidden_size: 16,
    num_hidden_layers: 3,
    num_attention_heads: 2,
    num_key_value_heads: 2,
    intermediate_size: 40,
    vocab_size: 37,
    tie_word_embeddings: false,
    max_position_embeddings: 64,
  }),
  qwen35: parseConfig({
    model_type: 'qwen3_5_text',
    hidden_size: 20,
    num_hidden_layers: 3,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 8,
    intermediate_size: 28,
    vocab_size: 31,
    layer_types: ['linear_attention', 'full_attention', 'linear_attention'],
    linear_num_key_heads: 2,
    linear_num_value_heads: 4,
    linear_key_head_dim: 6,
    linear_value_head_dim: 5,
    linear_conv_kernel_dim: 3,
    rope_parameters: { rope_type: 'default', rope_theta: 1e6, partial_rotary_factor: 0.5 },
    tie_word_embeddings: true,
    max_position_embeddings: 128,
  }),
};

/** Matrices with entries of sd 1/sqrt(fan-in)·gain, norms about 1 (about 0 where they scale by 1 + w), biases about 0. */
export function randomWeights(config: ModelConfig, seed: number, gain = 1): Weights {
  const weights = new Map<string, Tensor>();
  let index = 0;
  for (const [name, shape] of weightShapes(config)) {
    const rng = new CounterRng(keyFor(seed, STREAMS.init, index++));
    const size = shape.reduce((a, b) => a * b, 1);
    const scale = shape.length > 1 ? gain / Math.sqrt(shape[shape.length - 1]) : 0.1;
    const mean = name.endsWith('norm.weight') && !isZeroCentred(config, name) ? 1 : 0;
    weights.set(name, { shape, data: Float32Array.from({ length: size }, () => mean + scale * rng.normal()) });
  }
  return weights;
}

/** Random token ids. */
export function randomIds(config: ModelConfig, seed: number, count: number): number[] {
  const rng = new CounterRng(keyFor(seed, STREAMS.data));
  return Array.from({ length: count }, () => rng.int(config.vocab));
}

/** ‖a − b‖ / ‖b‖. */
export function relativeError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let difference = 0;
  let norm = 0;
  for (let i = 0; i < b.length; i++) {
    difference += (a[i] - b[i]) ** 2;
    norm += b[i] ** 2;
  }
  return Math.sqrt(difference / Math.max(norm, 1e-300));
}
