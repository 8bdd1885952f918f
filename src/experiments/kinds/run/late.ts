// The arena's corners: models made from a finished run and evaluated beside its own.
//   interpolation: base + α (trained − base), α = 1/8 … 7/8, and the same towards the deployed model;
//   early_stop:    the trained model after the number of steps at which it solved the trusted problems best;
//   merge:         a trusted-only run's update, averaged with vanilla's of the same seed where their signs agree;
//   merge_controls: references of the merge (algorithms/trusted/merge.ts);
//   quarantine:    the undeployed part of a routed run, added to the untrained model;
//   relearn:       the deployed model (for vanilla the untrained one), trained further by plain RL (relearn.ts).
// Early stopping and merging read stored steps (records/steps.ts), so that a resumed run gives the same models.
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { deployed, type OptimizerState } from '../../../algorithms/optimizer.ts';
import { mergeControls, mergedWhereSignsAgree } from '../../../algorithms/trusted/merge.ts';
import { minus, plus, subtractInto } from '../../../algorithms/vectors.ts';
import type { Device } from '../../../kernels/device.ts';
import { trainsUnprojected } from '../../config/arms/arm.ts';
import { VANILLA_ARMS } from '../../config/arms.ts';
import { ALPHAS, BASE_RELEARNED, MERGE_CONTROLS, QUARANTINE, RELEARNED } from '../../config/controls.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import type { Preparation } from '../../environments/preparation.ts';
import { type EvaluationPorts, evaluateModel } from '../../loop/evaluate.ts';
import type { LateModels } from '../../loop/final-evaluation.ts';
import type { LabEvent } from '../../records/events.ts';
import { metricValue } from '../../records/metrics.ts';
import type { KeptSteps, StepStore } from '../../records/steps.ts';
import { relearn } from './relearn.ts';

/** Steps between two evaluations for early stopping, and samples of each trusted problem. */
const EVERY = 10;
const SAMPLES = 8;

export interface LatePorts<Task, State, Verdict> extends EvaluationPorts<Task, State, Verdict> {
  id: string;
  spec: RunSpec;
  optimizer: OptimizerState;
  /** All runs of the experiment. */
  runs: readonly { id: string; spec: RunSpec }[];
  steps: StepStore | null;
  device: Device;
  preparation: Preparation;
  now: () => number;
  signal?: AbortSignal;
}

/** Adds the models of `alsoEvaluate` to `late`, with a note where one could not be made. The policy is left with other parameters. */
export async function* addLateModels<Task, State, Verdict>(
  late: LateModels,
  ports: LatePorts<Task, State, Verdict>,
): AsyncGenerator<LabEvent, void> {
  const { id, spec, optimizer, policy } = ports;
  const base = policy.initialAdapterParams;
  const evaluations = new Set(spec.alsoEvaluate);
  if (evaluations.has('interpolation'))
    for (const [stem, model] of [
      ['alpha', optimizer.total],
      ...(spec.projection === 'route' ? ([['deployed_alpha', deployed(optimizer)]] as const) : []),
    ] as const)
      for (const alpha of ALPHAS) setOwn(late.matched, `${stem}_${alpha}`, interpolate(base, model, alpha));
  if (evaluations.has('quarantine') && spec.projection === 'route')
    setOwn(late.matched, QUARANTINE, plus(base, optimizer.hack));
  if (evaluations.has('early_stop')) await earlyStop(late, ports);
  if (evaluations.has('merge') || evaluations.has('merge_controls')) await mergeModels(late, ports);
  if (evaluations.has('relearn')) {
    // Vanilla, the reference of the others, deploys its trained model; its own reference is the untrained one.
    const isReference = spec.projection === 'none' && isVanilla(spec);
    const model = spec.projection === 'route' ? deployed(optimizer) : optimizer.total;
    const { adapterParams, note } = yield* relearn(spec, isReference ? base : model, { ...ports, runId: id });
    const name = isReference ? BASE_RELEARNED : RELEARNED;
    setOwn(late.matched, name, adapterParams);
    if (note !== '') setOwn(late.notes, name, note);
  }
}

const isVanilla = (run: RunSpec): boolean => VANILLA_ARMS.includes(run.arm) && trainsUnprojected(run);

export const interpolate = (base: Float32Array, model: Float32Array, alpha: number): Float32Array =>
  base.map((x, i) => x + alpha * (model[i] - x));

async function earlyStop<Task, State, Verdict>(
  late: LateModels,
  { id, spec, steps, policy, codec, environment, signal }: LatePorts<Task, State, Verdict>,
): Promise<void> {
  const kept = await steps?.load(id);
  const { trusted } = environment;
  if (!kept || !trusted) {
    setOwn(late.notes, 'total', 'early_stop could not be made: its steps were not kept, or no problem is trusted');
    return;
  }
  const set = trusted.tasks.flatMap((task) =>
    Array.from({ length: SAMPLES }, () => ({ task, unseen: environment.splits[0].id })),
  );
  let best = { step: 0, solve: -1, params: policy.initialAdapterParams };
  for (const { step, params } of paramsAlongRun(policy.initialAdapterParams, kept)) {
    if (step % EVERY !== 0 && step !== kept.length) continue;
    const { all } = await evaluateModel({ policy, codec, environment }, params, set, { ...spec, signal });
    const solve = metricValue(all, 'solve') ?? 0;
    if (solve > best.solve) best = { step, solve, params };
  }
  setOwn(late.matched, 'early_stop', best.params);
  const text = `after step ${best.step} of ${kept.length}: ${(100 * best.solve).toFixed(1)}% of the trusted problems solved`;
  setOwn(late.notes, 'early_stop', text);
}

/** The parameters before the first step and after each one. Weight decay is ignored, since it is 0 in every preset. */
export function* paramsAlongRun(
  initial: Float32Array,
  kept: KeptSteps,
): Generator<{ step: number; params: Float32Array }> {
  const params = initial.slice();
  yield { step: 0, params: params.slice() };
  for (const [i, deltas] of kept.entries()) {
    for (const delta of deltas) subtractInto(params, delta);
    yield { step: i + 1, params: params.slice() };
  }
}

async function mergeModels<Task, State, Verdict>(
  late: LateModels,
  { spec, optimizer, runs, steps, policy }: LatePorts<Task, State, Verdict>,
): Promise<void> {
  // Merging vanilla with itself would change nothing.
  if (isVanilla(spec)) return;
  const base = policy.initialAdapterParams;
  for (const { id, spec: other } of runs) {
    if (other.seed !== spec.seed || !isVanilla(other)) continue;
    const kept = await steps?.load(id);
    if (kept?.length !== other.steps) continue;
    const vanilla = base.slice();
    for (const delta of kept.flat()) subtractInto(vanilla, delta);
    const [trusted, untrusted] = [minus(optimizer.total, base), minus(vanilla, base)];
    if (spec.alsoEvaluate.includes('merge'))
      setOwn(late.matched, 'merge', plus(base, mergedWhereSignsAgree(trusted, untrusted)));
    if (spec.alsoEvaluate.includes('merge_controls')) {
      const controls = mergeControls(trusted, untrusted, spec.seed);
      for (const name of MERGE_CONTROLS) setOwn(late.matched, `merge_${name}`, plus(base, controls[name]));
    }
    return;
  }
  setOwn(late.notes, 'total', 'merge could not be made: the steps of vanilla’s run of this seed are not kept');
}
