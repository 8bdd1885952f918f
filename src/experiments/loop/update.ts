// The optimizer's part of a step: updates adapter parameters and quarantines, and measures the gradient behind the update.
import { deployed, initialState, type OptimizerState, optimizerStep } from '../../algorithms/optimizer.ts';
import { minus, plus, scaleInto } from '../../algorithms/vectors.ts';
import type { Policy } from '../../engine/types.ts';
import type { DeviceBases } from '../bases/bases.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { StepRow } from '../records/events.ts';
import type { StepGradient } from '../step/gradient.ts';

type UpdateMeasures = Pick<
  StepRow,
  'gradNorm' | 'cin' | 'cinStudent' | 'cinTeacher' | 'fired' | 'shadowCin' | 'cout' | 'coutUpdate'
>;

export interface Updated {
  measured: UpdateMeasures;
  /** Δ of the optimizer's step; null if there was none. */
  delta: Float32Array | null;
}

/** Takes the optimizer step and measures the gradient; without a scored group there is no step. `limit` constrains the adapter parameters
 *  after it. */
export async function update(
  optimizer: OptimizerState,
  gradient: StepGradient | null,
  lr: number,
  spec: RunSpec,
  bases: DeviceBases,
  limit: ((total: Float32Array) => Float32Array) | null,
): Promise<Updated> {
  if (!gradient) {
    const none = { cin: null, cinStudent: null, cinTeacher: null, fired: null, cout: null, coutUpdate: null };
    const controlCin = Object.fromEntries(bases.controls.map(({ id }) => [id, null]));
    return { measured: { gradNorm: 0, ...none, shadowCin: controlCin }, delta: null };
  }
  const g = gradient.combined ?? plus(gradient.student, gradient.teacher);
  const overlaps = await bases.overlaps(g, gradient.student, gradient.teacher);
  const before = limit && optimizer.total.slice();
  const stepped = await optimizerStep(optimizer, g, lr, spec, bases.own, bases.controls);
  const { gradNorm, fed } = stepped;
  let { deployedStep, step } = stepped;
  const limited = limit?.(optimizer.total) ?? optimizer.total;
  if (before && limited !== optimizer.total) {
    // The step that leads to the limited parameters, computed as in a replay of stored steps.
    scaleInto(before, 1 - lr * spec.weightDecay);
    step = minus(before, limited);
    deployedStep = step;
    optimizer.total = minus(before, step);
  }
  const cout = (await bases.overlapOf(fed)).mean;
  const coutUpdate = (await bases.overlapOf(deployedStep)).mean;
  return { measured: { gradNorm, ...overlaps, cout, coutUpdate }, delta: step };
}

/** Models that are evaluated during the run: the trained one, and under `route` the deployed one. */
export function modelsInTraining(optimizer: OptimizerState, spec: RunSpec): [string, Float32Array][] {
  const total: [string, Float32Array] = ['total', optimizer.total];
  return spec.projection === 'route' ? [total, ['deployed', deployed(optimizer)]] : [total];
}

export function initialOptimizer(policy: Policy, spec: RunSpec, bases: DeviceBases): OptimizerState {
  return initialState(
    policy.initialAdapterParams,
    spec,
    bases.controls.map(({ id }) => id),
  );
}
