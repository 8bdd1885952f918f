// Repeats a published run to evaluate it with further sampling seeds: the same spec with `evaluationSeeds`, without control quarantines and
// without derived models that no headline uses (training depends on neither). Its steps and its first evaluations must be bit-identical to
// the published ones; otherwise its further evaluations are of another model.

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

/** Steps between checkpoints if the published run had none. It changes no number. */
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

/**
 * Whether a model derived from an arm's runs after training is one of the compared methods or its reference; an interpolation to the
 * repaired graders, for example, is not.
 */
const isRead = (arm: string, made: RunSpec['alsoEvaluate'][number]): boolean =>
  !METHODS_AFTER.has(made) || methodOf(arm, made === 'interpolation' ? 'alpha_0.5' : made)?.model !== undefined;

/** Values of `alsoEvaluate` whose derived models are methods of some arm. */
const METHODS_AFTER: ReadonlySet<string> = new Set(['interpolation', 'early_stop', 'merge']);

/** The runs to repeat. Those with a random basis matched to another run's stored steps are left out, since no headline uses one. */
export function repeatRuns(published: readonly RunRecord[], evaluationSeeds: number): PlannedRun[] {
  return published
    .map(({ spec }) => repeatSpec(spec, evaluationSeeds))
    .filter(({ basisSource }) => basisSource !== 'random_matched')
    .map((spec) => ({ key: runKey(spec), spec }));
}

/** Vanilla's run of the same cell, with which a run may be merged; empty if none is published. */
export const vanillaBeside = (
  { spec }: PlannedRun,
  published: readonly RunRecord[],
  evaluationSeeds: number,
): PlannedRun[] => {
  if (!spec.alsoEvaluate.some((model) => model.startsWith('merge'))) return [];
  const cell = cellKey(spec);
  const own = published.filter((run) => cellKey(withDefaults(run.spec)) === cell);
  // Published runs were evaluated once, and that setting is part of the key that compares runs.
  return repeatRuns(vanillaOf(repeatSpec(spec, 1), own), evaluationSeeds);
};

/** The first difference from the published run, as a sentence; null if there is none. */
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

/** Whether a record has every field of a published one, with its value. It may have more: measures of a later version, and draws. */
function includesRecord(own: unknown, published: unknown): boolean {
  if (typeof published !== 'object' || published === null || Array.isArray(published))
    return isDeepStrictEqual(own, published);
  if (typeof own !== 'object' || own === null) return false;
  return Object.entries(published).every(([name, value]) =>
    includesRecord((own as Record<string, unknown>)[name], value),
  );
}
