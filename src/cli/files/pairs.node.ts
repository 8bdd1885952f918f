// `--pair-set FILE` (`extract`: `--pairs FILE`): a person's own labelled pairs, named in the spec by what they say, as the page names them.
import { readFile } from 'node:fs/promises';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { type ContrastivePair, pairsFromJson } from '../../environments/pair-sets.ts';
import { pairSetId } from '../../experiments/records/artifacts.ts';

export interface PairsOfFile {
  /** RunSpec.pairSet */
  id: string;
  pairs: ContrastivePair[];
}

/** `flag` is what the command calls it. Throws SpecError for a missing file, FormatError for one that holds no pairs. */
export async function readPairFile(path: string, flag = '--pair-set'): Promise<PairsOfFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new SpecError(
      `${flag} ${path}: ${(cause as NodeJS.ErrnoException).code ?? 'cannot be read'}.`,
      'Name a JSON file with an array of {"prompt": …, "hack": …, "clean": …}.',
      { cause },
    );
  }
  try {
    const pairs = pairsFromJson(text);
    return { id: await pairSetId(pairs), pairs };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new FormatError(`${path}: ${error.message}`, error.remedy, { cause: error });
  }
}
