// Matches a stored teacher pool with the problems of a run: the resulting rows as token ids, and a summary of their use. Rows are matched by
// problem_id; a problem without rows has no teacher, and its whole group is live.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type * as z from 'zod/mini';
import { gradeOfRow, type PoolRow, poolFromJsonl } from '../../environments/code/pool.ts';
import type { CodeProblem, Grade } from '../../environments/code/types.ts';
import type { TextCodec } from '../../text/codec.ts';
import { completionIds } from '../../text/codec.ts';
import type { poolUse } from './run-schema.ts';

/** A pool as a host stores it. */
export interface KeptPool {
  /** JSON lines, canonical (poolFromJsonl, poolToJsonl): RunSpec.teacherPool is their sha-256. */
  lines: string;
  /** Version of the grader that gave the labels; null if the file does not say. */
  graderVersion: string | null;
}

export type TeacherRows = Map<string, TeacherRow<Grade>[]>;

/** Groups rows by problem; problems keep their order of first appearance. */
export function groupByProblem(rows: readonly PoolRow[]): PoolRow[] {
  const groups = new Map<string, PoolRow[]>();
  for (const row of rows) {
    const own = groups.get(row.problem_id);
    if (own) own.push(row);
    else groups.set(row.problem_id, [row]);
  }
  return [...groups.values()].flat();
}

/** Teacher rows by problem id, in the pool's order. Rows for problems outside the run are left out. */
export function rowsByProblem(
  rows: readonly PoolRow[],
  problems: readonly CodeProblem[],
  codec: TextCodec,
): { rows: TeacherRows; retokenised: number } {
  const byId = new Map(problems.map((problem) => [problem.id, problem]));
  const byProblem: TeacherRows = new Map();
  let retokenised = 0;
  for (const row of rows) {
    const problem = byId.get(row.problem_id);
    if (!problem) continue;
    const { completion, reward } = row;
    const own = ownIds(row, codec);
    if (row.completion_ids && !own) retokenised++;
    const teacher: TeacherRow<Grade> = {
      completion,
      completionIds: own ?? completionIds(codec, completion),
      logprobs: own ? (row.logprobs ?? null) : null,
      reward,
      verdict: gradeOfRow(row, problem),
    };
    const known = byProblem.get(row.problem_id);
    if (known) known.push(teacher);
    else byProblem.set(row.problem_id, [teacher]);
  }
  return { rows: byProblem, retokenised };
}

/** The row's stored ids if they decode to the completion in this tokenizer; null if there are none, or another tokenizer made them. */
export function ownIds(
  { completion, completion_ids: ids }: Pick<PoolRow, 'completion' | 'completion_ids'>,
  codec: TextCodec,
): readonly number[] | null {
  if (!ids || ids.some((id) => id >= codec.vocabSize)) return null;
  const ended = codec.endTokens.includes(ids[ids.length - 1]);
  return codec.decode(ended ? ids.slice(0, -1) : ids) === completion ? ids : null;
}

/**
 * The rows that a stored pool gives a run. Throws SpecError if the pool is not stored here, if another version of the grader labelled it,
 * or if it has no row for any problem of the run.
 */
export function storedPoolRows(
  sha256: string,
  kept: KeptPool | null,
  problems: readonly CodeProblem[],
  { codec, graderVersion, maxNew }: { codec: TextCodec; graderVersion: string; maxNew: number },
): { rows: TeacherRows; use: PoolUse } {
  if (!kept)
    throw new SpecError(
      `the run needs the teacher pool with the sha-256 ${JSON.stringify(sha256)}, which is not kept here`,
      'Import that pool’s file, or leave the teacher pool empty for the environment’s templates.',
    );
  const all = poolFromJsonl(kept.lines);
  const versions = new Set(all.map((row) => row.grader_version ?? kept.graderVersion));
  const foreign = [...versions].filter((version) => version !== null && version !== graderVersion);
  if (foreign.length > 0)
    throw new SpecError(
      `the teacher pool ${shortPool(sha256)} was graded by ${foreign.join(', ')}; this lab's grader is ${graderVersion}`,
      'Its labels may not mean the same: build the pool again with this lab.',
    );
  const { rows, retokenised } = rowsByProblem(all, problems, codec);
  if (rows.size === 0)
    throw new SpecError(
      `the teacher pool ${shortPool(sha256)} has ${all.length} rows for ${new Set(all.map((row) => row.problem_id)).size} problems, and none of them is among the ${problems.length} problems of the run that have a teacher`,
      'Give the run the modes, honestShare, problems and dataSeed that the pool was built with, or build a pool for this run.',
    );
  const used = [...rows.values()].flat();
  return {
    rows,
    use: {
      sha256,
      rows: used.length,
      problems: rows.size,
      ofProblems: problems.length,
      unused: all.length - used.length,
      cut: used.filter((row) => row.completionIds.length > maxNew).length,
      retokenised,
      withLogprobs: used.filter((row) => row.logprobs !== null).length,
      graderKnown: !versions.has(null),
    },
  };
}

/** The abbreviated sha-256 for messages. */
const shortPool = (sha256: string): string => sha256.slice(0, 12);

/** How a run uses its pool; stored with the run. */
export type PoolUse = z.infer<typeof poolUse>;

/** A teacher rollout that was written and judged before the run. */
export interface TeacherRow<Verdict> {
  completion: string;
  completionIds: readonly number[];
  /** The teacher's log-probabilities at temperature 1, one per completion id; null if the pool has none (templates). */
  logprobs: readonly number[] | null;
  reward: number;
  verdict: Verdict;
}
