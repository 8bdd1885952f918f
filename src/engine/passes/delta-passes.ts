// Loads the code of linear layers (delta.ts, delta-backward.ts) only for models that have such layers, to keep the page's first load small.
import type { Device } from '../../kernels/device.ts';
import type { ModelConfig } from '../types.ts';
import type { DeltaPasses } from './linears.ts';

/** Undefined for a model without linear layers. */
export async function deltaPasses({ delta }: ModelConfig): Promise<DeltaPasses | undefined> {
  if (!delta) return undefined;
  const [{ layerDelta }, { deltaBackward }] = await Promise.all([import('./delta.ts'), import('./delta-backward.ts')]);
  return { forward: layerDelta, backward: deltaBackward };
}

/** Resolves when the device has every kernel that the model needs. */
export async function completeFor(device: Device, { delta, headDim }: ModelConfig): Promise<void> {
  if (delta || headDim % 4 !== 0) await device.complete?.();
}
