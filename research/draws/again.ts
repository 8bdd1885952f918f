// A published run made again, to be evaluated with further sampling seeds: the same spec with `evaluationSeeds`, without control
// quarantines and without models that are made of the run afterwards and that nothing shows (training depends on neither). Its steps and
// its first evaluations must equal the published ones to the last bit, or its further evaluations are of another model.

import { isDeepStrictEqual } from 'node:util';
import { cellKey } from '../../src/experiments/analysis/arena.ts';
import { methodOf } from '../../src/experiments/analysis/methods.ts';
import { vanillaOf } from '../../src/experiments/analysis/vanilla.ts';
import type { RunSpec } from '../../src/experiments/config/run-spec.ts';
import { withDefaults } from '../../src/experiments/config/spec.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { PlannedRun } from '../../src/experiments/runs/finished.ts';
import { runKey } from '../../src/experiments/runs/key.ts';
import { withControls } from '../../src/share/shared-run.ts';

/** Sampling seeds of an evaluation that is judged. */
export const JUDGED_SEEDS = 8;

/** Steps between checkpoints, where the published run kept none. It changes no number. */
const CHECKPOINT_EVERY = 10;

export function repeatSpec(spec: RunSpec, evaluationSeeds: number): RunSpec {
  const whole = withDefaults(spec);
  const alsoEvaluate = whole.alsoEvaluate.filter((made) => isRead(whole.arm, made));
  return {
    ...whole,
    evaluationSeeds,
    alsoEvaluate,
    shadows: [],
    checkpointEvery: whole.checkpointEvery || CHECKPOINT_EVERY,
  };
}

/** Whether a model that is made of an arm's runs afterwards is a method, or a reference of one: not, say, the way to the repaired graders. */
const isRead = (arm: string, made: RunSpec['alsoEvaluate'][number]): boolean =>
  !METHODS_AFTER.has(made) || methodOf(arm, made === 'interpolation' ? 'alpha_0.5' : made)?.model !== undefined;

/** Values of `alsoEvaluate` whose models are methods of some arm. */
const METHODS_AFTER: ReadonlySet<string> = new Set(['interpolation', 'early_stop', 'merge']);

/** The runs to make. Those whose basis is matched to another run's kept steps are left out: no headline reads one. */
export function repeatRuns(published: readonly RunRecord[], evaluationSeeds: number): PlannedRun[] {
  return published
    .map(({ spec }) => repeatSpec(spec, evaluationSeeds))
    .filter(({ basisSource }) => basisSource !== 'random_matched')
    .map((spec) => ({ key: runKey(spec), spec }));
}

/** Vanilla's run of the same cell, with which a run may be merged; empty where none is published. */
export const vanillaBeside = (
  { spec }: PlannedRun,
  published: readonly RunRecord[],
  evaluationSeeds: number,
): PlannedRun[] => {
  if (!spec.alsoEvaluate.some((model) => model.startsWith('merge'))) return [];
  const cell = cellKey(spec);
  const own = published.filter((run) => cellKey(withDefaults(run.spec)) === cell);
  // Published runs were evaluated once, and runs are compared by that setting too.
  return repeatRuns(vanillaOf(repeatSpec(spec, 1), own), evaluationSeeds);
};

/** The first difference from the published run, in words; null if there is none. */
export function differenceFrom(published: RunRecord, again: RunRecord): string | null {
  if (again.modelSha256 !== published.modelSha256) return `another model (${again.modelSha256.slice(0, 12)})`;
  if (again.device !== published.device) return `another device (${again.device}, not ${published.device})`;
  const [kept, own] = [withControls(published, []), withControls(again, [])];
  const step = kept.rows.findIndex((row, i) => !includesRecord(own.rows[i], row));
  if (step >= 0) return `step ${step + 1} differs`;
  if (own.rows.length !== kept.rows.length) return `${own.rows.length} steps, not ${kept.rows.length}`;
  const finals = published.evals.filter(({ kind }) => kind === 'final');
  const other = finals.find((row) => {
    const repeated = again.evals.find(({ kind, model }) => kind === 'final' && model === row.model);
    return repeated ? !includesRecord(repeated, row) : kept.evals.includes(row);
  });
  if (other) return `the evaluation of ${other.model} differs`;
  const has = (of: RunRecord, made: string) => of.evals.some(({ kind, model }) => kind === 'final' && model === made);
  const missing = again.spec.alsoEvaluate.find((made) => has(published, made) && !has(again, made));
  return missing ? `${missing} was not evaluated again` : null;
}

/** Whether a record has every field of a published one, with its value. It may have more: measures that a later version added, and draws. */
function includesRecord(own: unknown, published: unknown): boolean {
  if (typeof published !== 'object' || published === null || Array.isArray(published))
    return isDeepStrictEqual(own, published);
  if (typeof own !== 'object' || own === null) return false;
  return Object.entries(published).every(([name, value]) =>
    includesRecord((own as Record<string, unknown>)[name], value),
  );
}
