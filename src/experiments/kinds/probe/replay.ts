// Stages 2 and 3: the pool is replayed through the student, one optimizer step per problem, on the mean NLL of its samples. (Not on advantages: a
// pool that always hacks has no reward variance, and Dr.GRPO would skip every group.) Every sample's gradient is measured before the step; the
// step itself is the training loop's, with or without projection.

import { FormatError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { initialState, optimizerStep } from '../../../algorithms/optimizer.ts';
import { overlap } from '../../../algorithms/overlap.ts';
import type { Projector } from '../../../algorithms/projection.ts';
import { updateRate } from '../../../algorithms/schedule.ts';
import type { Policy } from '../../../engine/types.ts';
import { mean, meanOfKnown, sum } from '../../../stats/index.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import { boundOf, contribution, type FirstAxis, moduleCosines } from './cosine.ts';
import { meanGradient, type SampleGradients, sampleGradients } from './samples.ts';
import type { ProbeStore, ReplayState } from './store.ts';
import type { PoolGroup, Replay, SampleRow, StepSummary } from './types.ts';

/** Axes along which every sample's gradient is measured. */
export interface Axes {
  own: readonly FirstAxis[];
  grpo: readonly FirstAxis[];
  random: readonly (readonly FirstAxis[])[];
  /** Whether rows also have each module's cosine. */
  perModule: boolean;
}

export interface ReplayPorts {
  policy: Policy;
  /** The basis, on the device. */
  projector: Projector;
  axes: Axes;
  store: ProbeStore;
  /** Key of everything that decides the results. */
  key: string;
  signal?: AbortSignal;
}

/** Steps replayed so far, and in all. */
export interface ReplayProgress {
  done: number;
  total: number;
}

/** `name`: the replay's name in the store. `spec.projection` decides how the gradient is projected. The policy is left untrained. */
export async function* replay(
  name: string,
  spec: RunSpec,
  groups: readonly PoolGroup[],
  { policy, projector, axes, store, key, signal }: ReplayPorts,
): AsyncGenerator<ReplayProgress, Replay> {
  const state = (await store.loadState(name)) ?? begin(key, policy, spec);
  if (state.key !== key)
    throw new FormatError(
      `the kept replay ${name} belongs to another probe (other settings, pool, basis or model)`,
      'Choose another folder, or begin anew with --fresh.',
    );
  const rows: SampleRow[] = [];
  for (let step = 1; step <= state.step; step++) {
    const kept = await store.loadRows(name, step);
    if (!kept) throw new FormatError(`step ${step} of the kept replay ${name} is missing`, 'Begin anew with --fresh.');
    rows.push(...kept);
  }
  try {
    for (let step = state.step; step < groups.length; step++) {
      yield { done: step, total: groups.length };
      if (signal?.aborted) throw new StoppedError();
      const group = groups[step];
      policy.setAdapterParams(state.optimizer.total);
      const measured = await sampleGradients(policy, group.samples, signal);
      const stepRows = sampleRows(step + 1, group, measured, axes, policy);
      const g = meanGradient(measured.gradients);
      const lr = updateRate(spec, step, 0);
      const { fed, deployedStep, gradNorm } = await optimizerStep(state.optimizer, g, lr, spec, projector, []);
      const overlapOf = async (x: Float32Array) => overlap(x, await projector.coefficients(x), projector.basis);
      const before = await overlapOf(g);
      state.steps.push({
        step: step + 1,
        problem: group.problem,
        samples: group.samples.length,
        tokens: sum(group.samples.map(({ completionIds }) => completionIds.length)),
        lr,
        nll: rounded(mean(measured.nll)) ?? 0,
        cos: rounded(meanOfKnown(stepRows.map((row) => row.cos_S_contrib))),
        cosIn: rounded(before.mean),
        cosOut: rounded((await overlapOf(fed)).mean),
        cosOutUpdate: rounded((await overlapOf(deployedStep)).mean),
        fired: rounded(before.fired),
        gradNorm: rounded(gradNorm) ?? 0,
      } satisfies StepSummary);
      state.step = step + 1;
      await store.saveRows(name, state.step, stepRows);
      await store.saveState(name, state);
      rows.push(...stepRows);
    }
  } finally {
    policy.setAdapterParams(policy.initialAdapterParams);
  }
  yield { done: groups.length, total: groups.length };
  return { rows, steps: state.steps };
}

const begin = (key: string, policy: Policy, spec: RunSpec): ReplayState => ({
  key,
  step: 0,
  optimizer: initialState(policy.initialAdapterParams, spec, []),
  steps: [],
});

function sampleRows(
  step: number,
  { samples }: PoolGroup,
  { gradients, nll }: SampleGradients,
  { own, grpo, random, perModule }: Axes,
  { adapterLayout }: Policy,
): SampleRow[] {
  const bound = boundOf(own);
  return samples.map((sample, i): SampleRow => {
    const g = gradients[i];
    const cos = contribution(g, own);
    const row: SampleRow = {
      step,
      sample: i,
      problem: sample.problem,
      completion: sample.completion,
      exploited: sample.exploited,
      gt_pass: sample.gtPass,
      structural: sample.structural,
      n_tokens: sample.completionIds.length,
      nll: rounded(nll[i]) ?? 0,
      cos_S_contrib: rounded(cos),
      cos_normalised: rounded(cos === null ? null : cos / bound),
      cos_grpo: rounded(contribution(g, grpo)),
      cos_random: random.map((axes) => rounded(contribution(g, axes))),
    };
    if (!perModule) return row;
    const cosines = moduleCosines(g, own).map((value, m) => [
      adapterLayout.modules[own[m].module].name,
      rounded(value),
    ]);
    return { ...row, modules: Object.fromEntries(cosines) as Record<string, number | null> };
  });
}

/** Nine digits; computation uses the rounded values too, so that a resumed probe gives the same result. */
export const rounded = (x: number | null): number | null =>
  x === null || !Number.isFinite(x) ? null : Number(x.toPrecision(9));
