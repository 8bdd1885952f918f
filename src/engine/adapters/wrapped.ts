// Options of an engine, and the construction of its adapter. Singular vectors are given, read, or computed on the device.

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
  /** Weights in memory, or a reader (then the host holds one tensor at a time). */
  weights: Weights | WeightReader;
  /** `svd` factors every Linear on the device (default). `none` has no adapter: the model can only generate and score, and needs neither
   *  factors nor a second copy of its Linears. Or given factors, or the settings of a run spec. */
  adapter?: 'svd' | 'none' | ReadonlyMap<string, Factors> | FactorReader | BegunAdapter;
  /** Storage of the frozen parts on the device (packed.ts); default: f32. plan.ts chooses the one that fits. */
  storage?: WeightStorage;
  /** Form of the adapter's update; default: folded, the only form of `full`. */
  form?: AdapterForm;
  signal?: AbortSignal;
  /** Called with the number of modules factored so far; it is awaited, so that other work can run in between. */
  onProgress?: (done: number, total: number) => void | Promise<void>;
}

/** Creates the adapter that the options name; null for `none`. */
export async function wrapped(
  options: EngineOptions,
  weights: DeviceWeights,
): Promise<LinearAdapter | WholeAdapter | null> {
  const { device, config, adapter = 'svd', form = 'folded', signal } = options;
  if (adapter === 'none') return null;
  const settings = typeof adapter === 'object' && 'adapter' in adapter ? adapter : undefined;
  const layout = adapterLayout(config, settings);
  // Runs of the embedded models train singular values, so the code of other adapters is imported only when needed.
  if (settings?.adapter === 'lora') {
    const { LoraAdapter } = await import('./lora.ts');
    const lora = new LoraAdapter(device, weights, layout, await adaptedBy(form, layout), settings.initial);
    // Initial parameters with B ≠ 0 change the model before the first step, so they are folded in.
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
  // In f32, singular vectors are also kept on the host for comparisons; otherwise they are read one Linear at a time.
  if (weights.storage !== 'f32') return SvdAdapter.load(device, weights, layout, reader, loading);
  const factors = new Map<string, Factors>();
  for (const module of layout.modules) factors.set(module.name, await reader.read(module));
  return SvdAdapter.load(device, weights, layout, factors, loading);
}

/** Returns the function that gives a Linear a low-rank update in this form. */
async function adaptedBy(form: AdapterForm, { modules }: AdapterLayout): Promise<AdaptLinear> {
  if (form === 'folded') return (await import('./lora.ts')).foldedLinear;
  // The code is imported on demand, since only models whose folded copy does not fit need it.
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
      // The SVD of a large Linear takes seconds, so it must yield to notice an abort.
      const breathe = svdMethod(device, dOut, dIn) === 'blocks' ? report : undefined;
      const { data } = await reader.read(`${name}.weight`);
      const factors = await factored(device, data, dOut, dIn, { signal, breathe });
      done++;
      await report();
      return factors;
    },
  };
}
