// Finished runs of the study for tests: the plan's own specs, with invented rates.
import type { FinishedRun } from '../../../../src/experiments/runs/finished.ts';
import { evaluation, recordOf } from '../../../../src/experiments/testing/invented-runs.ts';
import { planStudy, type StudyScope } from '../plan.ts';

/** Every run of a part of the study, finished, with the quarantines that its questions need. */
export function madeRuns(scope: StudyScope): Map<string, FinishedRun> {
  const runs = new Map<string, FinishedRun>();
  for (const { run, shadows: controls } of planStudy(scope).jobs) {
    const known = runs.get(run.key) ?? { key: run.key, record: recordOf(run.spec), rerouted: [] };
    runs.set(run.key, known);
    for (const control of controls)
      known.rerouted.push({ shadow: control, row: evaluation(control.id, run.spec, control) });
  }
  return runs;
}
