// Scratch buffers by name, kept from step to step: a ragged batch has another number of rows every step, and creating
// buffers anew each time would cost more than the tiny model's arithmetic (and would defeat cached bind groups).
// A buffer grows by a quarter beyond what is asked, and never shrinks until the arena is freed. A `tight` arena grows by
// nothing beyond: for models that fill the device, where a new buffer costs little beside the work it is for.
import type { Device, DeviceBuffer, DType } from '../kernels/device.ts';

export class Arena {
  private readonly buffers = new Map<string, DeviceBuffer>();

  constructor(
    private readonly device: Device,
    private readonly tight = false,
  ) {}

  /** A buffer of at least `length` elements; its content is whatever was left there. One of another type makes room for it. */
  take(label: string, length: number, dtype: DType = 'f32'): DeviceBuffer {
    const old = this.buffers.get(label);
    if (old && old.length >= length && old.dtype === dtype) return old;
    old?.free();
    // A device that has no room for the new one must not leave the old one's name behind.
    this.buffers.delete(label);
    const slack = old?.dtype === dtype && !this.tight ? 1.25 : 1;
    const buffer = this.device.alloc(Math.max(64, Math.ceil(length * slack)), dtype, label);
    this.buffers.set(label, buffer);
    return buffer;
  }

  /** take + upload. */
  put(label: string, data: Float32Array | Uint32Array): DeviceBuffer {
    const buffer = this.take(label, data.length, data instanceof Uint32Array ? 'u32' : 'f32');
    if (data.length > 0) this.device.upload(buffer, data);
    return buffer;
  }

  /** Gives back the buffers whose labels `which` picks. */
  release(which: (label: string) => boolean): void {
    for (const [label, buffer] of this.buffers) {
      if (!which(label)) continue;
      buffer.free();
      this.buffers.delete(label);
    }
  }

  free(): void {
    this.release(() => true);
  }
}
