// The training loop, as METHOD tells it: roll out, grade, advantages, backward, project, step, log — and a checkpoint now and
// then. One run (one arm, one seed). It knows no model, no device and no environment beyond their interfaces; what it
// computes depends on the spec and the world alone, never on a clock or on where it was stopped.
import { deployed, initialState, type OptimizerState, optimizerStep } from '../algorithms/optimizer.ts';
import { learningRate } from '../algorithms/schedule.ts';
import { plus } from '../algorithms/vectors.ts';
import type { Policy } from '../engine/types.ts';
import { StoppedError } from '../lib/errors.ts';
import { mean } from '../stats/index.ts';
import type { TextCodec } from '../text/types.ts';
import type { DeviceBases } from './bases.ts';
import type { Checkpoint, CheckpointStore } from './checkpoint.ts';
import { evaluateModel } from './evaluate.ts';
import type { EvalRow, LabEvent, RunRecord, StepRow } from './events.ts';
import { advantagesOf, backwardStep, type StepGradient, scoreStep } from './gradient.ts';
import { judgeGroups, sampleGroups } from './groups.ts';
import { PhaseClock } from './phases.ts';
import { norms, rolloutRecords, summarise } from './records.ts';
import type { RunSpec } from './spec.ts';
import type { World } from './tasks.ts';

export interface TrainPorts<Task, State, Verdict> {
  policy: Policy;
  codec: TextCodec;
  world: World<Task, State, Verdict>;
  bases: DeviceBases;
  store: CheckpointStore | null;
  /** What decides the run besides its spec (model, grader, basis), for checkpoints. */
  context: string;
  /** Milliseconds, for timings only. */
  now: () => number;
  signal?: AbortSignal;
  /** Tokens so far and sequences still running, while a rollout lasts. */
  onRollout?: (tokens: number, running: number) => void;
}

/**
 * Trains `record` from where `from` left off (null: from the start), adding rows, timings and evaluations to it.
 * Returns the knobs and quarantines after the last step.
 */
export async function* train<Task, State, Verdict>(
  record: RunRecord,
  from: Checkpoint | null,
  ports: TrainPorts<Task, State, Verdict>,
): AsyncGenerator<LabEvent, OptimizerState> {
  const { policy, codec, world, bases, signal, now } = ports;
  const { id: runId, spec, rows, timings, evals } = record;
  const { labels } = world;
  // Copies: a store may hand out what it keeps.
  const optimizer = from ? structuredClone(from.optimizer) : start(policy, spec);
  const history = structuredClone(from?.history ?? {});

  for (let step = from?.step ?? 0; step < spec.steps; step++) {
    const clock = new PhaseClock(now, runId, step + 1);
    policy.setKnobs(optimizer.total);

    yield clock.begin('rollout');
    const tasks = world.sampler.draw({
      seed: spec.seed,
      step,
      count: spec.promptsPerStep,
      history: { rewards: (id) => history[id] ?? [] },
    });
    const rolling = { policy, codec, environment: world.environment };
    const groups = await sampleGroups(rolling, world, tasks, spec, step, { signal, onProgress: ports.onRollout });

    yield clock.begin('grade');
    const judged = await judgeGroups(world, groups, signal);
    const advantages = advantagesOf(judged, spec);
    const summary = summarise(groups, judged, advantages.skipped, labels);

    yield clock.begin('score');
    const scored = await scoreStep(policy, optimizer.total, groups, advantages, spec, signal);

    let gradient: StepGradient | null = null;
    try {
      yield clock.begin('backward');
      gradient = scored && (await backwardStep(scored, spec));
    } finally {
      scored?.batch.free();
    }

    yield clock.begin('update');
    const lr = learningRate(step, spec.steps, spec.lr, spec.warmupFrac);
    const measured = await update(optimizer, gradient, lr, spec, bases);
    const row: StepRow = {
      step: step + 1,
      ...summary,
      loss: gradient?.loss ?? 0,
      kl: gradient?.kl ?? null,
      entropy: gradient?.entropy ?? null,
      lr,
      cinNull: bases.null,
      ...measured,
      ...norms(optimizer),
    };
    for (const [g, task] of tasks.entries()) {
      const earned = mean(judged[g].slice(0, groups[g].live).map(({ reward }) => reward)) ?? 0;
      history[labels.id(task)] = [...(history[labels.id(task)] ?? []), earned];
    }

    const evaluated: EvalRow[] = [];
    if (spec.evalEvery > 0 && (step + 1) % spec.evalEvery === 0) {
      yield clock.begin('evaluate');
      for (const [model, knobs] of modelsOnTheWay(optimizer, spec)) {
        const rates = await evaluateModel({ policy, codec, world }, knobs, world.evaluation.during, {
          ...spec,
          signal,
        });
        evaluated.push({ step: step + 1, model, kind: 'during', ...rates });
      }
    }

    const timing = clock.timing(row.rolloutTokens);
    rows.push(row);
    timings.push(timing);
    evals.push(...evaluated);
    yield { type: 'step', runId, row, timing, rollouts: rolloutRecords(step + 1, groups, judged, advantages, labels) };
    for (const row of evaluated) yield { type: 'eval', runId, row };
    if (ports.store && isCheckpoint(step + 1, spec)) {
      const { context } = ports;
      const state = { optimizer, rows, timings, evals, history };
      await ports.store.save(structuredClone({ schema: 1, runId, spec, context, step: step + 1, ...state }));
      yield { type: 'checkpoint', runId, step: step + 1 };
    }
    if (signal?.aborted) throw new StoppedError();
  }
  return optimizer;
}

/** The optimizer step and everything that is measured of the gradient; without a scored group there is no step. */
async function update(
  optimizer: OptimizerState,
  gradient: StepGradient | null,
  lr: number,
  spec: RunSpec,
  bases: DeviceBases,
): Promise<
  Pick<StepRow, 'gradNorm' | 'cin' | 'cinStudent' | 'cinTeacher' | 'fired' | 'shadowCin' | 'cout' | 'coutUpdate'>
> {
  if (!gradient) {
    const none = { cin: null, cinStudent: null, cinTeacher: null, fired: null, cout: null, coutUpdate: null };
    return { gradNorm: 0, ...none, shadowCin: Object.fromEntries(bases.shadows.map(({ id }) => [id, null])) };
  }
  const g = plus(gradient.student, gradient.teacher);
  const overlaps = await bases.overlaps(g, gradient.student, gradient.teacher);
  const { gradNorm, fed, deployedStep } = await optimizerStep(optimizer, g, lr, spec, bases.own, bases.shadows);
  return {
    gradNorm,
    ...overlaps,
    cout: (await bases.overlapOf(fed)).mean,
    coutUpdate: (await bases.overlapOf(deployedStep)).mean,
  };
}

/** Evaluated during the run: what training holds, and under `route` what would be deployed. */
function modelsOnTheWay(optimizer: OptimizerState, spec: RunSpec): [string, Float32Array][] {
  const total: [string, Float32Array] = ['total', optimizer.total];
  return spec.projection === 'route' ? [total, ['deployed', deployed(optimizer)]] : [total];
}

function start(policy: Policy, spec: RunSpec): OptimizerState {
  return initialState(
    policy.knobs.total,
    spec,
    spec.shadows.map(({ id }) => id),
  );
}

/** Every N steps, and after the last one: a finished run's knobs are kept too. */
function isCheckpoint(step: number, { checkpointEvery, steps }: RunSpec): boolean {
  return checkpointEvery > 0 && (step % checkpointEvery === 0 || step === steps);
}
