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

/** Rows graded per call, so that progress is seen. */
const GRADE_CHUNK = 128;

interface TemplatePorts {
  dataSeed: number;
  /** How many rows a problem has, and how many of them are right besides; five and none where absent. */
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
    for (let from = 0; from < drafts.length; from += GRADE_CHUNK) {
      yield { type: 'prepare', what: 'teacher pool', done: from, total: drafts.length };
      const part = drafts.slice(from, from + GRADE_CHUNK);
      const items = part.map(({ problem_id, completion }) => ({ problem: byId.get(problem_id)!, completion }));
      const grades = await grader.grade(items, signal);
      rows.push(...part.map((draft, i) => poolRow(draft, grades[i])));
    }
    await artifacts?.savePool(key, poolToJsonl(rows));
  }
  yield { type: 'prepare', what: 'teacher pool', done: drafts.length, total: drafts.length };
  return rows;
}
