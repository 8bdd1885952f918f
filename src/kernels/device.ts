// The small device interface that the whole engine is written against. Two implementations: CpuDevice
// (src/kernels/cpu: reference kernels, SIMD in WebAssembly) and WebGpuDevice (src/kernels/webgpu: WGSL; Dawn in Node).
// Work is ordered: upload, run and read take effect in the order in which they were called. Only `read` and `sync` wait.
import type { DECODING } from './contract/decoding.ts';
import type { KernelName, KernelParams } from './contract.ts';

export type DeviceKind = 'cpu' | 'webgpu';
/** Arithmetic whose bits a device computes with. Names of files and checkpoints' contexts carry it: a run continues
 *  only with its own. */
export type Numerics = 'cpu' | 'cpu-fused' | 'webgpu' | 'webgpu-int8';
export const isOfGpu = (numerics: Numerics): boolean => numerics.startsWith('webgpu');
/** Names of the CPU's SIMD devices, and the end of a GPU's name that multiplies integers. Records and links carry them. */
export const SIMD_NAMES = { cpu: 'CPU (WASM SIMD)', 'cpu-fused': 'CPU (WASM SIMD, fused)' } as const;
export const INTEGERS_SUFFIX = ', 8-bit products';
export type DType = 'f32' | 'u32';
export type FloatArray = Float32Array | Float64Array;

/** Kernels that read a packed matrix as it is stored. */
export type PackedProduct = 'matmul_f16' | 'matmul_q8h' | 'matmul_q4h';

/** Kernels that do in one call what a step of decoding does in a row. */
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
  /** Name for people: 'CPU (WASM SIMD)', 'NVIDIA H200', 'SwiftShader …'. */
  readonly name: string;
  readonly precision: 'f32' | 'f64';
  /** A software adapter (SwiftShader, lavapipe) is honest WebGPU, but slower than the CPU device. */
  readonly isSoftware: boolean;
  readonly limits: DeviceLimits;
  /** Threads of the processor, where it is what computes. */
  readonly threads?: number;
  /** Sets how many of the threads that the device was opened with compute from now on. It changes no byte. */
  limitThreads?(count: number): void;
  /** Whether a product of so many rows is faster with a packed matrix as it is stored than with the matrix unpacked first; never where it
   *  is left out. It changes no byte. */
  readsPacked?(kernel: PackedProduct, rows: number): boolean;
  /** Whether a step of decoding so many rows is faster with this kernel than with those that it stands for; never where it is left out. It
   *  changes no byte. */
  fuses?(kernel: FusedKernel, rows: number): boolean;
  /** Whether a step of decoding rounds its rows to 8 bits where a matrix is stored in 8 bits (contract/integers.ts). It changes digits, and is
   *  what makes such a device a kind of its own. */
  readonly multipliesIntegers?: boolean;
  /** Whether products of few rows are going to read the same matrices again and again, as decoding does. It changes no byte. */
  repeats?(isOn: boolean): void;

  /** Zero-filled. Throws DeviceError, with the numbers, if it does not fit. */
  alloc(length: number, dtype: DType, label: string): DeviceBuffer;
  /** Writes `data` at element `offset`. Floats may come as Float32Array or Float64Array. */
  upload(buffer: DeviceBuffer, data: FloatArray | Uint32Array, offset?: number): void;
  /** Reads `length` elements from `offset` (all by default). A fresh array that the caller owns. */
  read(buffer: DeviceBuffer, offset?: number, length?: number): Promise<FloatArray | Uint32Array>;
  /** Dispatches one kernel; see contract.ts for the buffers' order and each parameter. */
  run<K extends KernelName>(kernel: K, buffers: readonly DeviceBuffer[], params: KernelParams<K>): void;
  /** Resolves when all work so far is done. */
  sync(): Promise<void>;
  /**
   * Compiles ahead what kernels are likely to need, and tells how many of those are done. Absent where nothing is compiled. What it
   * misses is compiled when it is called.
   */
  prepare?(onProgress: (done: number, total: number) => void, headDims: readonly number[]): Promise<void>;
  /** Loads what computes shapes that the fast kernels cannot take: linear layers, and heads whose width is no multiple of four. Absent
   *  where everything is there from the first. */
  complete?(): Promise<void>;
  /** Bytes now allocated, and the most there ever were. */
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
