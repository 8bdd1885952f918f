// A person's own files, which a run's spec names by their contents, as the page does: a hack basis (`--basis`), a teacher pool
// (`--teacher-pool`), labelled pairs (`--pair-set`; `extract`: `--pairs`), and problems (`--problems`), the benchmark's or with checks.
import { readFile } from 'node:fs/promises';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { customEnvironmentId } from '../../environments/custom/presentation.ts';
import { readCustomFile } from '../../environments/custom/problem-file.ts';
import { leetcodeEnvironmentId } from '../../environments/leetcode/presentation.ts';
import { readProblemFile } from '../../environments/leetcode/problem-file.ts';
import { type ContrastivePair, pairsFromJson } from '../../environments/pair-sets.ts';
import { pairSetId } from '../../experiments/records/artifacts.ts';
import { diskFile } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import { readInput } from '../grade/lines.ts';
import type { PoolOfFile } from './pool.node.ts';

interface BasisOfFile {
  sha256: string;
  path: string;
}

interface PairsOfFile {
  /** Value of RunSpec.pairSet. */
  id: string;
  pairs: ContrastivePair[];
}

interface ProblemsOfFile {
  sha256: string;
  /** Name of the file as given. */
  name: string;
  text: string;
  /** Name of the environment in a spec. */
  environment: string;
}

/** Files given to a run; null if there is none. */
export interface GivenFiles {
  basis: BasisOfFile | null;
  pool: PoolOfFile | null;
  pairs: PairsOfFile | null;
  problems: ProblemsOfFile | null;
}

/** The tensors are checked once the model is loaded. Throws SpecError for a missing file. */
export async function nameBasis(path: string): Promise<BasisOfFile> {
  const file = await diskFile(path);
  if (file) return { sha256: await sha256(file), path };
  throw new SpecError(
    `--basis ${path}: there is no such file.`,
    'Name a safetensors file with V/<module> and S/<module>.',
  );
}

/** `flag` is its name in the command. Throws SpecError for a missing file, FormatError for one that holds no pairs. */
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

/** Throws FormatError for a file that cannot be read, or whose lines are not problems. `isCustom`: with checks of its own. */
export async function readProblems(path: string, isCustom = false): Promise<ProblemsOfFile> {
  const text = await readInput(path);
  if (isCustom) readCustomFile(text, path);
  else readProblemFile(text, path);
  const hash = await sha256(new TextEncoder().encode(text));
  const environment = isCustom ? customEnvironmentId(hash) : leetcodeEnvironmentId(hash);
  return { sha256: hash, name: path, text, environment };
}
