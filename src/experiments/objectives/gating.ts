// What a method does at a judged step: its gate, the gradient of the gated passes, and the weights that it gives rollouts
// (methods/method.ts).
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import type { Judged } from '../../environments/types.ts';
import { mean, sum } from '../../stats/index.ts';
import type { Gating, PaidRollout, RolloutWeights } from '../methods/method.ts';
import type { CountedRewards } from '../step/baselines.ts';
import { type Advantages, backwardStep, type StepGradient, scoreStep } from '../step/gradient.ts';
import type { StepGroup } from '../step/groups.ts';
import { episodeTokens } from '../step/sequences.ts';
import type { StepPorts } from './types.ts';

type MethodPorts<Task, State, Verdict> = Pick<
  StepPorts<Task, State, Verdict>,
  'spec' | 'step' | 'policy' | 'method' | 'signal' | 'environment'
>;

export interface JudgedGroups<Task, Verdict> {
  groups: readonly StepGroup<Task, Verdict>[];
  judged: readonly (readonly Judged<Verdict>[])[];
}

export function paidRollouts<Task, State, Verdict>(
  { environment }: Pick<MethodPorts<Task, State, Verdict>, 'environment'>,
  { groups, judged }: JudgedGroups<Task, Verdict>,
): PaidRollout[][] {
  return groups.map(({ task, prompt, rollouts }, g) =>
    rollouts.map(({ turns }, sample) => {
      const { reward, verdict } = judged[g][sample];
      const isHack = environment.isHack?.(verdict) ?? false;
      const formOf = environment.hackForm ?? (() => -1);
      const hackForm = isHack ? formOf(task, turns.at(-1)?.completion ?? '') : null;
      return { prompt, sample, tokens: episodeTokens(turns), reward, isHack, hackForm };
    }),
  );
}

/** Rewards after the run's method; `counted` if the method changes none. The policy holds `adapterParams` before and afterwards. */
export async function countsFor<Task, State, Verdict>(
  ports: MethodPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  counted: CountedRewards,
  own: JudgedGroups<Task, Verdict>,
  trusted: JudgedGroups<Task, Verdict>,
): Promise<{ rewards: CountedRewards; row?: RolloutWeights['row'] }> {
  const { step, policy, method, signal, environment } = ports;
  if (!method?.counts) return { rewards: counted };
  const rollouts = paidRollouts(ports, own).map((group, g) =>
    group.map((rollout, i) => ({ ...rollout, reward: counted[g][i] ?? 0 })),
  );
  const weights = await method.counts({
    step,
    adapterParams,
    policy,
    signal,
    rollouts,
    trusted: paidRollouts(ports, trusted),
    async behaviours() {
      if (environment.behaviours) return environment.behaviours(own.groups, signal);
      throw new LabError(
        'A method asks what answers do, and nothing is seen of it here.',
        'This is a fault in the lab; please report it with the run’s spec.',
      );
    },
  });
  policy.setAdapterParams(adapterParams);
  // A reward of 0 stays 0, whatever the method makes of it: published runs were made so. Null does not count at all.
  const rewards = counted.map((group, g) => group.map((x, i) => (x === null || x === 0 ? x : weights.rewards[g][i])));
  return { row: weights.row, rewards };
}

interface Gated {
  row: Gating['row'];
  /** May be called once. Null if every group is flat. The policy is left with other adapter parameters. */
  gradient(advantages: Advantages): Promise<StepGradient | null>;
}

/** Null if the run has no gate. The policy is left with other adapter parameters. */
export async function gateStep<Task, State, Verdict>(
  { spec, step, policy, method, signal, environment }: MethodPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  groups: readonly StepGroup<Task, Verdict>[],
  judged: readonly (readonly Judged<Verdict>[])[],
): Promise<Gated | null> {
  if (!method?.gate) return null;
  const rollouts = paidRollouts({ environment }, { groups, judged });
  const gating = await method.gate({ step, adapterParams, policy, signal, rollouts });
  return {
    row: gating.row,
    async gradient(advantages) {
      const made = await gating.gradient({
        counted: advantages.counted,
        async scored({ adapterParams, counts, segmentOf = () => 0 }, use) {
          const counted = groups.map(({ rollouts }, g) => rollouts.map((_, i) => counts(g, i)));
          const recounted = { ...advantages, counted };
          // A pass may have other parameters than the sampling policy, so its ratios are against its own forward.
          const acting = { spec, policy, signal, isOnPolicy: true };
          const scored = await scoreStep(acting, adapterParams, groups, recounted, null, segmentOf);
          if (!scored) return null;
          try {
            return await use(() => backwardStep(scored, spec));
          } finally {
            scored.batch.free();
          }
        },
      });
      return made && gradientOf(made);
    },
  };
}

function gradientOf({ combined, passes }: NonNullable<Awaited<ReturnType<Gating['gradient']>>>): StepGradient {
  return {
    student: combined,
    teacher: new Float32Array(combined.length),
    loss: sum(passes.map(({ loss }) => loss)),
    kl: null,
    entropy: mean(passes.flatMap(({ entropy }) => entropy ?? [])),
  };
}
