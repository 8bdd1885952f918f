// JSON lines of a given file, each with the place that messages name.
import { readFile } from 'node:fs/promises';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { jsonOf } from '../../environments/problem-lines.ts';
import { unpackedFile } from '../../lib/packed-file.ts';

/** Text of a file, unzipped where it is gzip. Throws FormatError when it cannot be read. */
export async function readInput(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new FormatError(`${path} cannot be read (${error.code}).`, 'Check the path.', { cause: error });
  });
  return Buffer.from(unpackedFile(bytes, path)).toString('utf8');
}

/** Null for text that is not JSON; the check of the value then reports the error. */
export function jsonOrNull(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return null;
  }
}

export interface InputLine {
  value: unknown;
  /** Place of the line, `path:line`. */
  where: string;
  text: string;
}

/** Empty lines are passed over. Throws FormatError, naming the line. */
export async function readLines(path: string): Promise<InputLine[]> {
  return (await readInput(path)).split('\n').flatMap((line, i): InputLine[] => {
    if (line.trim() === '') return [];
    const where = `${path}:${i + 1}`;
    return [{ value: jsonOf(line, where), where, text: line }];
  });
}
