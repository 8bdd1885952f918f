// Which device gives a record's bits again. A record, a link and a kept experiment name the device that they were made on; what was chosen
// then (`auto`) may choose another one today, or on another machine.
import { type Device, type Numerics, SIMD_NAMES } from '../../kernels/device.ts';
import type { DeviceChoice } from '../config/spec.ts';

/** Whose bits these are, by the device's name. A link's name is anybody's text: what is none of the CPU's is a GPU's. */
export function numericsOf(device: string): Numerics {
  if (device === SIMD_NAMES['cpu-fused']) return 'cpu-fused';
  return device.startsWith('CPU') ? 'cpu' : 'webgpu';
}

/** What a checkpoint says that it goes on with, and nothing else. WebGPU's bits are an adapter's and its driver's. */
export function contextOf(
  modelSha256: string,
  graderVersion: string,
  { numerics, name }: Pick<Device, 'numerics' | 'name'>,
): string {
  const driver = numerics === 'webgpu' ? ` (${name})` : '';
  return `model ${modelSha256}, grader ${graderVersion}, ${numerics} device${driver}`;
}

/** An earlier lab's did not name the driver: it goes on wherever it did before. */
export const isContext = (kept: string, context: string): boolean =>
  kept === context || kept === context.replace(/( webgpu device) \(.*\)$/s, '$1');

/** Null where a context does not say, as an earlier lab's. */
export const numericsOfContext = (context: string): Numerics | null =>
  (/\b(cpu-fused|cpu|webgpu) device\b/.exec(context)?.[1] as Numerics | undefined) ?? null;

/** What an experiment that was begun on a device goes on with, or is run again with: the CPU's two kinds by name; on a GPU what was
 *  chosen. Empty where it never began. */
export function choiceFor(chosen: DeviceChoice, device: string): DeviceChoice {
  const numerics = device === '' ? 'webgpu' : numericsOf(device);
  return numerics === 'webgpu' ? chosen : numerics;
}
