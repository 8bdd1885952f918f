// A buffer on a WebGPU device: its memory, whether the batch being encoded uses it, and the bind groups that name it.
import type { DeviceBuffer, DType } from '../device.ts';

/** Bindings of vec4f need 16 bytes, and an empty buffer must be bindable too. */
export const MIN_BYTES = 16;

interface BufferOwner {
  release(buffer: WebGpuBuffer): void;
}

export class WebGpuBuffer implements DeviceBuffer {
  /** Number of the last batch that used the buffer; equal to the device's current batch while commands on it wait to be submitted. */
  lastBatch = -1;
  freed = false;
  /** Contents of a u32 buffer as the host last wrote them; null if unknown. Attention's cost is read from its ranges
   *  (programs.ts). */
  words: Uint32Array | null = null;
  /** Whether a u32 buffer was never written (still zero); not tracked for f32. */
  isFresh = true;
  /** Keys of the cached bind groups that name it. */
  readonly groups: string[] = [];

  constructor(
    readonly owner: BufferOwner,
    readonly id: number,
    readonly gpu: GPUBuffer,
    readonly label: string,
    readonly dtype: DType,
    readonly length: number,
  ) {}

  get bytes(): number {
    return this.gpu.size;
  }

  free(): void {
    if (!this.freed) this.owner.release(this);
  }
}
