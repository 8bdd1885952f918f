// The CPU device runs kernels synchronously: SIMD kernels in WebAssembly, or reference kernels on typed arrays. Tests
// differentiate numerically with precision 'f64'; experiments without a GPU use 'f32'.
import { DeviceError, ShapeError } from '@projected-grpo-lab/base/errors.ts';
import { checkCall } from '../check.ts';
import { KERNELS, type KernelName, type KernelParams } from '../contract.ts';
import {
  type Device,
  type DeviceBuffer,
  type DeviceLimits,
  type DType,
  type FloatArray,
  SIMD_NAMES,
} from '../device.ts';
import { INDEX_CHECKS, type IndexChecks } from './indices.ts';
import type { Reference, Views } from './reference.ts';
import { instantiateSimd, type Simd } from './simd.ts';
import { runSimd, SIMD_PROGRAMS, type SimdPrograms } from './simd-programs.ts';
import { SIMD_REFERENCES } from './simd-references.ts';
import type { ThreadHost } from './threads/team.ts';

export interface CpuDeviceOptions {
  precision?: 'f32' | 'f64';
  /** Use the WebAssembly SIMD kernels (f32 only; default true). */
  simd?: boolean;
  /** Uses kernels with fused multiply-adds (one rounding); their bits differ from the plain kernels' but are the same on every machine. */
  fused?: boolean;
  /** Source of threads for the SIMD kernels; default: one thread. Results do not depend on their number. */
  threads?: ThreadHost;
  /** Refuses larger buffers (for tests of splitting). */
  maxBindingBytes?: number;
  /** Loads the reference kernels for shapes that SIMD does not support, and kernels that few models need, only in
   *  `complete`; SIMD only. */
  isLean?: boolean;
}

/** Assumed memory in bytes without WebAssembly, which does not report a limit. */
const PLAIN_LIMIT = 2 ** 32;

type Data = FloatArray | Uint32Array;

/** Indices of the buffers that a kernel writes to. */
const WRITTEN = Object.fromEntries(
  Object.entries(KERNELS).map(([name, { buffers }]) => [
    name,
    [...buffers.keys()].filter((i) => buffers[i].access !== 'r'),
  ]),
) as Record<KernelName, number[]>;

class CpuBuffer implements DeviceBuffer {
  readonly label: string;
  readonly dtype: DType;
  readonly length: number;
  readonly bytes: number;
  readonly owner: CpuDevice;
  /** Byte address in the WebAssembly memory; 0 on a device without one. */
  readonly at: number;
  #data: Data | undefined;
  #generation: number;

  constructor(owner: CpuDevice, data: Data, at: number, dtype: DType, label: string) {
    this.owner = owner;
    this.#data = data;
    this.at = at;
    this.dtype = dtype;
    this.length = data.length;
    this.bytes = data.byteLength;
    this.label = label;
    this.#generation = owner.simd?.heap.generation ?? 0;
  }

  get data(): Data {
    if (this.#data === undefined)
      throw new DeviceError(
        `Buffer "${this.label}" was used after it was freed.`,
        'Keep it until its last kernel ran.',
      );
    const heap = this.owner.simd?.heap;
    if (heap && heap.generation !== this.#generation) {
      this.#generation = heap.generation;
      this.#data = viewAt(heap.memory, this.at, this.length, this.dtype);
    }
    return this.#data;
  }

  free(): void {
    if (this.#data === undefined) return;
    this.#data = undefined;
    this.owner.forget(this);
  }
}

function viewAt(memory: WebAssembly.Memory, at: number, length: number, dtype: DType): Data {
  return dtype === 'u32' ? new Uint32Array(memory.buffer, at, length) : new Float32Array(memory.buffer, at, length);
}

export class CpuDevice implements Device {
  readonly kind = 'cpu';
  readonly name: string;
  readonly isSoftware = false;
  readonly limits: DeviceLimits;
  #programs: SimdPrograms = SIMD_PROGRAMS;
  #checks: IndexChecks = INDEX_CHECKS;
  #references: { readonly [K in KernelName]?: Reference<K> } = SIMD_REFERENCES;
  readonly #buffers = new Set<CpuBuffer>();
  #allocated = 0;
  #peak = 0;
  #destroyed = false;

  constructor(
    readonly precision: 'f32' | 'f64',
    readonly simd?: Simd,
    maxBindingBytes = Number.POSITIVE_INFINITY,
    readonly numerics: 'cpu' | 'cpu-fused' = 'cpu',
  ) {
    const bytes = simd?.heap.limit ?? PLAIN_LIMIT;
    this.limits = { maxBindingBytes: Math.min(bytes, maxBindingBytes), maxTotalBytes: bytes };
    this.name = precision === 'f64' ? 'CPU (double)' : simd ? SIMD_NAMES[numerics] : 'CPU (plain)';
  }

  alloc(length: number, dtype: DType, label: string): DeviceBuffer {
    if (!(Number.isInteger(length) && length >= 0))
      throw new ShapeError(`Buffer "${label}" cannot have ${length} elements.`, 'Lengths are non-negative integers.');
    if (this.#destroyed) throw new DeviceError(`alloc of "${label}" on a destroyed device.`, 'Create a new device.');
    const bytesEach = dtype === 'f32' && this.precision === 'f64' ? 8 : 4;
    const bytes = length * bytesEach;
    const { maxBindingBytes, maxTotalBytes } = this.limits;
    if (this.#allocated + bytes > maxTotalBytes) this.#tooLarge(bytes, label);
    if (bytes > maxBindingBytes)
      throw new DeviceError(
        `"${label}" needs ${bytes} bytes; a buffer may have at most ${maxBindingBytes}.`,
        'Use a smaller batch or model, or split the array.',
      );
    let buffer: CpuBuffer;
    try {
      const at = this.simd?.heap.allocate(bytes) ?? 0;
      const data = this.simd
        ? viewAt(this.simd.heap.memory, at, length, dtype)
        : new (dtype === 'u32' ? Uint32Array : this.precision === 'f64' ? Float64Array : Float32Array)(length);
      buffer = new CpuBuffer(this, data, at, dtype, label);
    } catch {
      return this.#tooLarge(bytes, label);
    }
    this.#buffers.add(buffer);
    this.#allocated += bytes;
    this.#peak = Math.max(this.#peak, this.#allocated);
    return buffer;
  }

  upload(buffer: DeviceBuffer, data: FloatArray | Uint32Array, offset = 0): void {
    const target = this.#own(buffer).data;
    if (data instanceof Uint32Array !== (buffer.dtype === 'u32'))
      throw new ShapeError(
        `upload of ${data.constructor.name} to ${buffer.dtype} "${buffer.label}".`,
        'Match the dtype.',
      );
    this.#checkRange('upload', buffer, offset, data.length);
    target.set(data, offset);
    this.simd?.panels.changed((buffer as CpuBuffer).at);
  }

  async read(buffer: DeviceBuffer, offset = 0, length = buffer.length - offset): Promise<FloatArray | Uint32Array> {
    const data = this.#own(buffer).data;
    this.#checkRange('read', buffer, offset, length);
    return data.slice(offset, offset + length);
  }

  run<K extends KernelName>(kernel: K, buffers: readonly DeviceBuffer[], params: KernelParams<K>): void {
    checkCall(kernel, buffers, params);
    const own = buffers.map((buffer) => this.#own(buffer));
    if (this.simd) for (const i of WRITTEN[kernel]) this.simd.panels.changed(own[i].at);
    // checkCall has verified the types from which Views<K> is derived.
    const views = () => own.map((buffer) => buffer.data) as unknown as Views<K>;
    const now = views(); // throws if a buffer was freed
    (this.#checks[kernel] as Reference<K> | undefined)?.(now, params);
    const at = own.map((buffer) => buffer.at);
    if (this.simd && runSimd(this.#programs, kernel, this.simd, at, params, views)) return;
    const reference = this.#references[kernel] as Reference<K> | undefined;
    if (!reference)
      throw new DeviceError(`${kernel} of this shape is not there yet.`, 'Await complete() of the device before.');
    reference(now, params);
  }

  async complete(): Promise<void> {
    const [{ REFERENCES }, { ALL_PROGRAMS }, { ALL_CHECKS }] = await Promise.all([
      import('./references.ts'),
      import('./late-programs.ts'),
      import('./late-indices.ts'),
    ]);
    this.#references = REFERENCES;
    this.#programs = ALL_PROGRAMS;
    this.#checks = ALL_CHECKS;
  }

  async sync(): Promise<void> {}

  /** Number of active threads. */
  get threads(): number {
    return this.simd?.team?.threads ?? 1;
  }

  limitThreads(count: number): void {
    this.simd?.team?.use(count);
  }

  repeats(isOn: boolean): void {
    if (this.simd) this.simd.panels.isOn = isOn;
  }

  memory(): { allocated: number; peak: number } {
    const allocated = this.#allocated + (this.simd?.panels.bytes ?? 0);
    this.#peak = Math.max(this.#peak, allocated);
    return { allocated, peak: this.#peak };
  }

  destroy(): void {
    this.#destroyed = true;
    this.simd?.team?.stop();
    for (const buffer of this.#buffers) buffer.free();
  }

  /** Called when a buffer is freed. */
  forget(buffer: CpuBuffer): void {
    this.simd?.panels.forget(buffer.at);
    this.simd?.heap.release(buffer.at);
    this.#allocated -= buffer.bytes;
    this.#buffers.delete(buffer);
  }

  #own(buffer: DeviceBuffer): CpuBuffer {
    if (buffer instanceof CpuBuffer && buffer.owner === this) return buffer;
    throw new DeviceError(
      `Buffer "${buffer.label}" belongs to another device.`,
      'Allocate it on the device that runs.',
    );
  }

  #checkRange(what: string, buffer: DeviceBuffer, offset: number, length: number): void {
    if (offset >= 0 && length >= 0 && offset + length <= buffer.length) return;
    throw new ShapeError(
      `${what} of ${length} elements at ${offset} leaves "${buffer.label}" (${buffer.length}).`,
      'Check the offset and the length.',
    );
  }

  #tooLarge(bytes: number, label: string): never {
    throw new DeviceError(
      `"${label}" needs ${bytes} bytes; ${this.#allocated} of ${this.limits.maxTotalBytes} are in use.`,
      'Use a smaller batch or model, or close other tabs.',
    );
  }
}

/** Creates a CPU device; asynchronous because it compiles the WebAssembly kernels. */
export async function createCpuDevice(options: CpuDeviceOptions = {}): Promise<CpuDevice> {
  const precision = options.precision ?? 'f32';
  const hasSimd = precision === 'f32' && options.simd !== false;
  const fused = hasSimd && options.fused === true;
  const simd = hasSimd ? await instantiateSimd(options.threads, fused) : undefined;
  const device = new CpuDevice(precision, simd, options.maxBindingBytes, fused ? 'cpu-fused' : 'cpu');
  if (!simd || !options.isLean) await device.complete();
  return device;
}
