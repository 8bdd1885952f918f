// A model's files, read once and reused while the model is opened, closed and opened again (equipment.ts).

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { Placement } from '../../engine/memory/plan.ts';
import { loadModelFiles, type ModelFiles } from '../../storage/model-files.ts';
import { type ModelText, openModelText } from '../../storage/model-text.ts';
import type { FileSource } from '../../storage/sources.ts';

/** The model that an adapter was folded into. */
export interface ModelBase {
  id: string;
  source: FileSource;
  placed: Placement;
}

/** A model's id and files, with everything read from them so far. */
export interface Loaded {
  id: string;
  source: FileSource;
  /** A LoRA adapter that is folded into the files' weights. */
  adapter: { base: ModelBase; source: FileSource } | null;
  placed: Placement;
  /** Hash of the model as stored on the device; null if it is that of its files. */
  sha256: string | null;
  files: ModelFiles | null;
  text: ModelText | null;
}

/** Throws FormatError if the model has no tokenizer or one that does not fit: in the lab every model must read text. */
export async function readLoaded(
  loaded: Loaded,
  onHashed?: (done: number, total: number) => void,
): Promise<{ files: ModelFiles; text: ModelText }> {
  try {
    loaded.files ??= await filesOf(loaded, onHashed);
  } catch (error) {
    throw explainReadError(error, loaded);
  }
  loaded.text ??= await openModelText(loaded.files, loaded.source.label);
  return { files: loaded.files, text: loaded.text };
}

async function filesOf(
  { source, adapter }: Loaded,
  onHashed?: (done: number, total: number) => void,
): Promise<ModelFiles> {
  const files = await loadModelFiles(source, onHashed);
  if (!adapter) return files;
  const { withAdapterOf } = await import('../../storage/peft/fold.ts');
  return withAdapterOf(files, adapter.source);
}

/**
 * Explains a dropped file that the browser can no longer read, since it was moved, changed or deleted; returns any other error unchanged.
 */
export function explainReadError(error: unknown, { source }: Loaded): unknown {
  const { name } = (error ?? {}) as { name?: string };
  if (name !== 'NotReadableError' && name !== 'NotFoundError') return error;
  return new FormatError(
    `${source.label} cannot be read any more: its files were moved, changed or deleted.`,
    'Drop the folder again, or keep the model in this browser.',
    { cause: error },
  );
}

/** @param etaSeconds null or absent if unknown */
export type OnProgress = (what: string, done: number, total: number, etaSeconds?: number | null) => void;
