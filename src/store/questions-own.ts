// Runs kept in this browser that are runs of the study: recognised by what decides a run, whatever experiment they belong to.
import { finalRow, isComplete } from '../experiments/compare.ts';
import type { RunRecord } from '../experiments/events.ts';
import { type ExperimentSpec, resolveRuns } from '../experiments/spec.ts';
import type { StudyRun } from '../experiments/study/figures.ts';
import { runKey } from '../experiments/study/key.ts';
import type { LoadedExperiment } from '../lab/protocol.ts';

/** A run of the study, and the kept experiment that it can be found and routed again in. */
export interface OwnRun extends StudyRun {
  experimentId: string;
}

/** Whether any of its runs is one of the study. */
export function isOfStudy(spec: ExperimentSpec, keys: ReadonlySet<string>): boolean {
  return resolveRuns(spec).some((run) => keys.has(runKey(run)));
}

/** Only complete runs; half of one enters no figure. */
export function ownRunsOf({ record, runs }: LoadedExperiment, keys: ReadonlySet<string>): OwnRun[] {
  return runs.flatMap((run) => {
    const key = runKey(run.spec);
    if (!keys.has(key) || !isComplete(run)) return [];
    return [{ key, record: run, rerouted: reroutedOf(run), experimentId: record.id }];
  });
}

function reroutedOf(run: RunRecord): StudyRun['rerouted'] {
  return (run.rerouted ?? []).flatMap(({ shadow }) => {
    const row = finalRow(run, shadow.id);
    return row ? [{ shadow, row }] : [];
  });
}
