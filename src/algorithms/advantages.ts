// Group-relative advantages. Dr.GRPO (Liu et al. 2025, arXiv:2503.20783): A = R − mean(R) over the group; the classic GRPO
// (arXiv:2402.03300) also divides by the group's standard deviation, and TRL's `batch` by that of the whole step's rewards.
import { sd, sum } from '../stats/index.ts';

/** Groups whose rewards spread less than this are skipped. */
const MIN_REWARD_SPREAD = 1e-6;
/** Added to the standard deviation, as TRL does. */
const SD_EPS = 1e-4;

export type ScaleRewards = 'none' | 'group' | 'batch';

export interface GroupAdvantages {
  /** One per rollout, in the order of the rewards; all zero if skipped. */
  advantages: number[];
  /** True if a group has fewer than two rewards or max R − min R < 1e-6; it then has no loss and no KL, and is not scored. */
  skipped: boolean;
}

/** `stepSd` is the sample sd of all rewards of the step, used only for `batch`. */
export function groupAdvantages(rewards: readonly number[], scale: ScaleRewards, stepSd = 0): GroupAdvantages {
  if (rewards.length < 2 || Math.max(...rewards) - Math.min(...rewards) < MIN_REWARD_SPREAD)
    return { advantages: rewards.map(() => 0), skipped: true };
  const centre = sum(rewards) / rewards.length;
  const divisor = scale === 'none' ? 1 : (scale === 'group' ? (sd(rewards) ?? 0) : stepSd) + SD_EPS;
  return { advantages: rewards.map((reward) => (reward - centre) / divisor), skipped: false };
}

/** Advantages of all groups of one step, each centred on its own mean. `batch` divides all by one sd, over all rewards including those
 *  of skipped groups. */
export function stepAdvantages(groups: readonly (readonly number[])[], scale: ScaleRewards): GroupAdvantages[] {
  const stepSd = scale === 'batch' ? (sd(groups.flat()) ?? 0) : 0;
  return groups.map((rewards) => groupAdvantages(rewards, scale, stepSd));
}
