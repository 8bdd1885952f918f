// Finds the device that reproduces a record's bits. Records, links and stored experiments name the device that they were made on; the original
// choice (`auto`) may select another one today, or on another machine.
import type { AdapterForm } from '../../engine/types.ts';
import { type Device, INTEGERS_SUFFIX, isOfGpu, type Numerics, SIMD_NAMES } from '../../kernels/device.ts';
import type { DeviceChoice } from '../config/spec.ts';

/** Numerics by the device's name. A link's name is untrusted text: anything but the CPU's names counts as a GPU. */
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

/** Older contexts do not name the driver, and match every driver. */
export const isContext = (kept: string, context: string): boolean =>
  kept === context || kept === context.replace(/( webgpu device) \(.*\)$/s, '$1');

/** Marks a context whose adapter was not folded into the weights, which changes the last digits. */
const UNFOLDED = 'unfolded adapter';

export const formOfContext = (context: string): AdapterForm =>
  context.includes(`, ${UNFOLDED}, `) ? 'unfolded' : 'folded';

/** Null if a context does not name it, as in older ones. */
export const numericsOfContext = (context: string): Numerics | null =>
  (/\b(cpu-fused|cpu|webgpu-int8|webgpu) device\b/.exec(context)?.[1] as Numerics | undefined) ?? null;

/** The device choice that resumes or repeats an experiment begun on `device`: by name for the CPU's two kinds and a GPU's 8-bit products; the
 *  original choice for another GPU, or if the experiment never began. */
export function choiceFor(chosen: DeviceChoice, device: string): DeviceChoice {
  const numerics = device === '' ? 'webgpu' : numericsOf(device);
  return numerics === 'webgpu' ? chosen : numerics;
}
