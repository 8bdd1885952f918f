// The environment's own teacher: template hacks of a set of problems, graded once by the real grader, then stored under a key of their content and
// the grader's version.
import {
  type PoolDraft,
  type PoolOptions,
  type PoolRow,
  poolFromJsonl,
  poolRow,
  poolToJsonl,
  teacherPool,
} from '../../environments/code/pool.ts';
import type { CodeProblem, Grader } from '../../environments/code/types.ts';
import { type ArtifactStore, contentKey } from '../records/artifacts.ts';
import type { LabEvent } from '../records/events.ts';

/** Rows per call to the grader, so that progress can be reported. */
const GRADE_CHUNK = 128;

interface TemplatePorts {
  dataSeed: number;
  /** Rows per problem, and how many of them are correct; five and none if absent. */
  draft?: Pick<PoolOptions, 'rows' | 'correct'>;
  /** Another environment's templates, instead of those of one-line Python. */
  drafts?: readonly PoolDraft[];
  grader: Grader;
  /** Null to store nothing. */
  artifacts: Pick<ArtifactStore, 'loadPool' | 'savePool'> | null;
  signal?: AbortSignal;
}

/** Five rows per hackable problem (unless `draft` differs), in the problems' order. */
export async function* templatePool(
  problems: readonly CodeProblem[],
  { dataSeed, draft, drafts = teacherPool(problems, { ...draft, dataSeed }), grader, artifacts, signal }: TemplatePorts,
): AsyncGenerator<Extract<LabEvent, { type: 'prepare' }>, PoolRow[]> {
  const byId = new Map(problems.map((problem) => [problem.id, problem]));
  const key = await contentKey({ drafts, grader: grader.version });
  const kept = await artifacts?.loadPool(key);
  const rows: PoolRow[] = kept ? poolFromJsonl(kept) : [];
  if (!kept) {
    // All calls are started at once: a device that computes in this thread would delay replies, and the grader must not wait for further requests.
    const grading = Array.from({ length: Math.ceil(drafts.length / GRADE_CHUNK) }, (_, i) => {
      const part = drafts.slice(i * GRADE_CHUNK, (i + 1) * GRADE_CHUNK);
      return grader.grade(
        part.map(({ problem_id, completion }) => ({ problem: byId.get(problem_id)!, completion })),
        signal,
      );
    });
    // The first failure is thrown below; later ones must not count as unhandled.
    for (const grades of grading) grades.catch(() => {});
    for (const grades of grading) {
      const from = rows.length;
      yield { type: 'prepare', what: 'teacher pool', done: from, total: drafts.length };
      rows.push(...(await grades).map((grade, i) => poolRow(drafts[from + i], grade)));
    }
    await artifacts?.savePool(key, poolToJsonl(rows));
  }
  yield { type: 'prepare', what: 'teacher pool', done: drafts.length, total: drafts.length };
  return rows;
}
