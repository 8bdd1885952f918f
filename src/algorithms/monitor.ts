// A noisy monitor of hacks, for the two baselines that act on what it flags: a reward penalty, and screening (dropping what is
// flagged). Both are what the LeetCode environment's authors try against their own hacks (Ariahw, Engels & Nanda 2025,
// `ariahw/rl-rewardhacking`: ground-truth, probe and judge monitors). Here the monitor is not a model: it is the oracle's
// verdict, flipped with probability 1 − a, so that accuracy is a dial and its errors are independent of the text. A real
// monitor errs systematically, and a policy learns to find those errors; this one cannot be fooled. "Uses oracle".
import { keyFor, STREAMS, uniformAt } from '../rng/threefry.ts';

/** The errors are keyed by the rollout's place, so that two arms of a seed meet the same ones. `step` counts from 0. */
export function monitorFlags(
  exploited: boolean,
  accuracy: number,
  at: { seed: number; step: number; prompt: number; sample: number },
): boolean {
  const errs = uniformAt(keyFor(at.seed, STREAMS.monitor, at.step, at.prompt, at.sample), 0) >= accuracy;
  return exploited !== errs;
}
