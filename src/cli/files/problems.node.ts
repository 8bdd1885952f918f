// A file of real problems, named in a spec by the sha-256 of its bytes.
import { readProblemFile } from '../../environments/leetcode/problem-file.ts';
import { sha256 } from '../../storage/sources.ts';
import { readInput } from '../grade/lines.ts';

export interface ProblemsOfFile {
  sha256: string;
  text: string;
}

/** Throws FormatError for a file that cannot be read, or whose lines are not problems. */
export async function readProblems(path: string): Promise<ProblemsOfFile> {
  const text = await readInput(path);
  readProblemFile(text, path);
  return { sha256: await sha256(new TextEncoder().encode(text)), text };
}
