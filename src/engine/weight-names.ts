// The weights of a model by Hugging Face's names, with their shapes, as its config implies them.
import type { ModelConfig } from './types.ts';

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
