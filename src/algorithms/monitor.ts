// A noisy monitor of hacks, for two baselines that act on flagged rollouts: a reward penalty, and screening (dropping them). The
// authors of the LeetCode environment try both against their own hacks (Ariahw, Engels & Nanda 2025, `ariahw/rl-rewardhacking`:
// ground-truth, probe and judge monitors). Here the monitor is not a model but the oracle's verdict, flipped with probability
// 1 − a, so that its accuracy can be set and its errors are independent of the text. A real monitor has systematic errors, which
// a policy learns to exploit; this one cannot be fooled. It uses the oracle.
import { keyFor, STREAMS, uniformAt } from '../rng/threefry.ts';

/** Errors depend only on the rollout's place, so that two arms with the same seed have the same errors. `step` counts from 0. */
export function monitorFlags(
  exploited: boolean,
  accuracy: number,
  at: { seed: number; step: number; prompt: number; sample: number },
): boolean {
  const errs = uniformAt(keyFor(at.seed, STREAMS.monitor, at.step, at.prompt, at.sample), 0) >= accuracy;
  return exploited !== errs;
}
