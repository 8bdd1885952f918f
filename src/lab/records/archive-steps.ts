// A run's kept optimizer steps as one safetensors file in its archive, so that an imported run can be replayed, and resumed,
// as where it was made:
//
//   step/<n>/<i>   F32 [adapter parameters]   the i-th update of step n (0-based; several with inner epochs, none where all groups were flat)
//   metadata       steps: how many steps there are

import type { KeptSteps } from '../../experiments/records/steps.ts';
import { bytesSource, SafetensorsFile } from '../../storage/safetensors.ts';
import { type TensorToWrite, writeSafetensors } from '../../storage/safetensors-write.ts';
import { damagedArchive } from './schema.ts';

/** Reads one value for each of the `length` adapter parameters of `whose`. Throws FormatError for any other tensor. */
export function flatVector(file: SafetensorsFile, name: string, length: number, label: string, whose: string) {
  const { shape, dtype } = file.info(name);
  if (shape.length !== 1 || shape[0] !== length || dtype !== 'F32')
    throw damagedArchive(
      label,
      `${name} is ${dtype} of shape [${shape}]; the ${whose} has ${length} adapter parameters.`,
    );
  return file.readF32(name);
}

/** Larger steps are left out of the archive, which is entirely in memory. */
const MAX_BYTES = 256 * 2 ** 20;

/** Null if there are no steps, or too many bytes. */
export function writeSteps(steps: KeptSteps | null): Uint8Array<ArrayBuffer> | null {
  if (!steps) return null;
  const tensors = new Map<string, TensorToWrite>();
  let bytes = 0;
  for (const [n, deltas] of steps.entries())
    for (const [i, data] of deltas.entries()) {
      tensors.set(`step/${n + 1}/${i}`, { dtype: 'F32', shape: [data.length], data });
      bytes += data.byteLength;
    }
  return bytes > MAX_BYTES ? null : writeSafetensors(tensors, { steps: String(steps.length) });
}

/** Reads at most `count` steps of vectors with `adapterParams` elements each. Throws FormatError for any other content. */
export async function readSteps(
  content: Uint8Array,
  label: string,
  count: number,
  adapterParams: number,
): Promise<Float32Array[][]> {
  const file = await SafetensorsFile.open(bytesSource(content), label);
  const n = Number(file.metadata.steps);
  if (!(Number.isInteger(n) && n > 0 && n <= count))
    throw damagedArchive(label, `it has ${String(file.metadata.steps).slice(0, 20)} steps; the run has ${count}.`);
  const steps: Float32Array[][] = Array.from({ length: n }, () => []);
  let found = 0;
  for (const [index, deltas] of steps.entries())
    for (let name = nameOf(index, 0); file.tensors.has(name); name = nameOf(index, deltas.length)) {
      deltas.push(await flatVector(file, name, adapterParams, label, 'run'));
      found++;
    }
  if (found !== file.tensors.size) throw damagedArchive(label, 'it holds a tensor that is not a step of this run.');
  return steps;
}

const nameOf = (index: number, update: number): string => `step/${index + 1}/${update}`;
