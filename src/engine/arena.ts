// Scratch buffers by name, kept from step to step: a ragged batch has another number of rows every step, and creating
// buffers anew each time would cost more than the tiny model's arithmetic (and would defeat cached bind groups).
// A buffer grows by a quarter beyond what is asked, and never shrinks until the arena is freed.
import type { Device, DeviceBuffer, DType } from '../kernels/device.ts';

export class Arena {
  private readonly buffers = new Map<string, DeviceBuffer>();

  constructor(private readonly device: Device) {}

  /** A buffer of at least `length` elements; its content is whatever was left there. */
  take(label: string, length: number, dtype: DType = 'f32'): DeviceBuffer {
    const old = this.buffers.get(label);
    if (old && old.length >= length) return old;
    old?.free();
    const buffer = this.device.alloc(Math.max(64, old ? Math.ceil(length * 1.25) : length), dtype, label);
    this.buffers.set(label, buffer);
    return buffer;
  }

  /** take + upload. */
  put(label: string, data: Float32Array | Uint32Array): DeviceBuffer {
    const buffer = this.take(label, data.length, data instanceof Uint32Array ? 'u32' : 'f32');
    if (data.length > 0) this.device.upload(buffer, data);
    return buffer;
  }

  free(): void {
    for (const buffer of this.buffers.values()) buffer.free();
    this.buffers.clear();
  }
}
