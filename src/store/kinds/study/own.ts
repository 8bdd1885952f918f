// Runs kept in this browser that are runs of the study: recognised by what decides a run, whatever experiment they belong to.

import type { CellResult } from '../../../../research/series/study/types.ts';
import { isComplete } from '../../../experiments/analysis/compare.ts';
import { type ExperimentSpec, resolveRuns, withDefaults } from '../../../experiments/config/spec.ts';
import type { RunRecord } from '../../../experiments/records/events.ts';
import { finalRow } from '../../../experiments/records/metrics.ts';
import { controlRow, type FinishedRun } from '../../../experiments/runs/finished.ts';
import { runKey } from '../../../experiments/runs/key.ts';
import type { LoadedExperiment } from '../../../lab/protocol/experiments.ts';
import { digestOf, withControls } from '../../../share/shared-run.ts';

/** A run of the study, and the kept experiment that it can be found and routed again in. */
export interface OwnRun extends FinishedRun {
  experimentId: string;
}

/** Of the study's runs. */
type Keys = Pick<ReadonlyMap<string, unknown>, 'has'>;

/** Whether any of its runs is one of the study. What another version of the lab kept may be no spec of this one. */
export function isOfStudy(spec: ExperimentSpec, keys: Keys): boolean {
  try {
    return resolveRuns(spec).some((run) => keys.has(runKey(run)));
  } catch {
    return false;
  }
}

/** Only complete runs; half of one enters no figure. */
export function ownRunsOf({ record, runs }: LoadedExperiment, keys: Keys): OwnRun[] {
  return runs.flatMap((run) => {
    const key = runKey(withDefaults(run.spec));
    if (!keys.has(key) || !isComplete(run)) return [];
    return [{ key, record: run, rerouted: replayedOf(run), experimentId: record.id }];
  });
}

function replayedOf(run: RunRecord): FinishedRun['rerouted'] {
  return (run.rerouted ?? []).flatMap(({ shadow: control }) => {
    const row = finalRow(run, control.id);
    return row ? [{ shadow: control, row }] : [];
  });
}

/** Whether two runs of one key took the same steps, to the last bit; which quarantines they carried is their own affair. */
export async function agree(a: FinishedRun, b: FinishedRun): Promise<boolean> {
  const [own, other] = await Promise.all(
    [a, b].map(({ record: { rows } }) => digestOf(withControls({ rows, evals: [] }, []))),
  );
  return own === other;
}

type Runs = ReadonlyMap<string, FinishedRun>;

/** A published run counts before one's own of the same key; quarantines that were routed here only are added to it. */
export function finishedRun(key: string, published: Runs, own: Runs): FinishedRun | undefined {
  const [theirs, mine] = [published.get(key), own.get(key)];
  if (!theirs || !mine) return theirs ?? mine;
  return { ...theirs, rerouted: [...theirs.rerouted, ...mine.rerouted] };
}

/** How many of a cell's runs, or of their quarantines, were made in this browser. */
export function madeHere({ cell, set }: Pick<CellResult, 'cell' | 'set'>, published: Runs, own: Runs): number {
  return set.runs.filter((run) => {
    const key = runKey(run.spec);
    const theirs = published.get(key);
    if (!own.has(key)) return false;
    return !theirs || (cell.shadow !== undefined && controlRow(cell.shadow, theirs) === null);
  }).length;
}
