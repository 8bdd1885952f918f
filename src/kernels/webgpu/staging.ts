// Pools staging buffers of power-of-two sizes for reading back, since a mapped buffer cannot be a storage buffer.
import { MAP_READ, USAGE } from './adapter.ts';

const KEPT_BYTES = 64 * 2 ** 20;

export class StagingPool {
  private readonly idle = new Map<number, GPUBuffer[]>();
  private idleBytes = 0;

  constructor(private readonly device: GPUDevice) {}

  take(bytes: number): GPUBuffer {
    const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, 256)));
    const found = this.idle.get(size)?.pop();
    if (found) {
      this.idleBytes -= size;
      return found;
    }
    // A size just under the limit must not be rounded past it.
    const fitting = Math.max(bytes, Math.min(size, this.device.limits.maxBufferSize));
    return this.device.createBuffer({ size: fitting, usage: USAGE.mapRead | USAGE.copyDst, label: 'staging' });
  }

  /** Resolves with the first `bytes` bytes once the GPU has written them, and returns the buffer to the pool. */
  async receive(buffer: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
    await buffer.mapAsync(MAP_READ, 0, bytes);
    const copy = buffer.getMappedRange(0, bytes).slice(0);
    buffer.unmap();
    const { size } = buffer;
    if (this.idleBytes + size > KEPT_BYTES) {
      buffer.destroy();
    } else {
      const list = this.idle.get(size);
      if (list) list.push(buffer);
      else this.idle.set(size, [buffer]);
      this.idleBytes += size;
    }
    return copy;
  }
}
