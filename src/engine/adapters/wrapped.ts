// Options of an engine, and the adapter that its model is opened with: the one that the options name, its singular
// vectors given, read, or made on the device.

import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import type { Device } from '../../kernels/device.ts';
import { svdMethod } from '../../kernels/svd.ts';
import { adapterLayout } from '../adapter-layout.ts';
import type {
  AdapterForm,
  AdapterLayout,
  BegunAdapter,
  ModelConfig,
  WeightReader,
  WeightStorage,
  Weights,
} from '../types.ts';
import { readerOf } from '../weights/reader.ts';
import type { DeviceWeights } from '../weights/weights.ts';
import type { AdaptLinear, LinearAdapter, WholeAdapter } from './adapter.ts';
import { factored } from './factored.ts';
import type { FactorReader, Factors } from './svd.ts';
import { SvdAdapter } from './svd.ts';

export interface EngineOptions {
  device: Device;
  config: ModelConfig;
  /** Weights in memory, or read tensor by tensor (then the host holds one at a time). */
  weights: Weights | WeightReader;
  /** `svd` factors every Linear on the device (default); `none` leaves the model unwrapped: it talks, and needs no factors and
   *  no second copy of its Linears; or factors from elsewhere; or as a run spec says it. */
  adapter?: 'svd' | 'none' | ReadonlyMap<string, Factors> | FactorReader | BegunAdapter;
  /** Storage of the frozen parts on the device (packed.ts); f32 by default. plan.ts chooses by what fits. */
  storage?: WeightStorage;
  /** Form of the adapter's update; folded by default. `full` has no other form. */
  form?: AdapterForm;
  signal?: AbortSignal;
  /** Modules factored so far; it is waited for, so that other work can come in between. */
  onProgress?: (done: number, total: number) => void | Promise<void>;
}

/** The adapter that the options name; null for none. */
export async function wrapped(
  options: EngineOptions,
  weights: DeviceWeights,
): Promise<LinearAdapter | WholeAdapter | null> {
  const { device, config, adapter = 'svd', form = 'folded', signal } = options;
  if (adapter === 'none') return null;
  const settings = typeof adapter === 'object' && 'adapter' in adapter ? adapter : undefined;
  const layout = adapterLayout(config, settings);
  // The embedded models' own runs train singular values, so the code of other adapters is imported when a run has one.
  if (settings?.adapter === 'lora') {
    const { LoraAdapter } = await import('./lora.ts');
    const lora = new LoraAdapter(device, weights, layout, await adaptedBy(form, layout), settings.initial);
    // A start with B ≠ 0 changes the model before the first step, so it is folded in.
    if (settings.initial) lora.fold(settings.initial);
    return lora;
  }
  if (settings?.adapter === 'blocks') {
    const { BlocksAdapter } = await import('./blocks.ts');
    return new BlocksAdapter(device, weights, layout, await adaptedBy(form, layout));
  }
  if (settings?.adapter === 'full') {
    if (form === 'unfolded')
      throw new ShapeError('full is folded, and unfolded was asked for', 'Leave the form out, or train a LoRA.');
    return (await import('./full.ts')).FullAdapter.load(device, config, weights, layout);
  }
  const loading = { signal, beside: form === 'unfolded' ? await adaptedBy(form, layout) : null };
  if (typeof adapter === 'object' && !('adapter' in adapter))
    return SvdAdapter.load(device, weights, layout, adapter, loading);
  const reader = factorizer(options, layout);
  // Vectors of a small model are kept on the host, where a comparison can have them; of a large one, only what is at hand.
  if (weights.storage !== 'f32') return SvdAdapter.load(device, weights, layout, reader, loading);
  const factors = new Map<string, Factors>();
  for (const module of layout.modules) factors.set(module.name, await reader.read(module));
  return SvdAdapter.load(device, weights, layout, factors, loading);
}

/** The function that gives a Linear an update of low rank in this form. */
async function adaptedBy(form: AdapterForm, { modules }: AdapterLayout): Promise<AdaptLinear> {
  if (form === 'folded') return (await import('./lora.ts')).foldedLinear;
  // Only models whose folded copy does not fit are unfolded.
  const { besideLinear } = await import('./beside.ts');
  return besideLinear(Math.max(...modules.map(({ rank, r }) => rank ?? r)));
}

/** Factors each Linear from its original weights, however they are stored on the device. */
function factorizer({ device, weights, signal, onProgress }: EngineOptions, layout: AdapterLayout): FactorReader {
  const reader = readerOf(weights);
  let done = 0;
  return {
    read: async ({ name, dOut, dIn }) => {
      const report = async () => onProgress?.(done, layout.modules.length);
      // A large Linear takes seconds, in which a stop must be noticed.
      const breathe = svdMethod(device, dOut, dIn) === 'blocks' ? report : undefined;
      const { data } = await reader.read(`${name}.weight`);
      const factors = await factored(device, data, dOut, dIn, { signal, breathe });
      done++;
      await report();
      return factors;
    },
  };
}
