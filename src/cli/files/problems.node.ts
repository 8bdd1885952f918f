// A file of problems, named in a spec by the sha-256 of its bytes: the benchmark's, or a person's own with checks.
import { customEnvironmentId } from '../../environments/custom/presentation.ts';
import { readCustomFile } from '../../environments/custom/problem-file.ts';
import { leetcodeEnvironmentId } from '../../environments/leetcode/presentation.ts';
import { readProblemFile } from '../../environments/leetcode/problem-file.ts';
import { sha256 } from '../../storage/sources.ts';
import { readInput } from '../grade/lines.ts';

export interface ProblemsOfFile {
  sha256: string;
  text: string;
  /** What a spec calls it. */
  environment: string;
}

/** Throws FormatError for a file that cannot be read, or whose lines are not problems. `isCustom`: with checks of its own. */
export async function readProblems(path: string, isCustom = false): Promise<ProblemsOfFile> {
  const text = await readInput(path);
  if (isCustom) readCustomFile(text, path);
  else readProblemFile(text, path);
  const hash = await sha256(new TextEncoder().encode(text));
  return { sha256: hash, text, environment: isCustom ? customEnvironmentId(hash) : leetcodeEnvironmentId(hash) };
}
