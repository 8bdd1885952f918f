// The commands that are being encoded and not yet submitted: one encoder, one compute pass as long as nothing is copied, the calls'
// parameters in slots of one uniform buffer, and buffers that were freed while commands on them wait. It is submitted when it is full
// or heavy, or when somebody must wait for it (device.ts).
import { USAGE } from './adapter.ts';
import type { WebGpuBuffer } from './buffer.ts';
import type { Health } from './health.ts';

/** Calls in one submit; also the slots of the parameter buffer. A token of a model of 28 layers is 200 calls, kernel by
 *  kernel 536, with packed weights that are unpacked first some 750: a step of decoding that is light enough is one submit at most. */
const CALLS = 1024;
/** Bytes of a slot: the alignment that every adapter accepts for dynamic offsets. */
const SLOT = 256;
/** Floating-point operations in one submit, so that none holds the GPU (and the screen) for longer than 100 ms: of a software adapter
 *  on two cores, of a real one until it is measured (tune.ts), which does 50 ms' worth at 20 GFLOP/s. */
const WORK = { software: 2e8, hardware: 1e9 } as const;
/** Least operations that a workgroup counts as: moving 64 elements takes as long as some hundred operations. */
export const GROUP_WORK = 1024;
/** Freed memory that may wait for the batch that still uses it. */
const DOOMED_BYTES = 64 * 2 ** 20;

/** A kernel's parameters in the contract's order. */
export interface ParamLayout {
  readonly names: readonly string[];
  readonly floats: readonly boolean[];
}

export class Batch {
  /** Number of this batch; the next one's is one more. */
  number = 0;
  /** The slots of parameters; bound with a dynamic offset. */
  readonly uniform: GPUBuffer;
  /** Operations in one submit; a call of more is given in parts (split.ts). */
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

  /** Forgets what is encoded: the device is closed. */
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
