// The engine's device on WebGPU: in a page, a worker, or Dawn in Node. Kernels are encoded into an open batch (batch.ts), which is submitted when
// it is long or heavy enough, or when something must wait for it. A call's cost in JavaScript matters (a small model is thousands of tiny
// dispatches), so bind groups and pipelines are cached and a call allocates next to nothing.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { bytesText } from '../../lib/numbers.ts';
import { checkCall } from '../check.ts';
import { KERNEL_NAMES, type KernelName, type KernelParams, specOf } from '../contract.ts';
import {
  type Device,
  type DeviceBuffer,
  type DeviceLimits,
  type DType,
  type FloatArray,
  type FusedKernel,
  INTEGERS_SUFFIX,
  type Numerics,
  type PackedProduct,
} from '../device.ts';
import { type OpenedAdapter, type OpenOptions, openAdapter, USAGE } from './adapter.ts';
import { Batch, GROUP_WORK, type ParamLayout } from './batch.ts';
import { MIN_BYTES, WebGpuBuffer } from './buffer.ts';
import { isFused } from './decoding.ts';
import { Health } from './health.ts';
import { DEFAULT_CHOICE, type MatmulChoice } from './matmul.ts';
import { type PackedChoice, packedVariant, SOFTWARE_CHOICE } from './packed-products.ts';
import { Pipelines } from './pipelines.ts';
import { createPrograms } from './programs.ts';
import type { Program, Shader, Traits } from './shader.ts';
import { partsOf } from './split.ts';
import { StagingPool } from './staging.ts';
import { treeSizes } from './tree.ts';
import { tune } from './tune.ts';

/** Allocations of at least this many bytes get their own out-of-memory check, so that the error can name the buffer. */
const CHECKED_BYTES = 2 ** 20;
/** Maximum bytes per write to the queue. */
const UPLOAD_BYTES = 64 * 2 ** 20;
/** Largest u32 buffer, in elements, whose contents the host remembers: attention's ranges, among others. */
const REMEMBERED = 2 ** 20;
/** Extension of the shader language with dot4I8Packed. */
const INTEGER_PRODUCTS = 'packed_4x8_integer_dot_product';
/** Attention's cost as measured on SwiftShader; a real adapter's is measured (tune.ts). */
const SOFTWARE_ATTENTION = 1.2;

interface Kernel {
  readonly program: Program<KernelName>;
  readonly layout: ParamLayout;
  /** Indices of the u32 buffers that it writes. */
  readonly writes: readonly number[];
}

export interface WebGpuOptions extends OpenOptions {
  /** Fixes the matmul variants instead of measuring them (tests, benchmarks). */
  readonly matmul?: MatmulChoice;
  /** Opens a `webgpu-int8` device, which decodes with products of 8-bit integers. Throws DeviceError if the shader language lacks them. */
  readonly integers?: boolean;
  /** Maximum bytes per binding, below the adapter's own limit (for tests of splitting). */
  readonly maxBindingBytes?: number;
}

/** Opens a device on any `GPU` object: navigator.gpu, or Dawn's in Node (src/lib/gpu.node.ts). Throws DeviceError, and StoppedError on abort. */
export async function createWebGpuDevice(options: WebGpuOptions): Promise<WebGpuDevice> {
  if (options.integers && !options.gpu.wgslLanguageFeatures.has(INTEGER_PRODUCTS))
    throw new DeviceError(
      `this WebGPU lacks ${INTEGER_PRODUCTS}, by which 8-bit integers are multiplied`,
      'Use a recent Chrome or Firefox, or choose the device webgpu.',
    );
  const opened = new WebGpuDevice(await openAdapter(options), options.maxBindingBytes, options.integers);
  if (options.matmul) opened.matmulChoice = options.matmul;
  // A software adapter takes a second to compile a barrier, and tiled variants are slower there, so nothing is
  // measured.
  else if (!opened.isSoftware) await tune(opened);
  return opened;
}

export class WebGpuDevice implements Device {
  readonly kind = 'webgpu';
  readonly numerics: Numerics;
  readonly precision = 'f32';
  readonly gpu: GPUDevice;
  readonly name: string;
  readonly isSoftware: boolean;
  readonly limits: DeviceLimits;
  /** Settled before the first call by createWebGpuDevice; all variants give the same bits. */
  matmulChoice: MatmulChoice = DEFAULT_CHOICE;
  packedChoice: PackedChoice = SOFTWARE_CHOICE;

  /** Values that `subgroup` may have besides 0. */
  readonly subgroupSizes: readonly number[];
  private traits: Traits;
  private readonly kernels: Readonly<Record<KernelName, Kernel>>;
  private readonly health: Health;
  private readonly pipelines: Pipelines;
  private readonly staging: StagingPool;
  private readonly batch: Batch;
  private readonly live = new Set<WebGpuBuffer>();
  private nextId = 0;
  private allocated = 0;
  private peak = 0;

  constructor(
    opened: OpenedAdapter,
    maxBindingBytes = Number.POSITIVE_INFINITY,
    readonly multipliesIntegers = false,
  ) {
    const { device: gpu, name, isSoftware, subgroups } = opened;
    this.gpu = gpu;
    this.numerics = multipliesIntegers ? 'webgpu-int8' : 'webgpu';
    this.name = multipliesIntegers ? `${name}${INTEGERS_SUFFIX}` : name;
    this.isSoftware = isSoftware;
    this.subgroupSizes = treeSizes(subgroups?.least, subgroups?.most);
    const quads = isSoftware && subgroups?.least === 4 && subgroups.most === 4;
    this.traits = { software: isSoftware, quads, subgroup: 0, attention: SOFTWARE_ATTENTION };
    const { maxBufferSize, maxStorageBufferBindingSize } = gpu.limits;
    this.limits = {
      maxBindingBytes: Math.min(maxBufferSize, maxStorageBufferBindingSize, maxBindingBytes),
      maxTotalBytes: Number.POSITIVE_INFINITY, // WebGPU does not tell
    };
    this.health = new Health(gpu, name);
    this.batch = new Batch(gpu, this.health, isSoftware);
    this.pipelines = new Pipelines(gpu, this.batch.uniform);
    this.staging = new StagingPool(gpu);
    const programs = createPrograms(
      () => this.matmulChoice,
      () => this.packedChoice,
    );
    const kernels: Partial<Record<KernelName, Kernel>> = {};
    for (const name of KERNEL_NAMES) {
      const { params, buffers } = specOf(name);
      kernels[name] = {
        program: programs[name] as Program<KernelName>,
        layout: { names: Object.keys(params), floats: Object.values(params).map((type) => type === 'f32') },
        writes: buffers.flatMap(({ dtype, access }, i) => (dtype === 'u32' && access !== 'r' ? [i] : [])),
      };
    }
    this.kernels = kernels as Record<KernelName, Kernel>;
  }

  alloc(length: number, dtype: DType, label: string): DeviceBuffer {
    this.health.assert();
    if (!Number.isSafeInteger(length) || length < 0) {
      throw new DeviceError(
        `buffer "${label}": a length of ${length} elements`,
        'Lengths are whole numbers from 0 up.',
      );
    }
    const bytes = Math.max(length * 4, MIN_BYTES);
    if (bytes > this.limits.maxBindingBytes) {
      throw new DeviceError(
        `buffer "${label}" needs ${bytesText(bytes)}, but ${this.name} binds at most ${bytesText(this.limits.maxBindingBytes)}`,
        'Use a smaller batch or a smaller model, or split the array.',
      );
    }
    const checked = bytes >= CHECKED_BYTES;
    if (checked) this.gpu.pushErrorScope('out-of-memory');
    const gpu = this.gpu.createBuffer({ size: bytes, usage: USAGE.storage | USAGE.copySrc | USAGE.copyDst, label });
    if (checked) {
      const held = this.allocated;
      this.health.watch(() => `no room for buffer "${label}" (${bytesText(bytes)}, with ${bytesText(held)} held)`);
    }
    const buffer = new WebGpuBuffer(this, this.nextId++, gpu, label, dtype, length);
    this.live.add(buffer);
    this.allocated += bytes;
    this.peak = Math.max(this.peak, this.allocated);
    return buffer;
  }

  upload(target: DeviceBuffer, data: FloatArray | Uint32Array, offset = 0): void {
    const buffer = this.own(target);
    this.range(buffer, offset, data.length, 'upload');
    if (data instanceof Uint32Array !== (buffer.dtype === 'u32')) {
      throw new DeviceError(
        `buffer "${buffer.label}" holds ${buffer.dtype}, but was given a ${data.constructor.name}`,
        'Upload a Uint32Array to u32 buffers, and floats to f32 buffers.',
      );
    }
    if (data.length === 0) return;
    // A queue write takes effect before commands that are still being encoded, so those are submitted first.
    if (buffer.lastBatch === this.batch.number) this.batch.submit();
    if (data instanceof Uint32Array) remember(buffer, data, offset);
    const plain = data instanceof Float64Array ? Float32Array.from(data) : data;
    // Data are written in pieces: the queue stages each, and an embedding is larger than what it can stage at once.
    for (let at = 0; at < plain.byteLength; at += UPLOAD_BYTES) {
      const size = Math.min(UPLOAD_BYTES, plain.byteLength - at);
      this.gpu.queue.writeBuffer(buffer.gpu, offset * 4 + at, plain.buffer, plain.byteOffset + at, size);
    }
  }

  async read(source: DeviceBuffer, offset = 0, length = source.length - offset): Promise<FloatArray | Uint32Array> {
    const buffer = this.own(source);
    this.range(buffer, offset, length, 'read');
    const bytes = length * 4;
    let data = new ArrayBuffer(0);
    if (bytes > 0) {
      const staging = this.staging.take(bytes);
      this.batch.copy(buffer.gpu, offset * 4, staging, bytes);
      this.batch.submit();
      data = await this.health.settle(this.staging.receive(staging, bytes));
    }
    return buffer.dtype === 'u32' ? new Uint32Array(data) : new Float32Array(data);
  }

  run<K extends KernelName>(kernel: K, buffers: readonly DeviceBuffer[], params: KernelParams<K>): void {
    this.health.assert();
    checkCall(kernel, buffers, params);
    const { program, layout, writes } = this.kernels[kernel];
    const { batch } = this;
    for (let i = 0; i < buffers.length; i++) this.own(buffers[i]).lastBatch = batch.number;
    const own = buffers as readonly WebGpuBuffer[];
    const of = params as KernelParams<KernelName>;
    const values = params as Readonly<Record<string, number>>;
    const operations = program.cost?.(of, own, this.traits) ?? 0;
    const dispatches = program.plan(of, this.traits);
    const cost = dispatches.reduce((sum, { x, y }) => sum + x * y * GROUP_WORK, operations);
    if (cost <= batch.most) {
      batch.begin(layout, values, cost);
      for (const { shader, x, y } of dispatches) this.dispatch(kernel, shader, own, x, y, of);
      batch.end();
    } else
      for (const dispatch of dispatches) {
        if (dispatch.x === 0) continue;
        const all = operations + dispatch.x * dispatch.y * GROUP_WORK;
        for (const part of partsOf(dispatch, all, batch.most, program.costsTo?.(of, own, this.traits))) {
          batch.begin(layout, values, part.cost, part.firstX, part.firstY);
          this.dispatch(kernel, dispatch.shader, own, part.x, part.y, of);
          batch.end();
        }
      }
    for (const i of writes) {
      own[i].words = null;
      own[i].isFresh = false;
    }
  }

  private dispatch(
    kernel: KernelName,
    shader: Shader,
    own: readonly WebGpuBuffer[],
    x: number,
    y: number,
    params: KernelParams<KernelName>,
  ): void {
    if (x === 0) return;
    const scratch = shader.scratch ? (this.kernels[kernel].program.scratch?.(params) ?? 0) : 0;
    this.batch.dispatch(this.pipelines.get(shader), this.pipelines.group(kernel, own, scratch), x, y);
  }

  /** Maximum operations per submit; a larger call is split, which changes no bit. */
  get workPerSubmit(): number {
    return this.batch.most;
  }
  set workPerSubmit(operations: number) {
    this.batch.most = operations;
  }

  /** Number of submits so far. */
  get submits(): number {
    return this.batch.number;
  }

  /** Time of an operation of attention relative to one of a product. */
  get attentionCost(): number {
    return this.traits.attention;
  }
  set attentionCost(factor: number) {
    this.traits = { ...this.traits, attention: factor };
  }

  /** Subgroup size that tree sums assume; 0 (barriers) until it is set. It changes no bit. */
  get subgroup(): number {
    return this.traits.subgroup;
  }
  set subgroup(size: number) {
    this.traits = { ...this.traits, subgroup: size };
  }

  readsPacked(kernel: PackedProduct, rows: number): boolean {
    return packedVariant(this.packedChoice, kernel, rows) !== null;
  }

  fuses(kernel: FusedKernel, rows: number): boolean {
    return isFused(kernel, rows, { matmul: this.matmulChoice, packed: this.packedChoice, software: this.isSoftware });
  }

  async sync(): Promise<void> {
    this.health.assert();
    this.batch.submit();
    await this.health.settle(this.gpu.queue.onSubmittedWorkDone());
  }

  memory(): { allocated: number; peak: number } {
    // Scratch belongs to the device rather than to an engine on it, and is not counted.
    return { allocated: this.allocated, peak: this.peak };
  }

  destroy(): void {
    this.health.close();
    for (const buffer of this.live) buffer.freed = true;
    this.live.clear();
    this.allocated = 0;
    this.batch.drop();
    this.gpu.destroy();
  }

  /** Compiles in parallel the shaders that calls of these kernels (default: all) are likely to need. */
  async warmup(
    names = KERNEL_NAMES,
    headDims: readonly number[] = [],
    onProgress?: (done: number, total: number) => void,
  ): Promise<void> {
    await this.compile(
      names.flatMap((name) => this.kernels[name].program.shaders(this.traits, headDims)),
      onProgress,
    );
  }

  async prepare(onProgress: (done: number, total: number) => void, headDims: readonly number[]): Promise<void> {
    await this.warmup(undefined, headDims, onProgress);
  }

  async compile(shaders: readonly Shader[], onProgress?: (done: number, total: number) => void): Promise<void> {
    this.health.assert();
    await this.health.settle(this.pipelines.prepare(shaders, onProgress));
  }

  /** Whether these kernels compile under the current choices. If they do not, the device remains usable. */
  async compiles(names: readonly KernelName[]): Promise<boolean> {
    this.health.assert();
    this.gpu.pushErrorScope('validation');
    const made = this.pipelines.prepare(names.flatMap((name) => this.kernels[name].program.shaders(this.traits, [])));
    // A device that is lost meanwhile reports that itself.
    const error = this.gpu.popErrorScope().catch(() => null);
    return made.then(
      async () => (await error) === null,
      () => false,
    );
  }

  /** Called by WebGpuBuffer.free. The memory is released once no encoded command needs it. */
  release(buffer: WebGpuBuffer): void {
    buffer.freed = true;
    this.live.delete(buffer);
    this.pipelines.forget(buffer);
    this.allocated -= buffer.bytes;
    this.batch.doom(buffer);
  }

  private own(buffer: DeviceBuffer): WebGpuBuffer {
    this.health.assert();
    if (!(buffer instanceof WebGpuBuffer) || buffer.owner !== this) {
      throw new DeviceError(
        `buffer "${buffer.label}" belongs to another device`,
        'Allocate it on the device that uses it.',
      );
    }
    if (buffer.freed) throw new DeviceError(`buffer "${buffer.label}" has been freed`, 'Allocate it again before use.');
    return buffer;
  }

  private range(buffer: WebGpuBuffer, offset: number, length: number, what: string): void {
    if (offset < 0 || length < 0 || !(offset + length <= buffer.length)) {
      throw new DeviceError(
        `${what} of elements ${offset} to ${offset + length} of buffer "${buffer.label}", which has ${buffer.length}`,
        'Stay within the buffer.',
      );
    }
  }
}

/** Notes the buffer's contents after a write, as far as the host can know them. */
function remember(buffer: WebGpuBuffer, data: Uint32Array, offset: number): void {
  if (data.length === buffer.length && buffer.length <= REMEMBERED) buffer.words = data.slice();
  else if (buffer.isFresh && buffer.length <= REMEMBERED) buffer.words ??= new Uint32Array(buffer.length);
  buffer.isFresh = false;
  buffer.words?.set(data, offset);
}
