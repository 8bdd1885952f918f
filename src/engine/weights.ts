// The model's weights on a device, by Hugging Face name, checked against the shapes that the config implies.

import { type Device, type DeviceBuffer, type FloatArray, put } from '../kernels/device.ts';
import { FormatError } from '../lib/errors.ts';
import { weightShapes } from './config.ts';
import type { ModelConfig, Weights } from './types.ts';

export class DeviceWeights {
  /** cos/sin tables, [maxPositions, headDim/2]; computed in double on the host: a GPU's sin is off by 2e-4 at large angles. */
  readonly cos: DeviceBuffer;
  readonly sin: DeviceBuffer;
  private readonly buffers = new Map<string, DeviceBuffer>();

  constructor(device: Device, config: ModelConfig, weights: Weights) {
    for (const [name, shape] of weightShapes(config)) {
      const tensor = weights.get(name);
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
      this.buffers.set(name, put(device, tensor.data, name));
    }
    const half = config.headDim / 2;
    const cos: FloatArray = new Float64Array(config.maxPositions * half);
    const sin: FloatArray = new Float64Array(config.maxPositions * half);
    for (let p = 0; p < config.maxPositions; p++) {
      for (let i = 0; i < half; i++) {
        // Hugging Face computes the inverse frequencies in float32; so do the reference fixtures in float64. They agree to 1e-7 relative.
        const angle = p * config.ropeTheta ** (-i / half);
        cos[p * half + i] = Math.cos(angle);
        sin[p * half + i] = Math.sin(angle);
      }
    }
    this.cos = put(device, cos, 'rope.cos');
    this.sin = put(device, sin, 'rope.sin');
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
    this.cos.free();
    this.sin.free();
  }
}
