// Follows the running experiment, here or in parallel workers, event by event: each event is passed on to the page, its content is stored
// (the run, its rollouts, the experiment's counts), and between two steps it may be paused. session.ts chooses the experiment and handles
// its end.

import type { Grader } from '../../environments/code/types.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import { runIdOf } from '../../experiments/config/run-spec.ts';
import { knowsThinkingOf, openShared, resultOf } from '../../experiments/kinds/run/experiment.ts';
import { drainRuns, ownWorker } from '../../experiments/kinds/run/parallel.ts';
import { type EvaluationJob, SharedCache } from '../../experiments/parallel/shared-cache.ts';
import { alsoByTime } from '../../experiments/records/checkpoint.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { foldEvent, recordOf } from '../../experiments/records/experiment-state.ts';
import { drained } from '../../lib/drained.ts';
import { turn } from '../../lib/turn.ts';
import { type Equipped, targetOf } from '../equipment/equipment.ts';
import type { Estimator } from '../estimate/estimate.ts';
import { ProgressTracker } from '../estimate/progress.ts';
import type { StoredExperiment } from '../protocol/experiments.ts';
import { summaryOf } from '../records/records.ts';
import type { Grid } from './grid.ts';
import type { Pacer } from './pacer.ts';
import { openPageWorkers, workersFor } from './page-workers.ts';
import type { SessionPorts } from './ports.ts';

const PROGRESS_MS = 250;
const SAVE_MS = 1000;

/** The experiment and its tools. `record` and `grid` are changed in place. */
export interface Followed {
  record: StoredExperiment;
  /** Its codec formats prompts by the experiment's settings. */
  equipped: Equipped;
  /** Shared values that are already computed, by key. */
  made: ReadonlyMap<string, unknown>;
  /** Grader of the experiment's environment. */
  grader: Grader;
  grid: Grid;
  pacer: Pacer;
  estimator: Estimator;
  signal: AbortSignal;
}

/** Resolves when every requested run has ended; throws a run's error, or a failure to store. */
export async function followExperiment(
  ports: Omit<SessionPorts, 'locks'>,
  { record, equipped, made, grader, grid, pacer, estimator, signal }: Followed,
): Promise<void> {
  const { records, emit, equipment } = ports;
  const { id: experimentId, spec } = record;
  const { policy, model, chosen, codec, text } = equipped;
  const unread = await text.unread();
  if (unread) emit({ type: 'warning', message: unread });
  // This clock stops during a pause, so that no step's timing includes it.
  const now = () => ports.now() - pacer.waited;
  const kept = {
    experimentId,
    about: {
      modelId: model.id,
      modelSha256: model.sha256,
      appVersion: ports.appVersion,
      ...knowsThinkingOf(EMBEDDED_MODELS.includes(model.id) ? {} : text),
    },
    checkpoints: alsoByTime(records.checkpoints, now),
    steps: {
      ...records.steps,
      append: async (runId: string, step: number, delta: readonly Float32Array[]) => {
        await records.steps.append(runId, step, delta);
        for (const { byteLength } of delta) record.approxBytes = (record.approxBytes ?? 0) + byteLength;
      },
    },
    artifacts: records.artifacts(targetOf(equipped), grader.version),
    parents: records.parents,
    grader,
    signal,
  };
  const { state, over } = grid;
  const planned = state.planned.map((run) => ({ id: runIdOf(experimentId, run), spec: run }));
  const left = planned.filter(({ id }) => grid.wanted(id) && grid.includes(id) && !over.includes(id));
  let workerCount = workersFor(
    ports.workers,
    left.map(({ spec }) => spec),
    chosen.report.kind,
  );
  const thought = estimator.estimate({ spec, runs: state.planned }, equipped).seconds;
  const tracker = new ProgressTracker(experimentId, state, now, { includes: grid.wanted, seconds: thought });
  let reportedAt = Number.NEGATIVE_INFINITY;
  let hasLearntPreparing = false;
  const emitProgress = (paused: boolean) => {
    const memory = equipment.current?.chosen.device.memory();
    emit({ type: 'progress', experimentId, ...tracker.progress(), paused, memory });
    reportedAt = now();
  };
  const see = (event: LabEvent) => {
    tracker.see(event);
    foldEvent(state, event);
  };
  const show = (event: LabEvent) => {
    emit({ type: 'lab', experimentId, event });
    if (now() - reportedAt > PROGRESS_MS || event.type === 'step' || event.type === 'result') emitProgress(false);
  };
  const pass = (event: LabEvent) => {
    see(event);
    show(event);
  };

  const cache = new SharedCache(made);
  /** Null if no workers can be opened: then the runs are trained here. */
  const open = async (count: number): Promise<Awaited<ReturnType<typeof openPageWorkers>> | null> => {
    const what = `making room for ${count} runs side by side`;
    pass({ type: 'prepare', what, done: 0, total: 1 });
    try {
      // An embedded model's factors are on the host, and only embedded models are trained by workers.
      const factored = equipped.adapter.adapter === 'svd' ? policy.factors : null;
      const device = chosen.device.numerics === 'cpu-fused' ? 'cpu-fused' : 'cpu';
      const workers = await openPageWorkers(count, ports.workers!, spec, { ...kept, factored, device, cache });
      pass({ type: 'prepare', what, done: 1, total: 1 });
      return workers;
    } catch (error) {
      if (signal.aborted) throw error;
      emit({ type: 'warning', message: `Runs are trained one after another: ${(error as Error).message}` });
      return null;
    }
  };

  /** Stores and passes on a stream's events, to its end. `onWait`: milliseconds of a pause. */
  const follow = async <End>(
    stream: AsyncGenerator<LabEvent, End>,
    onWait: (ms: number) => void = () => {},
  ): Promise<End> => {
    let runId = '';
    const runNow = () => recordOf(state, runId);
    let saved = Number.NEGATIVE_INFINITY;
    // A failed write ends the run: its memory is freed, and the page is informed.
    const held = <T>(work: Promise<T>): Promise<T> =>
      work.catch(async (error) => {
        await stream.return(undefined as never);
        const run = runNow();
        if (run?.status === 'running') {
          const end: LabEvent = { type: 'run-end', run: { ...run, status: 'stopped' } };
          see(end);
          emit({ type: 'lab', experimentId, event: end });
        }
        throw error;
      });
    const save = async () => {
      const run = runNow();
      if (!run) return;
      await held(records.saveRun(run));
      await held(records.saveExperiment(record));
      saved = now();
    };
    for (;;) {
      const next = await stream.next();
      // Training on the CPU device never yields by itself.
      await turn();
      if (next.done) return next.value;
      const event: LabEvent = next.value;
      see(event);
      if (event.type === 'run-start') {
        runId = event.run.id;
        record.runIds = grid.begun;
      }
      if (event.type === 'step') {
        const { spec: runSpec } = runNow()!;
        const took = tracker.prepared;
        // A resumed run has less to prepare, and so has one whose pairs were computed before: they must not correct the estimate.
        if (!hasLearntPreparing && made.size === 0 && took !== null && thought && event.row.step === 1)
          estimator.learnPreparing(runSpec, equipped, { thought: thought.preparing, took: took / 1000 });
        hasLearntPreparing = true;
        const { total, phases } = event.timing;
        const seconds = total - (phases.evaluate ?? 0) - (phases.refresh ?? 0);
        estimator.learn(runSpec, equipped, seconds, workerCount);
        if (event.rollouts.length > 0) {
          const bytes = await held(records.rollouts.save(event.runId, event.row.step, event.rollouts));
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
      show(event);
      if (isBoundary(event) && pacer.holds) {
        await save();
        emitProgress(pacer.isPaused);
        onWait(await pacer.pass(signal));
        emitProgress(false);
      }
    }
  };

  const here = { ...kept, policy, device: chosen.device, codec, date: ports.date, now };
  // This thread is idle while the workers open and compute, so it grades at once.
  if (workerCount > 1 && left[0].spec.mix > 0)
    void drained(openShared(spec, { ...here, common: cache }).preparation.environment(left[0].spec)).catch((error) =>
      cache.close(error),
    );
  const opened = workerCount > 1 ? await open(workerCount) : null;
  if (!opened) workerCount = 1;
  try {
    const workers = (opened?.workers ?? [ownWorker(spec, here)]).map((worker) => ({
      ...worker,
      paused: 0,
      evaluate: async (job: EvaluationJob) => {
        if (pacer.holds) await pacer.pass(signal);
        return worker.evaluate(job);
      },
    }));
    const train = (worker: (typeof workers)[number], id: string) =>
      follow(
        worker.stream(id, () => worker.paused),
        (ms) => {
          worker.paused += ms;
        },
      );
    const included = planned.filter(({ id }) => grid.includes(id));
    const onShare = (atWork: number) => {
      workerCount = atWork;
    };
    await drainRuns(workers, { planned: included, over, cache, onShare }, train);
    if (!grid.isWhole) return;
    record.result = resultOf(spec, state.runs);
    pass({ type: 'result', result: record.result });
  } finally {
    await opened?.close();
  }
}

/** Whether nothing of the next step has been computed, and everything of the last one has been stored. */
function isBoundary(event: LabEvent): boolean {
  return event.type === 'phase' && (event.phase === 'rollout' || event.phase === 'final evaluation');
}
