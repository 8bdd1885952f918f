// A pretraining's state as one safetensors file: weights, both moments, the step, and the settings it belongs to.
import type { TrainerState } from '../../engine/trainer.ts';
import type { Tensor } from '../../engine/types.ts';
import { FormatError } from '../../lib/errors.ts';
import { type ByteSource, SafetensorsFile } from '../../storage/safetensors.ts';
import { type TensorToWrite, writeSafetensors } from '../../storage/safetensors-write.ts';

/** `settings` is any text that two compatible trainings share. */
export function writeTrainerState(state: TrainerState, settings: string): Uint8Array<ArrayBuffer> {
  const tensors = new Map<string, TensorToWrite>();
  for (const [name, { shape, data }] of state.weights) {
    const moment = (kind: 'm' | 'v'): TensorToWrite => ({ dtype: 'F32', shape, data: state[kind].get(name)! });
    tensors.set(`weights/${name}`, { dtype: 'F32', shape, data });
    tensors.set(`m/${name}`, moment('m'));
    tensors.set(`v/${name}`, moment('v'));
  }
  return writeSafetensors(tensors, { step: String(state.step), settings });
}

/** Throws FormatError when the file belongs to other settings. */
export async function readTrainerState(source: ByteSource, label: string, settings: string): Promise<TrainerState> {
  const file = await SafetensorsFile.open(source, label);
  const step = Number(file.metadata.step);
  if (!Number.isInteger(step) || file.metadata.settings !== settings) {
    throw new FormatError(
      `${label} is of a training with other settings (${file.metadata.settings}, now ${settings}).`,
      'Give the same flags, or begin anew with --fresh.',
    );
  }
  const state: TrainerState = { step, weights: new Map<string, Tensor>(), m: new Map(), v: new Map() };
  for (const [key, { shape }] of file.tensors) {
    const slash = key.indexOf('/');
    const [kind, name] = [key.slice(0, slash), key.slice(slash + 1)];
    const data = await file.readF32(key);
    if (kind === 'weights') state.weights.set(name, { shape, data });
    else if (kind === 'm' || kind === 'v') state[kind].set(name, data);
    else throw new FormatError(`${label} holds the unknown tensor ${key}.`, 'Begin anew with --fresh.');
  }
  return state;
}
