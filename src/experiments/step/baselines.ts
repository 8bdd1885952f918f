// Baselines that change rewards between the grader and the group statistics. The result is what a rollout counts for in training; the
// logged reward and the curriculum keep the environment's. Order: screening drops rollouts, a penalty is subtracted, then advantage
// modification lowers the rest. Teacher rows are treated like every other rollout of their group.

import { LabError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { type Concept, conceptScore, modifiedReward, standardise } from '../../algorithms/advantage-modification.ts';
import { monitorFlags } from '../../algorithms/monitor.ts';
import type { Policy } from '../../engine/types.ts';
import type { Group, Judged } from '../../environments/types.ts';
import { mean } from '../../stats/index.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { StepRow } from '../records/events.ts';
import type { TrainingEnvironment } from './environment.ts';
import type { StepGroup } from './groups.ts';
import { episodeTokens } from './sequences.ts';

/** [group][rollout] The reward that each counts for; null if it is dropped from its group. */
export type CountedRewards = (number | null)[][];

interface BaselinePorts<Task, Verdict> {
  spec: RunSpec;
  policy: Policy;
  isHack?: TrainingEnvironment<Task, unknown, Verdict>['isHack'];
  /** Required unless advantageMod is none. */
  concept?: Concept | null;
  signal?: AbortSignal;
}

/** `step` counts from 0. The policy must hold the step's adapter parameters. */
export async function countedRewards<Task, Verdict>(
  { spec, policy, isHack, concept, signal }: BaselinePorts<Task, Verdict>,
  groups: readonly StepGroup<Task, Verdict>[],
  judged: readonly (readonly Judged<Verdict>[])[],
  step: number,
): Promise<{ rewards: CountedRewards; row: Pick<StepRow, 'flagged'> }> {
  const { rewardPenalty, screening, monitor = 'oracle', monitorAccuracy, seed } = spec;
  let rewards: CountedRewards = judged.map((group) => group.map(({ reward }) => reward));
  const row: Pick<StepRow, 'flagged'> = {};
  // Other monitors act inside the run's method (methods/monitors.ts).
  if ((rewardPenalty > 0 || screening) && monitor === 'oracle') {
    if (!isHack)
      throw new SpecError(
        `${screening ? 'screening' : 'rewardPenalty'} requires a monitor of hacks, and environment = ${spec.environment} has none`,
        'Set rewardPenalty to 0 and screening to false, or choose an environment with hacks.',
      );
    const flags = groups.map(({ prompt }, g) =>
      judged[g].map(({ verdict }, sample) =>
        monitorFlags(isHack(verdict), monitorAccuracy, { seed, step, prompt, sample }),
      ),
    );
    rewards = rewards.map((group, g) =>
      group.map((reward, i) => (!flags[g][i] || reward === null ? reward : screening ? null : reward - rewardPenalty)),
    );
    row.flagged = mean(flags.flatMap((group, g) => group.slice(0, groups[g].live).map(Number)));
  }
  if (spec.advantageMod !== 'none') {
    if (!concept)
      throw new LabError(
        `advantageMod = ${spec.advantageMod} without a concept direction`,
        'This is a fault in the lab; please report it with the run’s spec.',
      );
    rewards = modifiedRewards(rewards, await scoresOf(groups, policy, concept, signal), spec);
  }
  return { rewards, row };
}

/** Rewards after advantage modification; z is taken over the group's rollouts that still count. */
function modifiedRewards(
  rewards: CountedRewards,
  scores: readonly (readonly number[])[],
  { advantageMod, advantageAlpha }: RunSpec,
): CountedRewards {
  if (advantageMod === 'none') return rewards;
  return rewards.map((group, g) => {
    const z = standardise(scores[g].filter((_, i) => group[i] !== null));
    let next = 0;
    return group.map((reward) =>
      reward === null ? null : modifiedReward(reward, z[next++], advantageMod, advantageAlpha),
    );
  });
}

/** [group][rollout] Mean projection of the residual stream on the concept over a rollout's trained tokens; 0 without any. */
async function scoresOf<Task>(
  groups: readonly Group<Task>[],
  policy: Policy,
  { layer, direction }: Concept,
  signal?: AbortSignal,
): Promise<number[][]> {
  const episodes = groups.map(({ rollouts }) => rollouts.map(({ turns }) => episodeTokens(turns)));
  const rows = await policy.activations(
    episodes.flat().filter((episode) => episode !== null),
    layer,
    signal,
  );
  let next = 0;
  return episodes.map((group) => group.map((episode) => (episode ? conceptScore(rows[next++], direction) : 0)));
}
