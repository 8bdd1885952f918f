// Scenario files on the disk.
import { readFile } from 'node:fs/promises';
import { parseTrace, type Trace } from '../../environments/are/scenario/schema.ts';
import { FormatError } from '../../lib/errors.ts';

/** Throws FormatError where there is no such file, ScenarioError where it is no scenario. */
export async function readTrace(path: string): Promise<Trace> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new FormatError(`${path} cannot be read: ${(error as Error).message}`, 'Name a scenario or trace (JSON).');
  }
  return parseTrace(text);
}
