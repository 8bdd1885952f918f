// Finds the device that reproduces a record's bits. A record, a link and a kept experiment name the device that they were made on; the
// choice at the time (`auto`) may select another one today, or on another machine.
import type { AdapterForm } from '../../engine/types.ts';
import { type Device, INTEGERS_SUFFIX, isOfGpu, type Numerics, SIMD_NAMES } from '../../kernels/device.ts';
import type { DeviceChoice } from '../config/spec.ts';

/** Numerics by the device's name. A link's name is untrusted text: anything that is not the CPU's counts as a GPU. */
export function numericsOf(device: string): Numerics {
  if (device === SIMD_NAMES['cpu-fused']) return 'cpu-fused';
  if (device.startsWith('CPU')) return 'cpu';
  return device.endsWith(INTEGERS_SUFFIX) ? 'webgpu-int8' : 'webgpu';
}

/** Whether a device of this name is a GPU, as far as numericsOf tells. */
export const isGpuName = (device: string): boolean => isOfGpu(numericsOf(device));

/** Everything that must be unchanged to resume from a checkpoint. WebGPU's bits depend on the adapter and its driver. */
export function contextOf(
  modelSha256: string,
  graderVersion: string,
  { numerics, name }: Pick<Device, 'numerics' | 'name'>,
  form: AdapterForm = 'folded',
): string {
  const driver = isOfGpu(numerics) ? ` (${name})` : '';
  const formWords = form === 'folded' ? '' : `${UNFOLDED}, `;
  return `model ${modelSha256}, grader ${graderVersion}, ${formWords}${numerics} device${driver}`;
}

/** Older contexts do not name the driver: they match every driver, as before. */
export const isContext = (kept: string, context: string): boolean =>
  kept === context || kept === context.replace(/( webgpu device) \(.*\)$/s, '$1');

/** Says in a context that the adapter was not folded, whose last digits are others. */
const UNFOLDED = 'unfolded adapter';

export const formOfContext = (context: string): AdapterForm =>
  context.includes(`, ${UNFOLDED}, `) ? 'unfolded' : 'folded';

/** Null if a context does not say, as older ones. */
export const numericsOfContext = (context: string): Numerics | null =>
  (/\b(cpu-fused|cpu|webgpu-int8|webgpu) device\b/.exec(context)?.[1] as Numerics | undefined) ?? null;

/** The choice that resumes or repeats an experiment begun on a device: the CPU's two kinds and a GPU's of 8-bit products by name; on
 *  another GPU, or if it never began, the original choice. */
export function choiceFor(chosen: DeviceChoice, device: string): DeviceChoice {
  const numerics = device === '' ? 'webgpu' : numericsOf(device);
  return numerics === 'webgpu' ? chosen : numerics;
}
