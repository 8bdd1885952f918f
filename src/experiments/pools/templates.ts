// The environment's own teacher: its templates' hacks of a set of problems, graded once by the real grader, then frozen and
// kept under what they are and who graded them.
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

/** Rows of a call to the grader, so that progress is seen. */
const GRADE_CHUNK = 128;

interface TemplatePorts {
  dataSeed: number;
  /** Rows per problem, and the correct ones among them; five and none where absent. */
  draft?: Pick<PoolOptions, 'rows' | 'correct'>;
  /** Another environment's own templates, in place of the substrate's. */
  drafts?: readonly PoolDraft[];
  grader: Grader;
  /** Null: nothing is kept. */
  artifacts: Pick<ArtifactStore, 'loadPool' | 'savePool'> | null;
  signal?: AbortSignal;
}

/** Five rows a hackable problem (unless `draft` says otherwise), in the problems' order. */
export async function* templatePool(
  problems: readonly CodeProblem[],
  { dataSeed, draft, drafts = teacherPool(problems, { ...draft, dataSeed }), grader, artifacts, signal }: TemplatePorts,
): AsyncGenerator<Extract<LabEvent, { type: 'prepare' }>, PoolRow[]> {
  const byId = new Map(problems.map((problem) => [problem.id, problem]));
  const key = await contentKey({ drafts, grader: grader.version });
  const kept = await artifacts?.loadPool(key);
  const rows: PoolRow[] = kept ? poolFromJsonl(kept) : [];
  if (!kept) {
    // All at once: a device that computes in this thread lets no answer in, and the grader must not wait for it to ask for more.
    const grading = Array.from({ length: Math.ceil(drafts.length / GRADE_CHUNK) }, (_, i) => {
      const part = drafts.slice(i * GRADE_CHUNK, (i + 1) * GRADE_CHUNK);
      return grader.grade(
        part.map(({ problem_id, completion }) => ({ problem: byId.get(problem_id)!, completion })),
        signal,
      );
    });
    // The first failure is thrown below; those after it must not count as unhandled.
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
