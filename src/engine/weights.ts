// The model's weights on a device, by Hugging Face name, checked against the shapes that the config implies.

import { type Device, type DeviceBuffer, put } from '../kernels/device.ts';
import { FormatError } from '../lib/errors.ts';
import { weightShapes } from './config.ts';
import { ropeTables } from './rope.ts';
import type { ModelConfig, Tensor, Weights } from './types.ts';

const COS = 'rope.cos';
const SIN = 'rope.sin';

export class DeviceWeights {
  /** cos/sin tables, [maxPositions, headDim/2] (rope.ts). */
  readonly cos: DeviceBuffer;
  readonly sin: DeviceBuffer;
  private readonly buffers = new Map<string, DeviceBuffer>();

  constructor(device: Device, config: ModelConfig, weights: Weights) {
    const shapes = weightShapes(config);
    for (const [name, shape] of shapes) check(weights.get(name), name, shape);
    const { cos, sin } = ropeTables(config);
    try {
      for (const name of shapes.keys()) this.buffers.set(name, put(device, weights.get(name)!.data, name));
      this.buffers.set(COS, put(device, cos, COS));
      this.buffers.set(SIN, put(device, sin, SIN));
    } catch (error) {
      // Half a model is of no use, and its memory is wanted for whatever is tried next.
      this.free();
      throw error;
    }
    this.cos = this.get(COS);
    this.sin = this.get(SIN);
  }

  get(name: string): DeviceBuffer {
    const buffer = this.buffers.get(name);
    if (!buffer)
      throw new FormatError(`no weight "${name}" on the device`, 'This is a bug: report the model’s config.json.');
    return buffer;
  }

  /** Replaces what a name stands for (a folded W'); returns the old buffer. The new one is freed with the rest. */
  swap(name: string, buffer: DeviceBuffer): DeviceBuffer {
    const old = this.get(name);
    this.buffers.set(name, buffer);
    return old;
  }

  free(): void {
    for (const buffer of this.buffers.values()) buffer.free();
  }
}

function check(tensor: Tensor | undefined, name: string, shape: readonly number[]): void {
  if (!tensor) {
    throw new FormatError(
      `the weights have no tensor "${name}"`,
      'Check that weights and config.json belong together.',
    );
  }
  if (tensor.shape.join('×') !== shape.join('×')) {
    throw new FormatError(
      `"${name}" is ${tensor.shape.join('×')}, config.json implies ${shape.join('×')}`,
      'Check that weights and config.json belong together.',
    );
  }
}
