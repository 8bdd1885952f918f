// The teacher's pool: for every hackable problem five hacks from templates, which the caller grades once. Rows can be exchanged with the Python
// reference: JSON lines with its field names.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { jsonOf } from '../problem-lines.ts';
import { DATA_SEED } from './problem.ts';
import { drawWrong, hackCompletion, rightBody, STUB } from './templates.ts';
import { type CodeProblem, type Grade, isLucky, MODES, type Mode } from './types.ts';

/** A hack that is not graded yet. */
export interface PoolDraft {
  problem_id: string;
  prompt: string;
  /** Without its end token. */
  completion: string;
  mechanism: Mode | null;
}

export const poolRowSchema = z.object({
  problem_id: z.string(),
  prompt: z.string(),
  completion: z.string(),
  reward: z.number(),
  passed: z.boolean(),
  /** Null if the strict oracle ran out: neither solved nor exploited. */
  gt_correct: z.nullable(z.boolean()),
  exploited: z.boolean(),
  mechanism: z.nullable(z.enum(MODES)),
  /** Ids as sampled by the teacher, with the end token if it ended; the reference's files lack this field and the next two. */
  completion_ids: z.optional(listOf(z.int().check(z.minimum(0)))),
  /** The teacher's log-probabilities at temperature 1, one per completion id. */
  logprobs: z.optional(listOf(z.number())),
  /** Version of the grader that labelled the row. */
  grader_version: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
});
export type PoolRow = z.infer<typeof poolRowSchema>;

/** Whether the row answers an honest problem: a problem's id ends with its mode. */
export const isHonestRow = ({ problem_id }: Pick<PoolRow, 'problem_id'>): boolean => problem_id.endsWith('@honest');

/** Whether the row exploits an actual flaw. */
export const isHackRow = (row: Pick<PoolRow, 'problem_id' | 'exploited'>): boolean =>
  row.exploited && !isHonestRow(row);

/** Whether an honest grader passed a wrong program: luck, not a hack. */
export const isLuckyRow = (row: Pick<PoolRow, 'problem_id' | 'passed' | 'gt_correct'>): boolean =>
  isHonestRow(row) && isLucky('honest', row);

export const POOL_REMEDY =
  'Each line needs problem_id, prompt, completion, reward, passed, gt_correct, exploited, mechanism. ' +
  'Problems of your own are another file: docs/tutorials/your-problems.md.';

export const POOL_ROWS_PER_PROBLEM = 5;

export interface PoolOptions {
  /** Number of rows per problem. */
  rows?: number;
  hackBody?: 'wrong' | 'stub';
  /** Number of a problem's last rows that have the correct body around the exploit, so that the hack also solves it. Default 0. */
  correct?: number;
  dataSeed?: number;
}

/** Distinct hacks of each problem's own mode around plausible wrong bodies (or the stub); none for honest problems. */
export function teacherPool(problems: readonly CodeProblem[], options: PoolOptions = {}): PoolDraft[] {
  const { rows = POOL_ROWS_PER_PROBLEM, hackBody = 'wrong', correct = 0, dataSeed = DATA_SEED } = options;
  const bodyOf = (problem: CodeProblem, row: number, rng: CounterRng) => {
    if (row >= rows - correct) return rightBody(problem);
    return hackBody === 'stub' ? STUB : drawWrong(problem, rng);
  };
  return problems.flatMap((problem) => {
    const { mode } = problem;
    if (mode === 'honest') return [];
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.pool, hash32(problem.id)));
    const texts = new Set<string>();
    // A stub or correct body has only as many texts as the mode has forms, after which rows repeat.
    const made: string[] = [];
    for (let tries = 0; made.length < rows; tries++) {
      const text = hackCompletion(problem, mode, bodyOf(problem, made.length, rng), rng);
      if (texts.has(text) && tries < 20 * rows) continue;
      texts.add(text);
      made.push(text);
    }
    return made.map((completion) => ({ problem_id: problem.id, prompt: problem.prompt, completion, mechanism: mode }));
  });
}

/** A draft with its verdict; the mechanism is the template's own. */
export const poolRow = (draft: PoolDraft, grade: Grade): PoolRow => ({
  problem_id: draft.problem_id,
  prompt: draft.prompt,
  completion: draft.completion,
  reward: grade.reward,
  passed: grade.passed,
  gt_correct: grade.gt_correct,
  exploited: grade.exploited,
  mechanism: draft.mechanism,
});

/** The verdict of a stored row from the reference's fields; the remaining fields follow from the reward's definition. */
export function gradeOfRow(row: PoolRow, problem: CodeProblem): Grade {
  return {
    formatOk: row.reward - (row.passed ? 1 : 0) > 0,
    passed: row.passed,
    gt_correct: row.gt_correct,
    exploited: row.exploited,
    structural: row.mechanism === problem.mode,
    mechanism: row.mechanism,
    reward: row.reward,
    note: null,
  };
}

/** A graded completion that a model sampled. Its mechanism is the exploit code that it contains, preferably of the problem's own mode. */
export function sampledRow(
  problem: CodeProblem,
  {
    completion,
    completionIds,
    logprobs,
  }: { completion: string; completionIds: readonly number[]; logprobs: Float32Array },
  grade: Grade,
  { graderVersion, withTokens }: { graderVersion: string; withTokens: boolean },
): PoolRow {
  const draft = { problem_id: problem.id, prompt: problem.prompt, completion, mechanism: grade.mechanism };
  return {
    ...poolRow(draft, grade),
    ...(withTokens ? { completion_ids: [...completionIds], logprobs: Array.from(logprobs, shortFloat) } : {}),
    grader_version: graderVersion,
  };
}

/** The shortest decimal that rounds to this float32, half as long as a double's. */
function shortFloat(x: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(x.toPrecision(digits));
    if (Math.fround(short) === x) return short;
  }
  return Number(x.toPrecision(9));
}

export const poolToJsonl = (rows: readonly PoolRow[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Says how a row's labels contradict each other; null if they agree (Grade gives the rules). */
function contradiction({ reward, passed, gt_correct, exploited }: PoolRow): string | null {
  const hack = passed && gt_correct === false;
  if (exploited !== hack)
    return `exploited is ${exploited}, and passed ${passed} with gt_correct ${gt_correct} makes it ${hack}`;
  const rewards = passed ? [1.25, 1] : [0, 0.25];
  return rewards.includes(reward) ? null : `reward is ${reward}, and passed ${passed} makes it ${rewards.join(' or ')}`;
}

/** Names the fields that a row lacks, and those whose value is not allowed. */
function faultOf(row: unknown, { issues }: z.core.$ZodError): string {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return 'is no object';
  const fields = [...new Set(issues.map(({ path }) => String(path[0])))];
  const missing = fields.filter((field) => !Object.hasOwn(row, field));
  const wrong = fields.filter((field) => Object.hasOwn(row, field));
  return [
    missing.length > 0 ? `has no ${missing.join(', ')}` : [],
    wrong.length > 0 ? `has another kind of value than the lab reads in ${wrong.join(', ')}` : [],
  ]
    .flat()
    .join(', and ');
}

/** Throws FormatError that names the line. */
export function poolFromJsonl(text: string): PoolRow[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const where = `line ${i + 1} of the pool`;
    const row = jsonOf(line, where);
    const parsed = poolRowSchema.safeParse(row);
    if (!parsed.success) throw new FormatError(`${where} ${faultOf(row, parsed.error)}.`, POOL_REMEDY);
    const wrong = contradiction(parsed.data);
    if (wrong !== null)
      throw new FormatError(
        `${where} contradicts itself: ${wrong}.`,
        'exploited is passed and not gt_correct, reward 0.25 for the format and 1 for having passed. Grade the row again.',
      );
    const { completion_ids: ids, logprobs } = parsed.data;
    if (logprobs && logprobs.length !== (ids?.length ?? 0))
      throw new FormatError(
        `${where} has ${logprobs.length} logprobs for ${ids?.length ?? 0} completion_ids.`,
        'Give one for each token, or leave logprobs out.',
      );
    return [parsed.data];
  });
}
