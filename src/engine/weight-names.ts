// Names (Hugging Face's) and shapes of the weights that a config implies.
import { deltaSizes, layerType } from './layer-types.ts';
import type { ModelConfig } from './types.ts';

const ATTENTION = ['q_proj', 'k_proj', 'v_proj', 'o_proj'] as const;
const DELTA = ['in_proj_qkv', 'in_proj_z', 'in_proj_b', 'in_proj_a', 'out_proj'] as const;
const FEED_FORWARD = ['gate_proj', 'up_proj', 'down_proj'] as const;

type AttentionRole = (typeof ATTENTION)[number];
type DeltaRole = (typeof DELTA)[number];
type FeedForwardRole = (typeof FEED_FORWARD)[number];
export type LinearRole = AttentionRole | DeltaRole | FeedForwardRole;

const FULL_LINEARS: readonly LinearRole[] = [...ATTENTION, ...FEED_FORWARD];
const DELTA_LINEARS: readonly LinearRole[] = [...DELTA, ...FEED_FORWARD];

/** The Linears of one layer, in order: seven with full attention, eight with the delta rule. */
export function linearsOf(config: ModelConfig, layer: number): readonly LinearRole[] {
  return layerType(config, layer) === 'linear_attention' ? DELTA_LINEARS : FULL_LINEARS;
}

/** The Linears of all layer types. */
export const LINEARS: readonly LinearRole[] = [...ATTENTION, ...DELTA, ...FEED_FORWARD];

/** [dOut, dIn] of a Linear. */
export function linearShape(config: ModelConfig, role: LinearRole): readonly [number, number] {
  const { hiddenSize, heads, kvHeads, headDim, ffn } = config;
  switch (role) {
    case 'q_proj':
      return [(config.outputGate ? 2 : 1) * heads * headDim, hiddenSize];
    case 'k_proj':
    case 'v_proj':
      return [kvHeads * headDim, hiddenSize];
    case 'o_proj':
      return [hiddenSize, heads * headDim];
    case 'in_proj_qkv':
      return [deltaSizes(config).channels, hiddenSize];
    case 'in_proj_z':
      return [deltaSizes(config).values, hiddenSize];
    case 'in_proj_b':
    case 'in_proj_a':
      return [deltaSizes(config).valueHeads, hiddenSize];
    case 'out_proj':
      return [hiddenSize, deltaSizes(config).values];
    case 'gate_proj':
    case 'up_proj':
      return [ffn, hiddenSize];
    case 'down_proj':
      return [hiddenSize, ffn];
  }
}

const blockOf = (role: LinearRole): 'mlp' | 'linear_attn' | 'self_attn' => {
  if (FEED_FORWARD.some((one) => one === role)) return 'mlp';
  return DELTA.some((one) => one === role) ? 'linear_attn' : 'self_attn';
};

/** For example `model.layers.3.mlp.up_proj`. */
export function moduleName(layer: number, role: LinearRole): string {
  return `model.layers.${layer}.${blockOf(role)}.${role}`;
}

export const EMBEDDING = 'model.embed_tokens.weight';
export const HEAD = 'lm_head.weight';

/** Whether a weight has one row per vocabulary entry (vocab-table.ts). */
export function isVocab(name: string): boolean {
  return name === EMBEDDING || name === HEAD;
}

/** Whether a norm scales by 1 + w: in such models all norms but the one inside a linear layer. */
export function isZeroCentred({ zeroCentredNorms }: ModelConfig, name: string): boolean {
  return zeroCentredNorms === true && name.endsWith('norm.weight') && !name.endsWith('linear_attn.norm.weight');
}

/** Every weight that the model must have, by Hugging Face name, with its shape. */
export function weightShapes(config: ModelConfig): Map<string, readonly number[]> {
  const shapes = new Map<string, readonly number[]>();
  const d = config.hiddenSize;
  shapes.set(EMBEDDING, [config.vocab, d]);
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}`;
    shapes.set(`${prefix}.input_layernorm.weight`, [d]);
    for (const role of linearsOf(config, layer)) {
      const shape = linearShape(config, role);
      shapes.set(`${moduleName(layer, role)}.weight`, shape);
      if (config.qkvBias && (role === 'q_proj' || role === 'k_proj' || role === 'v_proj')) {
        shapes.set(`${moduleName(layer, role)}.bias`, [shape[0]]);
      }
    }
    if (layerType(config, layer) === 'linear_attention') {
      const { channels, convWidth, valueHeads, valueDim } = deltaSizes(config);
      shapes.set(`${prefix}.linear_attn.conv1d.weight`, [channels, 1, convWidth]);
      shapes.set(`${prefix}.linear_attn.A_log`, [valueHeads]);
      shapes.set(`${prefix}.linear_attn.dt_bias`, [valueHeads]);
      shapes.set(`${prefix}.linear_attn.norm.weight`, [valueDim]);
    } else if (config.qkNorm) {
      shapes.set(`${prefix}.self_attn.q_norm.weight`, [config.headDim]);
      shapes.set(`${prefix}.self_attn.k_norm.weight`, [config.headDim]);
    }
    shapes.set(`${prefix}.post_attention_layernorm.weight`, [d]);
  }
  shapes.set('model.norm.weight', [d]);
  if (!config.tied) shapes.set(HEAD, [config.vocab, d]);
  return shapes;
}
