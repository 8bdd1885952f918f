// Commands that are encoded and not yet submitted: one encoder, one compute pass as long as nothing is copied, the calls' parameters in slots of
// one uniform buffer, and freed buffers that these commands still use. A batch is submitted when it is full or heavy, or when something must wait
// for its results (device.ts).
import { USAGE } from './adapter.ts';
import type { WebGpuBuffer } from './buffer.ts';
import type { Health } from './health.ts';

/** Maximum calls per submit, and the number of parameter slots. Decoding a token with a model of 28 layers takes 200 calls with fused kernels, 536
 *  without, and about 750 where packed weights are unpacked first, so that a light decoding step fits in one submit. */
const CALLS = 1024;
/** Bytes per slot: the alignment that every adapter accepts for dynamic offsets. */
const SLOT = 256;
/** Floating-point operations per submit, so that none holds the GPU (and the screen) for longer than 100 ms. `software` is for an adapter on two
 *  cores; `hardware` applies until the adapter is measured (tune.ts) and takes 50 ms at 20 GFLOP/s. */
const WORK = { software: 2e8, hardware: 1e9 } as const;
/** Operations charged for each workgroup on top of its arithmetic, since moving its data takes time too. */
export const GROUP_WORK = 1024;
/** Bytes of freed buffers that may wait for the batch that still uses them. */
const DOOMED_BYTES = 64 * 2 ** 20;

/** A kernel's parameters in the contract's order. */
export interface ParamLayout {
  readonly names: readonly string[];
  readonly floats: readonly boolean[];
}

export class Batch {
  /** Number of this batch, counted up at each submit. */
  number = 0;
  /** The slots of parameters; bound with a dynamic offset. */
  readonly uniform: GPUBuffer;
  /** Maximum operations per submit; a larger call is split into parts (split.ts). */
  most: number;
  private encoder: GPUCommandEncoder | undefined;
  private pass: GPUComputePassEncoder | undefined;
  private pipeline: GPUComputePipeline | undefined;
  private calls = 0;
  private work = 0;
  private doomed: WebGpuBuffer[] = [];
  private doomedBytes = 0;
  private readonly words = new Uint32Array((CALLS * SLOT) / 4);
  private readonly floats = new Float32Array(this.words.buffer);
  private readonly offset = new Uint32Array(1);

  constructor(
    private readonly gpu: GPUDevice,
    private readonly health: Health,
    isSoftware: boolean,
  ) {
    this.most = isSoftware ? WORK.software : WORK.hardware;
    this.uniform = gpu.createBuffer({ size: CALLS * SLOT, usage: USAGE.uniform | USAGE.copyDst, label: 'parameters' });
  }

  /** Begins a kernel's call, or a part of one: its dispatches follow, then `end`. `cost`: rough floating-point operations. */
  begin({ names, floats }: ParamLayout, values: Readonly<Record<string, number>>, cost = 0, firstX = 0, firstY = 0) {
    if (this.work > 0 && this.work + cost > this.most) this.submit();
    this.work += cost;
    this.pass ??= this.open().beginComputePass();
    const slot = this.calls * (SLOT / 4);
    for (let i = 0; i < names.length; i++) {
      if (floats[i]) this.floats[slot + i] = values[names[i]];
      else this.words[slot + i] = values[names[i]];
    }
    this.words[slot + names.length] = firstX; // these three: Params (shader.ts)
    this.words[slot + names.length + 1] = firstY;
    this.words[slot + names.length + 2] = 0;
    this.offset[0] = this.calls * SLOT;
  }

  dispatch(pipeline: GPUComputePipeline, group: GPUBindGroup, x: number, y: number): void {
    const pass = this.pass!;
    if (pipeline !== this.pipeline) {
      pass.setPipeline(pipeline);
      this.pipeline = pipeline;
    }
    pass.setBindGroup(0, group, this.offset, 0, 1);
    pass.dispatchWorkgroups(x, y);
  }

  end(): void {
    this.calls++;
    if (this.calls === CALLS || this.work > this.most) this.submit();
  }

  copy(from: GPUBuffer, offset: number, to: GPUBuffer, bytes: number): void {
    const encoder = this.open();
    this.endPass();
    encoder.copyBufferToBuffer(from, offset, to, 0, bytes);
  }

  /** Gives back a freed buffer's memory, once no encoded command needs it any more. */
  doom(buffer: WebGpuBuffer): void {
    if (buffer.lastBatch !== this.number) {
      buffer.gpu.destroy();
      return;
    }
    this.doomed.push(buffer);
    this.doomedBytes += buffer.bytes;
    if (this.doomedBytes > DOOMED_BYTES) this.submit();
  }

  /** Submits what has been encoded. */
  submit(): void {
    if (!this.encoder) return;
    this.endPass();
    if (this.calls > 0) this.gpu.queue.writeBuffer(this.uniform, 0, this.words.buffer, 0, this.calls * SLOT);
    this.gpu.queue.submit([this.encoder.finish()]);
    this.health.watch();
    this.encoder = undefined;
    this.calls = 0;
    this.work = 0;
    this.number++;
    for (const buffer of this.doomed) buffer.gpu.destroy();
    this.doomed = [];
    this.doomedBytes = 0;
  }

  /** Drops the encoded commands when the device closes. */
  drop(): void {
    this.pass = undefined;
    this.encoder = undefined;
  }

  private open(): GPUCommandEncoder {
    if (!this.encoder) {
      this.gpu.pushErrorScope('validation');
      this.encoder = this.gpu.createCommandEncoder();
    }
    return this.encoder;
  }

  private endPass(): void {
    this.pass?.end();
    this.pass = undefined;
    this.pipeline = undefined;
  }
}
