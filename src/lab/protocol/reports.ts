// What the worker reports of its device, its model and its room: plain records that the page draws. Below every other part of
// the protocol, so that each can name them.
import type { ModelConfig, WeightStorage } from '../../engine/types.ts';
import type { DeviceChoice } from '../../experiments/config/spec.ts';
import type { DeviceKind } from '../../kernels/device.ts';
import type { GenerationDefaults } from '../../text/generation.ts';

export interface AdapterReport {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
  isFallback: boolean;
  features: string[];
  /** By WebGPU's own names, in its units (bytes, counts). */
  limits: Record<string, number>;
}

export interface Diagnostics {
  /** Each thing that was tried on the way to WebGPU, and what came of it. */
  tried: { what: string; outcome: string; ok: boolean }[];
  adapter: AdapterReport | null;
  /** Bytes on the lab's device: now, and the most there ever were. */
  memory: { allocated: number; peak: number };
  maxBindingBytes: number;
}

export interface MatmulSpeed {
  /** [n, n] times [n, n]. */
  n: number;
  repeats: number;
  seconds: number;
  /** 2n³ operations each. */
  gflops: number;
}

/** A software WebGPU adapter and the CPU device on the same product: both are this machine's processor. */
export interface DeviceComparison {
  /** The adapter's name, as its device has it. */
  adapter: string;
  /** [n, n] times [n, n]. */
  n: number;
  /** GFLOP/s. */
  webgpu: number;
  cpu: number;
  /** Of the CPU device. */
  threads: number;
}

/** What the lab computes on, and why. */
export interface DeviceReport {
  choice: DeviceChoice;
  kind: DeviceKind;
  /** For people: 'NVIDIA H200', 'CPU (WASM SIMD)'. */
  name: string;
  isSoftware: boolean;
  /** That share the work; of the CPU device. */
  threads?: number;
  /** One sentence: why this one and not the other. */
  reason: string;
}

export interface ModelReport {
  /** Folder name: `tiny-coder`. */
  id: string;
  config: ModelConfig;
  /** Hex sha-256 of the weight files; where they are on the device in fewer bits, of that and of how they are stored. */
  sha256: string;
  parameters: number;
  /** Linears that carry an adapter parameter, and the elements of δS. */
  modules: number;
  adapterParams: number;
  /** The lab's own model, made for its problems; not a third-party one. */
  isOwn: boolean;
  /** How its weights are stored on the device. */
  storage: WeightStorage;
  hasChatTemplate: boolean;
  /** How the model itself wants to be sampled. */
  defaults: GenerationDefaults;
  /** Says what in its folder was left out, or read otherwise than the folder says: a sentence each. */
  notes: readonly string[];
}

export interface StorageReport {
  /** The browser promised not to evict the lab's records. */
  persisted: boolean;
  usedBytes: number | null;
  quotaBytes: number | null;
}

export interface ReadyReport {
  device: DeviceReport;
  /** Why the CPU device with fused multiply-adds is not offered here, as a clause; null where it is. */
  fusedProblem: string | null;
  model: ModelReport;
  graderVersion: string;
  appVersion: string;
  storage: StorageReport;
}
