// The GRPO objective, token by token: its value, and ∂/∂logπ, which the engine's backward pass needs.
//   ℓ_t = −min(ρA, clip(ρ, 1−ε_low, 1+ε_high)A) + β (exp(ref−logπ) − (ref−logπ) − 1)
//   ρ = exp(logπ_t − logπ_old,t)              per token (GRPO, arXiv:2402.03300)
//   ρ = exp(mean_t(logπ_t − logπ_old,t))      per completion (GSPO, arXiv:2507.18071)
//   minus c H_t, with the policy's entropy H_t at token t (PPO's bonus, arXiv:1707.06347, equation 9)
//   loss = Σ ℓ_t / D, where D depends on the loss type, with TRL's names and normalisers over the completions of one step.
// A completion is an episode: t runs over its trained tokens (those of its mask), across all turns and without observations. Lengths,
// means and sums over t follow the mask, as TRL's follow its completion_mask; an episode of many turns counts as one completion.

import { ShapeError } from '@projected-grpo-lab/base/errors.ts';

export type LossType = 'dr_grpo' | 'grpo' | 'bnpo' | 'dapo';

export interface LossSettings {
  /** ε_low. */
  clipEps: number;
  /** ε_high; default (also if 0): ε_low. */
  clipEpsHigh?: number;
  /** β; 0 omits the KL term, and `reference` may be missing. */
  klBeta: number;
  /** c; 0 (the default) omits the entropy bonus, and `entropy` may be missing. */
  entropyCoef?: number;
  /** Level of the ratio; default: token. */
  importanceSampling?: 'token' | 'sequence';
  /** Divisor of this completion's summed token loss: see lossDenominator. */
  denominator: number;
}

export interface ScoredTokens {
  /** [T] Log-probabilities under the current policy, of the T trained tokens (as from `Policy.score`). */
  logprobs: Float32Array;
  /** [T] Log-probabilities under the policy from which the rollouts count as sampled; constant. */
  old: Float32Array;
  /** [T] Log-probabilities under the untrained model; only with klBeta > 0. */
  reference?: Float32Array;
  /** [T] Entropy of the current policy at each token, nats; only with entropyCoef > 0. */
  entropy?: Float32Array;
  advantage: number;
}

export interface SequenceLoss {
  /** This completion's part of the loss, divided by the denominator. */
  loss: number;
  /** Sum over tokens of the K3 estimate, without β and denominator; 0 without a reference. */
  kl: number;
  /** [T] ∂loss/∂logπ of each token. */
  coef: Float32Array;
  /** [T] ∂loss/∂entropy of each token. */
  entropyCoef: Float32Array;
  /** Number of clipped tokens (all or none of a completion with `sequence`). */
  clipped: number;
  /** Σ over tokens of ρ. */
  ratios: number;
  /** Number of tokens with ρ below, between and above RATIO_EDGES. */
  histogram: number[];
}

/** Bin edges of the histogram of ρ, roughly symmetric in log ρ; 0.8 and 1.2 are the usual clip bounds. */
export const RATIO_EDGES: readonly number[] = [0.5, 0.8, 0.9, 0.98, 1.02, 1.1, 1.2, 2];

/** Index of the bin of ρ: the number of edges at or below it. */
function ratioBin(ratio: number): number {
  let bin = 0;
  while (bin < RATIO_EDGES.length && ratio >= RATIO_EDGES[bin]) bin++;
  return bin;
}

/** Dr.GRPO's constant G · max_new · prompts_per_step (arXiv:2503.20783), so that length is neither rewarded nor penalised. `maxNew` is
 *  the most tokens that an episode can train: the budget of a single turn, or `mostTrainedTokens` (episodes/episode.ts). */
export function denominator(groupSize: number, maxNew: number, promptsPerStep: number): number {
  return groupSize * maxNew * promptsPerStep;
}

/** Size of a step for normalisation: all completions in group statistics, including skipped groups. */
export interface StepSize {
  /** Number of episodes (not turns). */
  completions: number;
  /** Number of their trained tokens. */
  tokens: number;
}

/**
 * Divisor of the summed token loss of a completion with `length` trained tokens (the sum of its mask), as in TRL:
 * - `dr_grpo`: the constant;
 * - `grpo`: its length times the number of completions of the step (a mean of means, so tokens of short completions weigh more);
 * - `bnpo`: the number of tokens of the step (of this process's batch);
 * - `dapo` (arXiv:2503.14476): the tokens of all processes divided by the number of processes, which equals `bnpo` here, with a
 *   single process.
 * TRL keeps completions of groups with equal rewards in its batch with advantage 0, so they count in the step's size; here they are not
 * scored.
 */
export function lossDenominator(type: LossType, length: number, step: StepSize, constant: number): number {
  switch (type) {
    case 'dr_grpo':
      return constant;
    case 'grpo':
      return step.completions * length;
    case 'bnpo':
    case 'dapo':
      return step.tokens;
  }
}

/** Throws ShapeError if the arrays do not have the same length (for example trained tokens in one and all tokens in another), or if
 *  entropies are missing for the bonus. */
export function sequenceLoss(tokens: ScoredTokens, settings: LossSettings): SequenceLoss {
  const { logprobs, old, reference, entropy, advantage } = tokens;
  const { clipEps, klBeta, entropyCoef = 0, denominator } = settings;
  const others = [
    ['of the old policy', old],
    ['of the reference policy', reference],
    ['of the entropy', entropyCoef > 0 ? (entropy ?? new Float32Array()) : undefined],
  ] as const;
  for (const [name, row] of others) {
    if (!row || row.length === logprobs.length) continue;
    throw new ShapeError(
      `${logprobs.length} log-probabilities of trained tokens, and ${row.length} ${name}`,
      'Give those of the same tokens: an episode’s trained ones, without what it was shown.',
    );
  }
  const lowest = 1 - clipEps;
  const highest = 1 + (settings.clipEpsHigh || clipEps);
  const shared = settings.importanceSampling === 'sequence' ? sequenceRatio(logprobs, old) : null;
  const coef = new Float32Array(logprobs.length);
  const sums = { loss: 0, kl: 0, clipped: 0, ratios: 0 };
  const histogram = new Array<number>(RATIO_EDGES.length + 1).fill(0);
  for (let t = 0; t < logprobs.length; t++) {
    const ratio = shared ?? Math.exp(logprobs[t] - old[t]);
    const clipped = Math.min(Math.max(ratio, lowest), highest);
    const whole = ratio * advantage;
    const flat = !(whole <= clipped * advantage);
    // If the clipped branch is the smaller one, the gradient is 0. A sequence-level ratio s = exp(Σ(logπ − old)/T) has derivative s/T
    // with respect to each token and occurs in T terms, so ∂/∂logπ_t is −sA, the same slope.
    let slope = flat ? 0 : -whole;
    let value = -Math.min(whole, clipped * advantage);
    if (klBeta > 0 && reference) {
      const gap = reference[t] - logprobs[t];
      const k3 = Math.exp(gap) - gap - 1;
      sums.kl += k3;
      value += klBeta * k3;
      slope += klBeta * (1 - Math.exp(gap));
    }
    if (entropyCoef > 0) value -= entropyCoef * entropy![t];
    sums.loss += value / denominator;
    sums.clipped += flat ? 1 : 0;
    sums.ratios += ratio;
    histogram[ratioBin(ratio)]++;
    coef[t] = slope / denominator;
  }
  return { ...sums, histogram, coef, entropyCoef: new Float32Array(coef.length).fill(-entropyCoef / denominator) };
}

/** GSPO's length-normalised ratio of a whole completion. */
function sequenceRatio(logprobs: Float32Array, old: Float32Array): number {
  let gap = 0;
  for (let t = 0; t < logprobs.length; t++) gap += logprobs[t] - old[t];
  return Math.exp(gap / logprobs.length);
}
