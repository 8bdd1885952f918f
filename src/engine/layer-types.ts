// The type of each layer and its sizes: full attention, or the gated delta rule (Qwen3.5), whose state has a fixed size.
import type { DeltaShape, LayerType, ModelConfig } from './types.ts';

/** Type of a layer (0-based). */
export function layerType({ layerTypes }: ModelConfig, layer: number): LayerType {
  return layerTypes?.[layer] ?? 'full_attention';
}

/** Indices of the layers of one type, in order. */
export function layersOf(config: ModelConfig, type: LayerType): number[] {
  return Array.from({ length: config.layers }, (_, layer) => layer).filter(
    (layer) => layerType(config, layer) === type,
  );
}

/** Number of leading elements of a head that RoPE rotates. */
export const rotaryDim = ({ rotaryDim: turned, headDim }: ModelConfig): number => turned ?? headDim;

export interface DeltaSizes extends DeltaShape {
  /** keyHeads · keyDim and valueHeads · valueDim. */
  keys: number;
  values: number;
  /** Channels of the convolution: queries, keys and values end to end. */
  channels: number;
  /** Elements of one sequence's state S in one layer, [valueHeads, keyDim, valueDim]. */
  state: number;
  /** Elements of the convolution's past rows that are kept for one sequence in one layer, [convWidth - 1, channels]. */
  convState: number;
}

/** Sizes of the linear-attention layers; only for models that have such layers. */
export function deltaSizes({ delta }: ModelConfig): DeltaSizes {
  const shape = delta!;
  const keys = shape.keyHeads * shape.keyDim;
  const values = shape.valueHeads * shape.valueDim;
  const channels = 2 * keys + values;
  return {
    ...shape,
    keys,
    values,
    channels,
    state: shape.keyDim * values,
    convState: (shape.convWidth - 1) * channels,
  };
}
