// The training loop, as METHOD tells it: roll out, grade, advantages, backward, project, step, log — and a checkpoint now and
// then. One run (one arm, one seed). It knows no model, no device and no environment beyond their interfaces; what it
// computes depends on the spec and the world alone, never on a clock or on where it was stopped.
import type { Concept } from '../algorithms/advantage-modification.ts';
import { deployed, initialState, type OptimizerState, optimizerStep } from '../algorithms/optimizer.ts';
import { updateRate } from '../algorithms/schedule.ts';
import { plus } from '../algorithms/vectors.ts';
import type { Policy } from '../engine/types.ts';
import { StoppedError } from '../lib/errors.ts';
import { mean } from '../stats/index.ts';
import type { TextCodec } from '../text/types.ts';
import { countedRewards } from './baselines.ts';
import type { DeviceBases } from './bases.ts';
import type { Checkpoint, CheckpointStore } from './checkpoint.ts';
import { evaluateModel } from './evaluate.ts';
import type { EvalRow, LabEvent, RunRecord, StepRow } from './events.ts';
import {
  type Anchors,
  advantagesOf,
  backwardStep,
  ratiosMove,
  type ScoredStep,
  type StepGradient,
  scoreStep,
} from './gradient.ts';
import { judgeGroups, sampleGroups } from './groups.ts';
import { PhaseClock } from './phases.ts';
import { norms, rolloutRecords, summarise } from './records.ts';
import type { RunSpec } from './spec.ts';
import { keepsSteps, type StepStore } from './steps.ts';
import type { World } from './tasks.ts';

export interface TrainPorts<Task, State, Verdict> {
  policy: Policy;
  codec: TextCodec;
  world: World<Task, State, Verdict>;
  bases: DeviceBases;
  /** For advantage modification; null where the spec has none. */
  concept: Concept | null;
  store: CheckpointStore | null;
  /** Keeps Δ of each step, where the arm's can be routed again afterwards; null: nothing is kept. */
  steps: StepStore | null;
  /** What decides the run besides its spec (model, grader, basis), for checkpoints. */
  context: string;
  /** Milliseconds, for timings only. */
  now: () => number;
  signal?: AbortSignal;
  /** Tokens so far and sequences still running, while a rollout lasts. */
  onRollout?: (tokens: number, running: number) => void;
  /** Scored tokens by policy ratio (RATIO_EDGES), of a step's last inner epoch; only where ratios can leave 1. */
  onRatios?: (runId: string, step: number, histogram: readonly number[]) => void;
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
  const acting = { spec, policy, labels, concept: ports.concept, signal };
  // Copies: a store may hand out what it keeps.
  const optimizer = from ? structuredClone(from.optimizer) : start(policy, spec, bases);
  const history = structuredClone(from?.history ?? {});
  const kept = keepsSteps(spec) ? ports.steps : null;
  await kept?.truncate(runId, from?.step ?? 0);
  if (from?.refreshed) await bases.restore(from.refreshed);

  for (let step = from?.step ?? 0; step < spec.steps; step++) {
    const clock = new PhaseClock(now, runId, step + 1);
    let basisOverlap: number | null = null;
    if (bases.isDue(spec, step)) {
      yield clock.begin('refresh');
      basisOverlap = await bases.refresh(spec, step, optimizer);
    }
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
    const counted = await countedRewards(acting, groups, judged, step);
    const advantages = advantagesOf(counted.rewards, spec);
    const summary = summarise(groups, judged, advantages.skipped, labels);

    // An optimizer step for each inner epoch, all on the same rollouts; the row tells of the first.
    const epochs: ({ lr: number; gradient: StepGradient | null } & Updated)[] = [];
    let anchors: Anchors | null = null;
    for (let epoch = 0; epoch < spec.innerEpochs; epoch++) {
      yield clock.begin('score');
      const scored: ScoredStep | null = await scoreStep(acting, optimizer.total, groups, advantages, anchors);
      let gradient: StepGradient | null = null;
      try {
        yield clock.begin('backward');
        gradient = scored && (await backwardStep(scored, spec));
      } finally {
        scored?.batch.free();
      }

      yield clock.begin('update');
      const lr = updateRate(spec, step, epoch);
      epochs.push({ lr, gradient, ...(await update(optimizer, gradient, lr, spec, bases)) });
      if (!scored) break; // every group is skipped, and would be again
      anchors = scored.anchors;
    }

    const [{ lr, gradient, measured }] = epochs;
    const last = epochs[epochs.length - 1].gradient;
    if (last && ratiosMove(spec)) ports.onRatios?.(runId, step + 1, last.ratioHistogram);
    const steps = epochs.flatMap(({ delta }) => (delta ? [delta] : []));
    await kept?.append(runId, step + 1, steps);
    const row: StepRow = {
      step: step + 1,
      ...summary,
      loss: gradient?.loss ?? 0,
      kl: gradient?.kl ?? null,
      entropy: gradient?.entropy ?? null,
      lr,
      cinNull: bases.null,
      ...measured,
      ...norms(optimizer, policy.initialKnobs),
      ...(spec.refreshEvery > 0 ? { basisOverlap } : {}),
      ...counted.row,
      ...(ratiosMove(spec) ? (last?.ratios ?? NO_RATIOS) : {}),
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
      const { refreshed } = bases;
      const state = { optimizer, rows, timings, evals, history, ...(refreshed ? { refreshed } : {}) };
      await ports.store.save(structuredClone({ schema: 1, runId, spec, context, step: step + 1, ...state }));
      yield { type: 'checkpoint', runId, step: step + 1 };
    }
    if (signal?.aborted) throw new StoppedError();
  }
  return optimizer;
}

/** What a row says of ratios when nothing was scored. */
const NO_RATIOS = { clipFraction: null, ratioMean: null };

type Measured = Pick<
  StepRow,
  'gradNorm' | 'cin' | 'cinStudent' | 'cinTeacher' | 'fired' | 'shadowCin' | 'cout' | 'coutUpdate'
>;

interface Updated {
  measured: Measured;
  /** Δ of the optimizer's step; null when there was none. */
  delta: Float32Array | null;
}

/** The optimizer step and everything that is measured of the gradient; without a scored group there is no step. */
async function update(
  optimizer: OptimizerState,
  gradient: StepGradient | null,
  lr: number,
  spec: RunSpec,
  bases: DeviceBases,
): Promise<Updated> {
  if (!gradient) {
    const none = { cin: null, cinStudent: null, cinTeacher: null, fired: null, cout: null, coutUpdate: null };
    const shadowCin = Object.fromEntries(bases.shadows.map(({ id }) => [id, null]));
    return { measured: { gradNorm: 0, ...none, shadowCin }, delta: null };
  }
  const g = plus(gradient.student, gradient.teacher);
  const overlaps = await bases.overlaps(g, gradient.student, gradient.teacher);
  const { gradNorm, fed, deployedStep, step } = await optimizerStep(optimizer, g, lr, spec, bases.own, bases.shadows);
  const cout = (await bases.overlapOf(fed)).mean;
  const coutUpdate = (await bases.overlapOf(deployedStep)).mean;
  return { measured: { gradNorm, ...overlaps, cout, coutUpdate }, delta: step };
}

/** Evaluated during the run: what training holds, and under `route` what would be deployed. */
function modelsOnTheWay(optimizer: OptimizerState, spec: RunSpec): [string, Float32Array][] {
  const total: [string, Float32Array] = ['total', optimizer.total];
  return spec.projection === 'route' ? [total, ['deployed', deployed(optimizer)]] : [total];
}

function start(policy: Policy, spec: RunSpec, bases: DeviceBases): OptimizerState {
  return initialState(
    policy.initialKnobs,
    spec,
    bases.shadows.map(({ id }) => id),
  );
}

/** Every N steps, and after the last one: a finished run's knobs are kept too. */
function isCheckpoint(step: number, { checkpointEvery, steps }: RunSpec): boolean {
  return checkpointEvery > 0 && (step % checkpointEvery === 0 || step === steps);
}
