// The training loop: make a batch (roll out, grade), backward, project, step, log, and save checkpoints. It trains one run (one arm, one
// seed) in one or several stages, and knows the model, device, environment and objective only by their interfaces. Its results depend on
// the spec and the environments alone, not on a clock or on where the run was stopped.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { Concept } from '../../algorithms/advantage-modification.ts';
import type { OptimizerState } from '../../algorithms/optimizer.ts';
import type { Policy } from '../../engine/types.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { DeviceBases } from '../bases/bases.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { rateOf } from '../config/stages.ts';
import type { Prepared } from '../methods/method.ts';
import { OBJECTIVE_STEPS } from '../objectives/index.ts';
import type { Checkpoint, CheckpointStore } from '../records/checkpoint.ts';
import type { EvalRow, LabEvent, RunRecord, StepRow } from '../records/events.ts';
import { keepsSteps, type StepStore } from '../records/steps.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import type { StepGradient } from '../step/gradient.ts';
import { ModelMeter } from '../step/models.ts';
import { PhaseClock } from '../step/phases.ts';
import { norms } from '../step/step-records.ts';
import { DirectionsWatch } from './directions.ts';
import { evaluateModel } from './evaluate.ts';
import { ResumePoint } from './resume-point.ts';
import { StageWalk } from './stage-walk.ts';
import { initialOptimizer, modelsInTraining, type Updated, update } from './update.ts';

export interface TrainPorts<Task, State, Verdict> {
  policy: Policy;
  codec: PromptCodec;
  /** Environment in which the run is evaluated, and trained where a stage names no other. */
  environment: TrainingEnvironment<Task, State, Verdict>;
  /** The other environments that stages name. */
  environments?: ReadonlyMap<string, TrainingEnvironment<Task, State, Verdict>>;
  bases: DeviceBases;
  /** For advantage modification; null where the spec has none. */
  concept: Concept | null;
  /** The arena's method in its initial state; absent where the spec has none. A checkpoint restores its state. */
  method?: Prepared | null;
  store: CheckpointStore | null;
  /** Stores Δ of each step, if the arm's steps can be replayed; null to store nothing. */
  steps: StepStore | null;
  /** Key of everything besides the spec that decides the run (model, grader, device), for checkpoints. */
  context: string;
  /** Milliseconds, only for timings. */
  now: () => number;
  signal?: AbortSignal;
  /** Called during a rollout with the tokens so far and the sequences still running. */
  onRollout?: (tokens: number, running: number) => void;
  /** Scored tokens by policy ratio (bins of RATIO_EDGES) in a step's last inner epoch; only where ratios can differ from 1. */
  onRatios?: (runId: string, step: number, histogram: readonly number[]) => void;
  /** Adapter parameters to begin with, instead of the untrained ones. */
  begin?: Float32Array;
  /** Ends after this many steps with a checkpoint; the spec's steps if absent. The learning-rate schedule follows the spec. */
  until?: number;
}

/** Fields of a record that training reads and extends. */
export type TrainedRecord = Pick<RunRecord, 'id' | 'spec' | 'rows' | 'timings' | 'evals'>;

/**
 * Trains `record` from the checkpoint `from` (null: from the start), adding rows, timings and evaluations to it.
 * Returns the adapter parameters and quarantines after the last step. A run that is stopped saves a checkpoint of its last
 * complete step, unless the spec wants none.
 */
export async function* train<Task, State, Verdict>(
  record: TrainedRecord,
  from: Checkpoint | null,
  ports: TrainPorts<Task, State, Verdict>,
): AsyncGenerator<LabEvent, OptimizerState> {
  const { id: runId, spec } = record;
  const point = new ResumePoint(ports.store, { runId, spec, context: ports.context }, from?.step ?? 0);
  try {
    return yield* trainSteps(record, from, ports, point);
  } catch (error) {
    // Work that a stop interrupts elsewhere (a grader, a channel) may fail with its own error.
    const isStop = error instanceof StoppedError || ports.signal?.aborted;
    const step = isStop && spec.checkpointEvery > 0 ? await point.save() : null;
    if (step !== null) yield { type: 'checkpoint', runId, step };
    throw error;
  }
}

async function* trainSteps<Task, State, Verdict>(
  record: TrainedRecord,
  from: Checkpoint | null,
  ports: TrainPorts<Task, State, Verdict>,
  point: ResumePoint,
): AsyncGenerator<LabEvent, OptimizerState> {
  const { policy, codec, environment, environments, bases, concept, signal, onRollout } = ports;
  const { id: runId, spec, rows, timings, evals } = record;
  // Copies, because a store may hand out its own objects.
  const optimizer = from ? structuredClone(from.optimizer) : initialOptimizer(policy, spec, bases);
  if (!from && ports.begin) optimizer.total = ports.begin.slice();
  const method = ports.method?.(from) ?? null;
  const walk = new StageWalk(spec, from, (id) => environments?.get(id) ?? environment);
  const kept = keepsSteps(spec) ? ports.steps : null;
  await kept?.truncate(runId, from?.step ?? 0);
  if (from?.refreshed) await bases.restore(from.refreshed);
  const directions = new DirectionsWatch(policy.adapterLayout, from);

  const { until = spec.steps } = ports;
  for (let step = from?.step ?? 0; step < until; step++) {
    const clock = new PhaseClock(ports.now, runId, step + 1);
    const meter = new ModelMeter();
    const { stage, ...current } = walk.enter(step);
    let basisOverlap: number | null = null;
    if (bases.isDue(spec, step)) {
      yield clock.begin('refresh');
      basisOverlap = await bases.refresh(spec, step, optimizer);
    }
    policy.setAdapterParams(optimizer.total);
    const acting = {
      spec,
      stage,
      step,
      adapterParams: optimizer.total,
      policy,
      codec,
      concept,
      method,
      clock,
      meter,
      signal,
      onRollout,
    };
    const batch = yield* OBJECTIVE_STEPS[stage.objective]({ ...acting, ...current });

    // One optimizer step per inner epoch, all on the same batch; the row reports the first.
    const isEvaluated = spec.evalEvery > 0 && (step + 1) % spec.evalEvery === 0;
    const epochs: ({ lr: number; gradient: StepGradient | null } & Updated)[] = [];
    const { initialAdapterParams: initial } = policy;
    const limit = method?.limit ? (total: Float32Array) => method.limit!({ step, total, initial }) : null;
    for (let epoch = 0; epoch < spec.innerEpochs; epoch++) {
      const gradient = yield* batch.gradient(optimizer.total);
      yield clock.begin('update');
      if (epoch === 0) point.leave(isEvaluated || spec.innerEpochs > 1);
      const lr = rateOf(spec, stage, step, epoch);
      epochs.push({ lr, gradient, ...(await update(optimizer, gradient, lr, spec, bases, limit)) });
      if (!gradient) break;
    }

    const [{ lr, gradient, measured }] = epochs;
    const last = epochs[epochs.length - 1].gradient;
    if (last?.ratioHistogram) ports.onRatios?.(runId, step + 1, last.ratioHistogram);
    const steps = epochs.flatMap(({ delta }) => (delta ? [delta] : []));
    await kept?.append(runId, step + 1, steps);
    const row: StepRow = {
      step: step + 1,
      ...batch.summary,
      loss: gradient?.loss ?? 0,
      kl: gradient?.kl ?? null,
      entropy: gradient?.entropy ?? null,
      lr,
      cinNull: bases.null,
      ...measured,
      ...norms(optimizer, policy.initialAdapterParams),
      ...(spec.refreshEvery > 0 ? { basisOverlap } : {}),
      ...batch.extra(last),
      ...directions.after(step + 1, optimizer.total),
    };
    batch.learn();

    const evaluated: EvalRow[] = [];
    if (isEvaluated) {
      yield clock.begin('evaluate');
      for (const [model, adapterParams] of modelsInTraining(optimizer, spec)) {
        const settings = { ...spec, signal };
        const rates = await evaluateModel(
          { policy, codec, environment },
          adapterParams,
          environment.evaluation.during,
          settings,
        );
        evaluated.push({ step: step + 1, model, kind: 'during', ...rates });
      }
    }

    const timing = { ...clock.timing(row.rolloutTokens), ...meter.costs };
    rows.push(row);
    timings.push(timing);
    evals.push(...evaluated);
    const { refreshed } = bases;
    point.reached(step + 1, {
      optimizer,
      rows,
      timings,
      evals,
      ...current.memory.kept(),
      ...(refreshed ? { refreshed } : {}),
      ...directions.kept(step + 1),
      ...method?.keep?.(),
    });
    yield { type: 'step', runId, row, timing, rollouts: batch.rollouts };
    for (const row of evaluated) yield { type: 'eval', runId, row };
    const isEnd = step + 1 === ports.until;
    if (ports.store && (isEnd || isCheckpoint(step + 1, spec, walk) || isDue(ports.store, record))) {
      await point.save();
      yield { type: 'checkpoint', runId, step: step + 1 };
    }
    if (signal?.aborted) throw new StoppedError();
  }
  return optimizer;
}

/** Whether the store's clock asks for a checkpoint; never if the spec wants none. */
const isDue = ({ isDue }: CheckpointStore, { id, spec }: TrainedRecord): boolean =>
  spec.checkpointEvery > 0 && isDue?.(id) === true;

/** Every N steps and after the last one, so that a finished run's adapter parameters are stored; none of these if N = 0. And where a stage ends. */
function isCheckpoint(
  step: number,
  { checkpointEvery, steps }: RunSpec,
  walk: Pick<StageWalk<unknown, unknown, unknown>, 'endsAt'>,
): boolean {
  if (step < steps && walk.endsAt(step)) return true;
  return checkpointEvery > 0 && (step % checkpointEvery === 0 || step === steps);
}
