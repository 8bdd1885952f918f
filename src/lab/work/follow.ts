// The experiment at work, followed event by event: each is passed on to the page, what it says is kept (the run, its rollouts, the
// experiment's counts), and between two steps it may be paused. Which experiment, and what becomes of its end, is session.ts.
import type { Grader } from '../../environments/code/types.ts';
import { runExperiment } from '../../experiments/kinds/run/experiment.ts';
import type { LabEvent, RunRecord } from '../../experiments/records/events.ts';
import type { Equipped } from '../equipment/equipment.ts';
import type { Estimator } from '../estimate/estimate.ts';
import type { StoredExperiment } from '../protocol/experiments.ts';
import { summaryOf } from '../records/records.ts';
import type { Grid } from './grid.ts';
import type { Pacer } from './pacer.ts';
import type { SessionPorts } from './ports.ts';
import { ProgressTracker } from './progress.ts';

const PROGRESS_MS = 250;
const SAVE_MS = 1000;

/** What is worked on. `record` and `grid` are changed in place. */
export interface Followed {
  record: StoredExperiment;
  equipped: Equipped;
  /** Of the experiment's environment. */
  grader: Grader;
  grid: Grid;
  pacer: Pacer;
  estimator: Estimator;
  signal: AbortSignal;
}

/** Until every wanted run has ended; throws what a run threw, and what could not be kept. */
export async function followExperiment(
  ports: Omit<SessionPorts, 'locks'>,
  { record, equipped, grader, grid, pacer, estimator, signal }: Followed,
): Promise<void> {
  const { records, emit, breathe, equipment } = ports;
  const { id: experimentId, spec } = record;
  const { policy, codec, model, chosen } = equipped;
  // A clock that stands still in a pause, so that no step's timing counts it.
  const now = () => ports.now() - pacer.waited;
  const stream = runExperiment(spec, {
    experimentId,
    policy,
    device: chosen.device,
    codec,
    grader,
    about: { modelId: model.id, modelSha256: model.sha256, appVersion: ports.appVersion },
    checkpoints: records.checkpoints,
    steps: {
      ...records.steps,
      append: async (runId, step, delta) => {
        await records.steps.append(runId, step, delta);
        for (const { byteLength } of delta) record.approxBytes = (record.approxBytes ?? 0) + byteLength;
      },
    },
    artifacts: records.artifacts({ layout: policy.knobs, modelSha256: model.sha256 }, grader.version),
    finishedRun: (runId) => records.run(runId),
    includes: grid.includes,
    date: ports.date,
    now,
    signal,
  });
  const tracker = new ProgressTracker(experimentId, spec, now, {
    includes: grid.wanted,
    over: grid.over,
    secondsPerStep: estimator.estimate(spec, equipped).seconds?.perStep ?? null,
  });
  const tell = (paused: boolean) => {
    const memory = equipment.current?.chosen.device.memory();
    emit({ type: 'progress', experimentId, ...tracker.standing(), paused, memory });
    told = now();
  };
  let run: RunRecord | null = null;
  let saved = Number.NEGATIVE_INFINITY;
  let told = Number.NEGATIVE_INFINITY;
  // What cannot be kept ends the run: with what it held freed, and the page told.
  const kept = <T>(work: Promise<T>): Promise<T> =>
    work.catch(async (error) => {
      await stream.return(undefined as never);
      if (run?.status === 'running') {
        run = { ...run, status: 'stopped' };
        emit({ type: 'lab', experimentId, event: { type: 'run-end', run } });
      }
      throw error;
    });
  const save = async () => {
    if (!run) return;
    await kept(records.saveRun(run));
    await kept(records.saveExperiment(record));
    saved = now();
  };
  for (;;) {
    const next = await stream.next();
    await breathe();
    if (next.done) {
      if (grid.isWhole) record.result = next.value;
      return;
    }
    const event: LabEvent = next.value;
    // The result of some cells is not the experiment's.
    if (event.type === 'result' && !grid.isWhole) continue;
    run = fold(run, event);
    grid.see(event);
    if (event.type === 'run-start') record.runIds = grid.begun;
    if (event.type === 'step') {
      const { total, phases } = event.timing;
      estimator.learn(run!.spec, equipped, total - (phases.evaluate ?? 0) - (phases.refresh ?? 0));
      if (event.rollouts.length > 0) {
        const bytes = await kept(records.saveRollouts(event.runId, event.row.step, event.rollouts));
        record.approxBytes = (record.approxBytes ?? 0) + bytes;
      }
    }
    record.runsDone = grid.runsDone;
    record.stepsDone = grid.stepsDone;
    const isMilestone = event.type === 'run-start' || event.type === 'run-end' || event.type === 'checkpoint';
    if (isMilestone || (event.type === 'step' && now() - saved > SAVE_MS)) {
      await save();
      if (isMilestone) emit({ type: 'experiment', summary: summaryOf(record) });
    }
    emit({ type: 'lab', experimentId, event });
    if (tracker.see(event) && (now() - told > PROGRESS_MS || event.type === 'step' || event.type === 'result')) {
      tell(false);
    }
    if (isBoundary(event) && pacer.holds) {
      await save();
      tell(true);
      await pacer.pass(signal);
      tell(false);
    }
  }
}

/** Nothing of the next step has been computed yet, and everything of the last one has been kept. */
function isBoundary(event: LabEvent): boolean {
  return event.type === 'phase' && (event.phase === 'rollout' || event.phase === 'final evaluation');
}

/** The run's record with the event's news. */
function fold(run: RunRecord | null, event: LabEvent): RunRecord | null {
  if (event.type === 'run-start' || event.type === 'run-end') return event.run;
  if (!run) return null;
  if (event.type === 'step') return { ...run, rows: [...run.rows, event.row], timings: [...run.timings, event.timing] };
  return event.type === 'eval' ? { ...run, evals: [...run.evals, event.row] } : run;
}
