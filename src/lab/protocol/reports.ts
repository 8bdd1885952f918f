// The worker's reports of its device, its model and its storage: plain records that the page draws. It is the lowest module of the
// protocol, so that the others can import it.
import type { ModelConfig, WeightStorage } from '../../engine/types.ts';
import type { DeviceChoice } from '../../experiments/config/spec.ts';
import type { DeviceKind } from '../../kernels/device.ts';
import type { AdapterFacts } from '../../storage/peft/adapter.ts';
import type { GenerationDefaults } from '../../text/generation.ts';

export interface AdapterReport {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
  isFallback: boolean;
  features: string[];
  /** Limits by WebGPU's own names, in its units (bytes, counts). */
  limits: Record<string, number>;
}

export interface Diagnostics {
  /** Each attempt to find WebGPU, and its outcome. */
  tried: { what: string; outcome: string; ok: boolean }[];
  adapter: AdapterReport | null;
  /** Bytes on the lab's device: now, and at peak. */
  memory: { allocated: number; peak: number };
  maxBindingBytes: number;
}

export interface MatmulSpeed {
  /** Size of the product [n, n] times [n, n]. */
  n: number;
  repeats: number;
  seconds: number;
  /** GFLOP/s, with 2n³ operations per product. */
  gflops: number;
}

/** A software WebGPU adapter and the CPU device on the same product: both are this machine's processor. */
export interface DeviceComparison {
  /** The adapter's name as its device reports it. */
  adapter: string;
  /** Size of the product [n, n] times [n, n]. */
  n: number;
  /** GFLOP/s. */
  webgpu: number;
  cpu: number;
  /** Threads of the CPU device. */
  threads: number;
}

/** The device that the lab computes on, and why. */
export interface DeviceReport {
  choice: DeviceChoice;
  kind: DeviceKind;
  /** For display: 'NVIDIA H200', 'CPU (WASM SIMD)'. */
  name: string;
  isSoftware: boolean;
  /** Threads that share the work of the CPU device. */
  threads?: number;
  /** Why this device and not the other, in one sentence. */
  reason: string;
}

export interface ModelReport {
  /** Folder name: `tiny-coder`. */
  id: string;
  config: ModelConfig;
  /** Hex sha-256 of the weight files; if they are stored in fewer bits, of that hash and the storage. */
  sha256: string;
  parameters: number;
  /** Number of linear layers with an adapter, and of elements of δS. */
  modules: number;
  adapterParams: number;
  /** Whether it is the lab's own model, made for its problems, not a third-party one. */
  isOwn: boolean;
  /** Storage of its weights on the device. */
  storage: WeightStorage;
  hasChatTemplate: boolean;
  /** The model's own sampling settings. */
  defaults: GenerationDefaults;
  /** A sentence for each file or setting that was ignored or reinterpreted. */
  notes: readonly string[];
  /** The LoRA adapter that is folded into its weights. */
  adapter?: AdapterFacts;
}

export interface StorageReport {
  /** Whether the browser promised not to evict the lab's records. */
  persisted: boolean;
  usedBytes: number | null;
  quotaBytes: number | null;
}

export interface ReadyReport {
  device: DeviceReport;
  /** Why the CPU device with fused multiply-adds is unavailable, as a clause; null if it is available. */
  fusedProblem: string | null;
  model: ModelReport;
  graderVersion: string;
  appVersion: string;
  storage: StorageReport;
}
