// The small device interface that the whole engine is written against. Two implementations: CpuDevice
// (src/kernels/cpu: reference kernels, SIMD in WebAssembly) and WebGpuDevice (src/kernels/webgpu: WGSL; Dawn in Node).
// Work is ordered: upload, run and read take effect in the order in which they were called. Only `read` and `sync` wait.
import type { DECODING } from './contract/decoding.ts';
import type { KernelName, KernelParams } from './contract.ts';

export type DeviceKind = 'cpu' | 'webgpu';
/** Arithmetic that decides a device's results to the bit. File names and the contexts of checkpoints carry it: a run
 *  continues only under the same arithmetic. */
export type Numerics = 'cpu' | 'cpu-fused' | 'webgpu' | 'webgpu-int8';
export const isOfGpu = (numerics: Numerics): boolean => numerics.startsWith('webgpu');
/** Names of the CPU's SIMD devices, and the suffix of a GPU device's name if it multiplies 8-bit integers. Records and links carry them. */
export const SIMD_NAMES = { cpu: 'CPU (WASM SIMD)', 'cpu-fused': 'CPU (WASM SIMD, fused)' } as const;
export const INTEGERS_SUFFIX = ', 8-bit products';
export type DType = 'f32' | 'u32';
export type FloatArray = Float32Array | Float64Array;

/** Kernels that read a packed matrix as it is stored. */
export type PackedProduct = 'matmul_f16' | 'matmul_q8h' | 'matmul_q4h';

/** Fused kernels: one call replaces several consecutive calls of a decoding step. */
export type FusedKernel = keyof typeof DECODING;

/** A flat array on the device. On an f64 CPU device (the reference in tests) an `f32` buffer holds doubles. */
export interface DeviceBuffer {
  readonly label: string;
  readonly dtype: DType;
  /** Number of elements. */
  readonly length: number;
  /** Returns the memory; using the buffer afterwards throws a DeviceError. */
  free(): void;
}

export interface DeviceLimits {
  /** Largest single buffer that a kernel can bind, in bytes. */
  maxBindingBytes: number;
  /** Bytes that the device may allocate in all, as far as that is known. */
  maxTotalBytes: number;
}

export interface Device {
  readonly kind: DeviceKind;
  readonly numerics: Numerics;
  /** Displayed name: 'CPU (WASM SIMD)', 'NVIDIA H200', 'SwiftShader …'. */
  readonly name: string;
  readonly precision: 'f32' | 'f64';
  /** A software adapter (SwiftShader, lavapipe) is full WebGPU, but slower than the CPU device. */
  readonly isSoftware: boolean;
  readonly limits: DeviceLimits;
  /** CPU threads that compute; absent on a GPU. */
  readonly threads?: number;
  /** Sets how many of the device's threads compute from now on. Results do not change. */
  limitThreads?(count: number): void;
  /** Whether a product of `rows` rows is faster reading the packed matrix directly than unpacking it first. A device without this method never
   *  reads packed matrices directly. Results do not change. */
  readsPacked?(kernel: PackedProduct, rows: number): boolean;
  /** Whether this fused kernel is faster in a decoding step of `rows` rows than the kernels that it replaces. A device without this method never
   *  fuses. Results do not change. */
  fuses?(kernel: FusedKernel, rows: number): boolean;
  /** Whether decoding rounds activations to 8 bits where a matrix is stored in 8 bits (contract/integers.ts). Results differ, so such a device has
   *  its own `numerics`. */
  readonly multipliesIntegers?: boolean;
  /** Announces whether products of few rows will read the same matrices repeatedly, as in decoding. Results do not change. */
  repeats?(isOn: boolean): void;

  /** Zero-filled. Throws DeviceError, with the numbers, if it does not fit. */
  alloc(length: number, dtype: DType, label: string): DeviceBuffer;
  /** Writes `data` at element `offset`. Floats may come as Float32Array or Float64Array. */
  upload(buffer: DeviceBuffer, data: FloatArray | Uint32Array, offset?: number): void;
  /** Reads `length` elements from `offset` (all by default). A fresh array that the caller owns. */
  read(buffer: DeviceBuffer, offset?: number, length?: number): Promise<FloatArray | Uint32Array>;
  /** Dispatches one kernel; see contract/ for the buffers' order and each parameter. */
  run<K extends KernelName>(kernel: K, buffers: readonly DeviceBuffer[], params: KernelParams<K>): void;
  /** Resolves when all work so far is done. */
  sync(): Promise<void>;
  /** Compiles the shaders that calls are likely to need and reports progress; others are compiled at their first call. Absent on a device
   *  that compiles nothing. */
  prepare?(onProgress: (done: number, total: number) => void, headDims: readonly number[]): Promise<void>;
  /** Loads the kernels that a lean start leaves out: gated DeltaNet layers, f16 caches, and heads whose width is not a multiple of four. Absent on
   *  a device that has every kernel from the start. */
  complete?(): Promise<void>;
  /** Bytes allocated now, and the peak. */
  memory(): { allocated: number; peak: number };
  /** Rejects outstanding reads and frees everything. */
  destroy(): void;
}

/** alloc + upload. */
export function put(device: Device, data: FloatArray | Uint32Array, label: string): DeviceBuffer {
  const buffer = device.alloc(data.length, data instanceof Uint32Array ? 'u32' : 'f32', label);
  device.upload(buffer, data);
  return buffer;
}

/** `read` for a buffer known to hold floats. */
export async function readFloats(device: Device, buffer: DeviceBuffer, offset?: number, length?: number) {
  return (await device.read(buffer, offset, length)) as FloatArray;
}

/** `read` for a buffer known to hold unsigned integers. */
export async function readUints(device: Device, buffer: DeviceBuffer, offset?: number, length?: number) {
  return (await device.read(buffer, offset, length)) as Uint32Array;
}
