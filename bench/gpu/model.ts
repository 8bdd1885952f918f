// The model shapes that `npm run gpu` measures, with random weights that are cheap to make: a tile of noise, repeated and scaled for each tensor,
// so that the host holds one tensor of 0.6 B parameters at a time.
import { parseConfig } from '../../src/engine/config-reading.ts';
import { QWEN3_06B } from '../../src/engine/testing/qwen3.ts';
import type { ModelConfig, WeightReader } from '../../src/engine/types.ts';
import { isVocab, weightShapes } from '../../src/engine/weight-names.ts';
import { CounterRng, STREAMS } from '../../src/rng/index.ts';

/** Qwen3-0.6B in small, with every feature, for rehearsals on a software adapter. */
export const TINY: ModelConfig = parseConfig({
  model_type: 'qwen3',
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 8,
  intermediate_size: 48,
  vocab_size: 96,
  rope_theta: 1e6,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  max_position_embeddings: 256,
});

export const shapeOf = (isTiny: boolean): ModelConfig => (isTiny ? TINY : QWEN3_06B);

const TILE = 2 ** 20;

export function randomWeights(config: ModelConfig): WeightReader {
  const shapes = weightShapes(config);
  const rng = CounterRng.of(1, STREAMS.init);
  const tile = Float32Array.from({ length: TILE }, () => 2 * rng.uniform() - 1);
  const fill = (name: string, from: number, into: Float32Array): void => {
    const shape = shapes.get(name)!;
    const isNorm = name.endsWith('norm.weight');
    // A uniform variable on (−1, 1) has variance 1/3; the vocabulary's rows are scaled for logits of about 1.6.
    const scale = Math.sqrt(3) * (isNorm ? 0.1 : isVocab(name) ? 0.05 : 1 / Math.sqrt(shape[shape.length - 1]));
    const start = from + name.length * 7919;
    for (let i = 0; i < into.length; i++) into[i] = (isNorm ? 1 : 0) + scale * tile[(start + i) % TILE];
  };
  return {
    shapes,
    read: async (name) => {
      const shape = shapes.get(name)!;
      const data = new Float32Array(shape.reduce((product, n) => product * n, 1));
      fill(name, 0, data);
      return { shape: [...shape], data };
    },
    readPart: async (name, from, into) => fill(name, from, into),
  };
}
