// Finds the device that reproduces a record's bits. Records, links and stored experiments name the device that they were made on; the original
// choice (`auto`) may select another one today, or on another machine.
import type { AdapterForm } from '../../engine/types.ts';
import { type Device, type Numerics, SIMD_NAMES } from '../../kernels/device.ts';
import type { DeviceChoice } from '../config/spec.ts';

/** Numerics by the device's name. A link's name is untrusted text: anything but the CPU's names counts as a GPU. */
export function numericsOf(device: string): Numerics {
  if (device === SIMD_NAMES['cpu-fused']) return 'cpu-fused';
  return device.startsWith('CPU') ? 'cpu' : 'webgpu';
}

/** Everything that must be unchanged to resume from a checkpoint. WebGPU's bits depend on the adapter and its driver. */
export function contextOf(
  modelSha256: string,
  graderVersion: string,
  { numerics, name }: Pick<Device, 'numerics' | 'name'>,
  form: AdapterForm = 'folded',
): string {
  const driver = numerics === 'webgpu' ? ` (${name})` : '';
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
  (/\b(cpu-fused|cpu|webgpu) device\b/.exec(context)?.[1] as Numerics | undefined) ?? null;

/** The device choice that resumes or repeats an experiment begun on `device`: one of the CPU's two kinds by name; the original choice for a
 *  GPU, or if the experiment never began. */
export function choiceFor(chosen: DeviceChoice, device: string): DeviceChoice {
  const numerics = device === '' ? 'webgpu' : numericsOf(device);
  return numerics === 'webgpu' ? chosen : numerics;
}
