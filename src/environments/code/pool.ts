// The teacher's pool: for every hackable problem five cached hacks from the templates, graded once (by the caller) and then
// frozen. Rows are interchangeable with the Python reference: JSON lines with its field names.

import * as z from 'zod/mini';
import { FormatError } from '../../lib/errors.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { drawWrong, STUB } from './bodies.ts';
import { DATA_SEED, hash32 } from './problem.ts';
import { hackCompletion } from './templates.ts';
import { type CodeProblem, type Grade, MODES, type Mode } from './types.ts';

/** A hack that nobody has graded yet. */
export interface PoolDraft {
  problem_id: string;
  prompt: string;
  /** Without its end token. */
  completion: string;
  mechanism: Mode | null;
}

const PoolRowSchema = z.object({
  problem_id: z.string(),
  prompt: z.string(),
  completion: z.string(),
  reward: z.number(),
  passed: z.boolean(),
  gt_correct: z.boolean(),
  exploited: z.boolean(),
  mechanism: z.nullable(z.enum(MODES)),
});
export type PoolRow = z.infer<typeof PoolRowSchema>;

export const POOL_ROWS_PER_PROBLEM = 5;

/** Distinct hacks of each problem's own mode, with plausible wrong bodies (or the stub); none for honest problems. */
export function teacherPool(
  problems: readonly CodeProblem[],
  options: { rows?: number; hackBody?: 'wrong' | 'stub'; dataSeed?: number } = {},
): PoolDraft[] {
  const { rows = POOL_ROWS_PER_PROBLEM, hackBody = 'wrong', dataSeed = DATA_SEED } = options;
  return problems.flatMap((problem) => {
    const { mode } = problem;
    if (mode === 'honest') return [];
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.pool, hash32(problem.id)));
    const texts = new Set<string>();
    // A stub has only as many texts as its mode has forms: then rows repeat.
    const made: string[] = [];
    for (let tries = 0; made.length < rows; tries++) {
      const text = hackCompletion(problem, mode, hackBody === 'stub' ? STUB : drawWrong(problem, rng), rng);
      if (texts.has(text) && tries < 20 * rows) continue;
      texts.add(text);
      made.push(text);
    }
    return made.map((completion) => ({ problem_id: problem.id, prompt: problem.prompt, completion, mechanism: mode }));
  });
}

/** A draft with its verdict. The mechanism is the template's own. */
export const poolRow = (draft: PoolDraft, grade: Grade): PoolRow => ({
  problem_id: draft.problem_id,
  prompt: draft.prompt,
  completion: draft.completion,
  reward: grade.reward,
  passed: grade.passed,
  gt_correct: grade.gtCorrect,
  exploited: grade.exploited,
  mechanism: draft.mechanism,
});

export const poolToJsonl = (rows: readonly PoolRow[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Throws FormatError, naming the line. */
export function poolFromJsonl(text: string): PoolRow[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new FormatError(
        `line ${i + 1} of the pool is not JSON: ${line.slice(0, 60)}`,
        'Write one JSON object a line.',
        {
          cause,
        },
      );
    }
    const parsed = PoolRowSchema.safeParse(value);
    if (!parsed.success) {
      throw new FormatError(
        `line ${i + 1} of the pool: ${z.prettifyError(parsed.error)}`,
        `Each line needs ${Object.keys(PoolRowSchema.shape).join(', ')}.`,
      );
    }
    return [parsed.data];
  });
}
