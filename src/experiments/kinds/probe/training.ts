// The trainings of stages 5 and 6 with one adapter, as a stream of progress that ends with the trajectory: two ordinary runs (vanilla, erase),
// each resumed from its last checkpoint and skipped if finished. Records of runs have no ratio histograms, so these are stored
// separately.

import { runIdOf } from '../../config/run-spec.ts';
import type { ExperimentSpec } from '../../config/spec.ts';
import { contentKey } from '../../records/artifacts.ts';
import type { KeptRuns } from '../../records/checkpoint.ts';
import type { LabEvent } from '../../records/events.ts';
import { type ExperimentPorts, runExperiment } from '../run/experiment.ts';
import type { ProbeProgress } from './probe.ts';
import { t5, t6, trajectoryOf } from './trajectory.ts';
import type { CheckResult, ProbeReport, Trajectory } from './types.ts';

export type RatioSteps = readonly (readonly [step: number, histogram: readonly number[]])[];

/** Storage of one adapter's two trainings. */
export interface TrainingStore {
  runs: KeptRuns;
  /** Vanilla's ratio histograms, by step. */
  loadRatios(): Promise<RatioSteps>;
  saveRatios(ratios: RatioSteps): Promise<void>;
}

/** Key of everything that decides the two runs' results; each key has its own store. */
export const trainingKey = (
  spec: ExperimentSpec,
  on: { modelSha256: string; graderVersion: string; numerics: string },
): Promise<string> => contentKey([spec, on.modelSha256, on.graderVersion, on.numerics]);

export type TrainingPorts = Pick<
  ExperimentPorts,
  'policy' | 'device' | 'codec' | 'grader' | 'about' | 'artifacts' | 'date' | 'now' | 'signal'
> & { store: TrainingStore };

/** Prefix of the two runs' ids. */
const EXPERIMENT_ID = 'probe';
/** Label of the progress. */
export const TRAINING = 'training (vanilla, erase)';

/** Takes `spec` from trajectorySpec. Throws as runExperiment does. */
export async function* trainTrajectory(
  spec: ExperimentSpec,
  { store, ...ports }: TrainingPorts,
): AsyncGenerator<ProbeProgress, Trajectory | null> {
  const [seed] = spec.seeds;
  const steps = spec.overrides.steps ?? 0;
  const vanillaId = runIdOf(EXPERIMENT_ID, { arm: 'none', seed });
  const { runs } = store;
  const ratios = new Map(await store.loadRatios());
  const stream = runExperiment(spec, {
    ...ports,
    experimentId: EXPERIMENT_ID,
    checkpoints: runs.checkpoints,
    finishedRun: (runId) => runs.finishedRun(runId),
    onRatios: (runId, step, histogram) => {
      if (runId === vanillaId) ratios.set(step, histogram);
    },
  });
  const ids = spec.arms.map((arm) => runIdOf(EXPERIMENT_ID, { arm, seed }));
  let done = 0;
  try {
    for (;;) {
      const next = await stream.next();
      if (next.done) return trajectoryOf(next.value.runs, ratios);
      const event: LabEvent = next.value;
      if (event.type === 'step') await store.saveRatios([...ratios].sort(([a], [b]) => a - b));
      if (event.type === 'run-end' && event.run.status === 'done') await runs.saveRun(event.run);
      // A finished run is skipped without an event, so the next one starts at the count where it would have ended.
      if (event.type === 'run-start') done = ids.indexOf(event.run.id) * steps + event.run.rows.length;
      if (event.type === 'step') done = ids.indexOf(event.runId) * steps + event.row.step;
      if (event.type === 'result') done = ids.length * steps;
      yield { what: TRAINING, done, total: ids.length * steps };
    }
  } finally {
    // Otherwise an early exit would leave bases on the device.
    await stream.return(undefined as never);
  }
}

/** The report with T5 and T6 where they were measured; `lora` is the second probe, if any. */
export function withTrainings(
  report: ProbeReport,
  trajectory: Trajectory | null,
  lora: { report: ProbeReport; trajectory: Trajectory | null } | null,
): ProbeReport {
  let verdicts = report.verdicts;
  if (trajectory) verdicts = withReplaced(verdicts, t5(trajectory));
  const full: ProbeReport = { ...report, verdicts };
  if (lora) {
    const t4 = { svd: verdictOf(report, 'T4'), lora: verdictOf(lora.report, 'T4') };
    const trainings = trajectory && lora.trajectory ? { svd: trajectory, lora: lora.trajectory } : null;
    const compared = t6(t4, trainings);
    full.verdicts = withReplaced(verdicts, compared);
    const own = lora.trajectory ? withReplaced(lora.report.verdicts, t5(lora.trajectory)) : lora.report.verdicts;
    full.lora = { ...lora.report, verdicts: withReplaced(own, compared) };
  }
  if (trajectory) full.trajectories = { svd: trajectory, lora: lora?.trajectory ?? null };
  return full;
}

const verdictOf = ({ verdicts }: ProbeReport, id: CheckResult['id']): CheckResult =>
  verdicts.find((other) => other.id === id) as CheckResult;

const withReplaced = (verdicts: readonly CheckResult[], by: CheckResult): CheckResult[] =>
  verdicts.map((verdict) => (verdict.id === by.id ? by : verdict));
