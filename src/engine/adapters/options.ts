// What an engine is created from.
import type { Device } from '../../kernels/device.ts';
import type { AdapterSettings, ModelConfig, WeightReader, WeightStorage, Weights } from '../types.ts';
import type { FactorReader, Factors } from './svd.ts';

export interface EngineOptions {
  device: Device;
  config: ModelConfig;
  /** In memory, or read tensor by tensor (then the host holds one at a time). */
  weights: Weights | WeightReader;
  /** `svd` factors every Linear on the device (default); `none` leaves the model unwrapped: it talks, and needs no factors and
   *  no second copy of its Linears; or factors from elsewhere; or as a run spec says it. */
  adapter?: 'svd' | 'none' | ReadonlyMap<string, Factors> | FactorReader | AdapterSettings;
  /** How the frozen parts are stored on the device (packed.ts); f32 by default. plan.ts chooses by what fits. */
  storage?: WeightStorage;
  signal?: AbortSignal;
  /** Modules factored so far; it is waited for, so that other work can come in between. */
  onProgress?: (done: number, total: number) => void | Promise<void>;
}
