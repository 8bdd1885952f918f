// A user's file of problems, one JSON line each, and the order in which a run uses them.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { CounterRng, keyFor, STREAMS } from '../rng/index.ts';

interface Problem {
  id: string;
}

/** `read` gets a line's value, its place and its text. Empty lines are skipped. Throws FormatError, naming `NAME:LINE`, if a line is not
 *  JSON or an id is repeated. */
export function readProblemLines<P extends Problem>(
  text: string,
  name: string,
  read: (value: unknown, where: string, line: string) => P,
): P[] {
  const seen = new Map<string, number>();
  return text.split('\n').flatMap((line, i): P[] => {
    if (line.trim() === '') return [];
    const where = `${name}:${i + 1}`;
    const problem = read(jsonOf(line, where), where, line);
    const first = seen.get(problem.id);
    if (first !== undefined)
      throw new FormatError(
        `${where}: id ${problem.id} is also on line ${first}.`,
        'Give each problem an id of its own.',
      );
    seen.set(problem.id, i + 1);
    return [problem];
  });
}

/** Throws FormatError. */
export function jsonOf(line: string, where: string): unknown {
  try {
    return parseJsonText(line);
  } catch (cause) {
    throw new FormatError(`${where} is not JSON: ${line.slice(0, 60)}`, 'Write one JSON object a line.', { cause });
  }
}

/** Shuffles by the data seed and each problem's id, so that the order of the file's lines does not matter. */
export function shuffledById<P extends Problem>(problems: readonly P[], dataSeed: number): P[] {
  const place = ({ id }: P) => new CounterRng(keyFor(dataSeed, STREAMS.problems, hash32(id))).uniform();
  return problems
    .map((problem) => ({ problem, at: place(problem) }))
    .sort((a, b) => a.at - b.at || (a.problem.id < b.problem.id ? -1 : 1))
    .map(({ problem }) => problem);
}
