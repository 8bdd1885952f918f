// A model whose knobs have become part of its weights: W + δW read as W, so that another training begins there with knobs at zero.
// Of the adapter `full` alone, whose knobs are δW as they lie.
import { weightOf } from '../config.ts';
import type { KnobLayout, Tensor, WeightReader } from '../types.ts';

/** The same sums as the adapter's, in f32. */
export function shifted(reader: WeightReader, layout: KnobLayout, knobs: Float32Array): WeightReader {
  const modules = new Map(layout.modules.map((module) => [weightOf(module), module]));
  return {
    shapes: reader.shapes,
    async read(name): Promise<Tensor> {
      const { shape, data } = await reader.read(name);
      const module = modules.get(name);
      if (!module) return { shape, data };
      return { shape, data: data.map((x, i) => x + knobs[module.offset + i]) };
    },
  };
}
