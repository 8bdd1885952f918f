// JSON lines of a file that a command was given, each with the place that messages name.
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { jsonOf } from '../../environments/problem-lines.ts';

/** Of a file that ends in .gz, what is in it. Throws FormatError when it cannot be read. */
export async function readInput(path: string): Promise<string> {
  try {
    return path.endsWith('.gz') ? gunzipSync(await readFile(path)).toString('utf8') : await readFile(path, 'utf8');
  } catch (error) {
    throw new FormatError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, 'Check the path.');
  }
}

/** Null for what is not JSON, where whoever looks at the value says what is wrong with it. */
export function jsonOrNull(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return null;
  }
}

export interface InputLine {
  value: unknown;
  /** `path:line`. */
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
