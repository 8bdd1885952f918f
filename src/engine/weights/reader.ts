// Reads weights on demand: names and shapes first, then a tensor or a part of one. A large model is uploaded slice by slice
// (filling.ts), so that the host never holds a whole tensor.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { Tensor, WeightReader, Weights } from '../types.ts';

/** Makes weights in memory readable like a file. */
export function readerOf(weights: Weights | WeightReader): WeightReader {
  if ('read' in weights) return weights;
  return {
    shapes: new Map([...weights].map(([name, { shape }]) => [name, shape])),
    read: async (name) => {
      const tensor = weights.get(name);
      if (tensor) return tensor;
      throw new FormatError(
        `the weights have no tensor "${name}"`,
        'Check that weights and config.json belong together.',
      );
    },
  };
}

/** Reads all tensors to the host, in f32: for tests, exports and other work on small models. Memory: 4 bytes a
 *  parameter. */
export async function readAll(reader: WeightReader): Promise<Map<string, Tensor>> {
  const all = new Map<string, Tensor>();
  for (const name of reader.shapes.keys()) all.set(name, await reader.read(name));
  return all;
}

/** Throws FormatError unless every name of `shapes` exists with that shape. */
export function checkShapes({ shapes: found }: WeightReader, shapes: ReadonlyMap<string, readonly number[]>): void {
  const remedy = 'Check that weights and config.json belong together.';
  for (const [name, shape] of shapes) {
    const has = found.get(name);
    if (!has) throw new FormatError(`the weights have no tensor "${name}"`, remedy);
    if (has.join('×') !== shape.join('×'))
      throw new FormatError(`"${name}" is ${has.join('×')}, config.json implies ${shape.join('×')}`, remedy);
  }
}
