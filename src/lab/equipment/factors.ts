// Singular vectors of a third-party model, made when it is first trained: computed in minutes, or read from the store in seconds. Progress
// includes the time left; finished linear layers survive a stop.
import type { FactorReader } from '../../engine/adapters/svd.ts';
import type { Device } from '../../kernels/device.ts';
import type { BlobStore } from '../../storage/factor-cache.ts';
import { StorageError } from '../../storage/kv.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import type { OnProgress } from './loaded.ts';

/** Null if there is no store or the browser denies it: then the model is factored each time. */
export async function usableStore(store: BlobStore | undefined): Promise<BlobStore | null> {
  if (!store) return null;
  try {
    await store.read('anything');
    return store;
  } catch (error) {
    if (error instanceof StorageError) return null;
    throw error;
  }
}

/** Resolves when the factors of every linear layer are in the store; they are read from there, layer by layer. */
export async function factorInStore(options: {
  device: Device;
  files: ModelFiles;
  store: BlobStore;
  signal?: AbortSignal;
  onProgress: OnProgress;
  breathe?(): Promise<void>;
  /** Milliseconds of a steady clock. */
  now?(): number;
}): Promise<FactorReader> {
  const { device, files, store, signal, onProgress, breathe, now = () => performance.now() } = options;
  // The embedded models need none of this code.
  const { keepFactors, secondsLeft } = await import('../../storage/factor-cache.ts');
  const from = now();
  const { reader } = await keepFactors({
    device,
    config: files.config,
    weights: files.weights,
    store,
    signal,
    onProgress: (share, _module, work) =>
      onProgress('factoring the model', share, 1, secondsLeft(work, (now() - from) / 1000)),
    breathe,
  });
  return reader;
}
