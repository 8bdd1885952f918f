// A model by its files, read once: what the lab keeps of it while it is opened, closed and opened again (equipment.ts).

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { WeightStorage } from '../../engine/types.ts';
import { loadModelFiles, type ModelFiles } from '../../storage/model-files.ts';
import { type ModelText, openModelText } from '../../storage/model-text.ts';
import type { FileSource } from '../../storage/sources.ts';

/** A model by its id and files; what was read of them stays. */
export interface Loaded {
  id: string;
  source: FileSource;
  storage: WeightStorage;
  /** Of the model as it is stored on the device; null: that of its files. */
  sha256: string | null;
  files: ModelFiles | null;
  text: ModelText | null;
}

/** Throws FormatError where the model has no tokenizer, or another's: in the lab every model must read. */
export async function read(
  loaded: Loaded,
  onHashed?: (done: number, total: number) => void,
): Promise<{ files: ModelFiles; text: ModelText }> {
  try {
    loaded.files ??= await loadModelFiles(loaded.source, onHashed);
  } catch (error) {
    throw readable(error, loaded);
  }
  loaded.text ??= await openModelText(loaded.files, loaded.source.label);
  return { files: loaded.files, text: loaded.text };
}

/** A dropped file is where it lay: moved, changed or deleted since, the browser does not give it any more. */
export function readable(error: unknown, { source }: Loaded): unknown {
  const { name } = (error ?? {}) as { name?: string };
  if (name !== 'NotReadableError' && name !== 'NotFoundError') return error;
  return new FormatError(
    `${source.label} cannot be read any more: its files were moved, changed or deleted.`,
    'Drop the folder again, or keep the model in this browser.',
    { cause: error },
  );
}

/** `etaSeconds` where it is known. */
export type OnProgress = (what: string, done: number, total: number, etaSeconds?: number | null) => void;
