// Scratch buffers by name, reused from step to step. Every step has a different number of rows, and reallocating buffers
// each time would cost more than a tiny model's arithmetic (and would defeat cached bind groups).
// A buffer that must grow gets a quarter more than requested, and never shrinks. A `tight` arena adds no slack: for models
// that fill the device, where reallocation costs little compared with the work.
import type { Device, DeviceBuffer, DType } from '../kernels/device.ts';

export class Arena {
  private readonly buffers = new Map<string, DeviceBuffer>();

  constructor(
    private readonly device: Device,
    private readonly tight = false,
  ) {}

  /** A buffer of at least `length` elements with undefined contents. It replaces a buffer of the same name and another type. */
  take(label: string, length: number, dtype: DType = 'f32'): DeviceBuffer {
    const old = this.buffers.get(label);
    if (old && old.length >= length && old.dtype === dtype) return old;
    old?.free();
    // If the allocation fails, the name must not refer to the freed buffer.
    this.buffers.delete(label);
    const slack = old?.dtype === dtype && !this.tight ? 1.25 : 1;
    const buffer = this.device.alloc(Math.max(64, Math.ceil(length * slack)), dtype, label);
    this.buffers.set(label, buffer);
    return buffer;
  }

  /** Takes a buffer and uploads `data` to it. */
  put(label: string, data: Float32Array | Uint32Array): DeviceBuffer {
    const buffer = this.take(label, data.length, data instanceof Uint32Array ? 'u32' : 'f32');
    if (data.length > 0) this.device.upload(buffer, data);
    return buffer;
  }

  /** Frees the buffers whose labels `which` selects. */
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
