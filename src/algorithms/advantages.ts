// Group-relative advantages. Dr.GRPO (Liu et al. 2025, arXiv:2503.20783): A = R − mean(R); the classic GRPO
// (arXiv:2402.03300) also divides by the group's standard deviation.
import { sd, sum } from '../stats/index.ts';

/** Below this spread of rewards a group teaches nothing, and is skipped. */
export const MIN_REWARD_SPREAD = 1e-6;
/** Added to the standard deviation under `group` scaling, as TRL does. */
const SD_EPS = 1e-4;

export interface GroupAdvantages {
  /** One per rollout, in the order of the rewards. All zero when skipped. */
  advantages: number[];
  /** max R − min R < 1e-6: no loss, no KL, not even scored. */
  skipped: boolean;
}

export function groupAdvantages(rewards: readonly number[], scale: 'none' | 'group'): GroupAdvantages {
  if (Math.max(...rewards) - Math.min(...rewards) < MIN_REWARD_SPREAD)
    return { advantages: rewards.map(() => 0), skipped: true };
  const centre = sum(rewards) / rewards.length;
  const divisor = scale === 'group' ? (sd(rewards) ?? 0) + SD_EPS : 1;
  return { advantages: rewards.map((reward) => (reward - centre) / divisor), skipped: false };
}
