// The state from which a pretraining goes on: its own as one safetensors file (weights, both moments, the step, and its settings), or the
// weights of a model that is trained further (a warm restart).
import { join } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { TrainerState } from '../../engine/decoder/trainer.ts';
import type { Tensor, Weights } from '../../engine/types.ts';
import { readAll } from '../../engine/weights/reader.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { type ByteSource, SafetensorsFile } from '../../storage/safetensors.ts';
import { type TensorToWrite, writeSafetensors } from '../../storage/safetensors-write.ts';
import { diskFile, diskSource } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';

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

export interface StartWeights {
  weights: Weights;
  /** sha-256 of the folder's model.safetensors, for the manifest. */
  sha256: string;
}

/** The weights of a model folder. The trainer checks whether they fit. Throws FormatError. */
export async function readStartWeights(folder: string): Promise<StartWeights> {
  const files = await loadModelFiles(diskSource(folder));
  const file = await diskFile(join(folder, 'model.safetensors'));
  if (!file)
    throw new FormatError(`${folder} has no model.safetensors.`, 'Give a folder that `lab pretrain` has written.');
  return { weights: await readAll(files.weights), sha256: await sha256(file) };
}
