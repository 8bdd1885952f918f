// A buffer on a WebGPU device: its memory, whether the batch being encoded uses it, and the bind groups that name it.
import type { DeviceBuffer, DType } from '../device.ts';

/** Bindings of vec4f need 16 bytes, and an empty buffer must be bindable too. */
export const MIN_BYTES = 16;

interface BufferOwner {
  release(buffer: WebGpuBuffer): void;
}

export class WebGpuBuffer implements DeviceBuffer {
  /** Number of the batch that used it last; equal to the device's current one while commands on it wait to be submitted. */
  lastBatch = -1;
  freed = false;
  /** Contents of a buffer of whole numbers that the host wrote and no kernel has since (programs.ts: attention's
   *  lengths). */
  words: Uint32Array | null = null;
  /** Nobody has written into it. */
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
