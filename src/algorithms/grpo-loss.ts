// The GRPO objective, token by token: its value, and ∂/∂logπ, which is all that the engine's backward needs.
//   ℓ_t = −min(ρA, clip(ρ, 1−ε_low, 1+ε_high)A) + β (exp(ref−logπ) − (ref−logπ) − 1)
//   ρ = exp(logπ_t − logπ_old,t)              per token (GRPO, arXiv:2402.03300)
//   ρ = exp(mean_t(logπ_t − logπ_old,t))      per completion (GSPO, arXiv:2507.18071)
//   less c H_t, the entropy of the policy at token t (PPO's bonus, arXiv:1707.06347, equation 9)
//   loss = Σ ℓ_t / D, where D is the loss type's: TRL's names, and its normalisers over the completions of one step.
// A completion is an episode: t runs over its trained tokens, those of its mask, whatever was shown between them and in however many
// turns they were written. So lengths, means and sums over t are the mask's, as TRL's are its completion_mask's, and an episode of
// many turns has one vote where a completion has one.

import { ShapeError } from '@projected-grpo-lab/base/errors.ts';

export type LossType = 'dr_grpo' | 'grpo' | 'bnpo' | 'dapo';

export interface LossSettings {
  /** ε_low. */
  clipEps: number;
  /** ε_high; as ε_low if 0 or absent. */
  clipEpsHigh?: number;
  /** 0 leaves the KL term out, and `reference` may be missing. */
  klBeta: number;
  /** c; 0 or absent leaves the entropy bonus out, and `entropy` may be missing. */
  entropyCoef?: number;
  /** Default: a ratio per token. */
  importanceSampling?: 'token' | 'sequence';
  /** Divisor of this completion's summed token loss: see lossDenominator. */
  denominator: number;
}

export interface ScoredTokens {
  /** [T] under the current policy, T the trained tokens (what `Policy.score` gives of a masked sequence). */
  logprobs: Float32Array;
  /** [T] under the policy that the rollouts count as drawn from, detached. */
  old: Float32Array;
  /** [T] under the untrained model; only with klBeta > 0. */
  reference?: Float32Array;
  /** [T] Entropy of the current policy at each token, nats; only with entropyCoef > 0. */
  entropy?: Float32Array;
  advantage: number;
}

export interface SequenceLoss {
  /** This completion's share of the loss, already divided by the denominator. */
  loss: number;
  /** Σ over tokens of the K3 estimate, before β and the denominator; 0 without a reference. */
  kl: number;
  /** [T] ∂loss/∂logπ of each token. */
  coef: Float32Array;
  /** [T] ∂loss/∂entropy of each token. */
  entropyCoef: Float32Array;
  /** Tokens on the flat side of the clip (all or none of a completion under `sequence`). */
  clipped: number;
  /** Σ over tokens of ρ. */
  ratios: number;
  /** Tokens by ρ: below, between and above RATIO_EDGES. */
  histogram: number[];
}

/** Edges of the ratio's histogram, about symmetric in log ρ; 0.8 and 1.2 are the usual clip's bounds. */
export const RATIO_EDGES: readonly number[] = [0.5, 0.8, 0.9, 0.98, 1.02, 1.1, 1.2, 2];

/** Number of the bin that holds ρ: the count of edges at or below it. */
function ratioBin(ratio: number): number {
  let bin = 0;
  while (bin < RATIO_EDGES.length && ratio >= RATIO_EDGES[bin]) bin++;
  return bin;
}

/** Dr.GRPO's constant, G · max_new · prompts_per_step (arXiv:2503.20783): length is neither rewarded nor punished. `maxNew` is the
 *  most tokens that an episode may train: of one turn its budget, of more engine/episode.ts' `mostTrainedTokens`. */
export function denominator(groupSize: number, maxNew: number, promptsPerStep: number): number {
  return groupSize * maxNew * promptsPerStep;
}

/** The completions that a step's loss is a mean over: all that entered a group's statistics, flat groups' included. */
export interface StepSize {
  /** Episodes, not turns. */
  completions: number;
  /** Their trained tokens. */
  tokens: number;
}

/**
 * Divisor of the summed token loss of a completion with `length` trained tokens (the sum of its mask), as in TRL:
 * - `dr_grpo`: the constant;
 * - `grpo`: its own length, times the completions of the step (a mean of means: short completions' tokens weigh more);
 * - `bnpo`: the tokens of the step (of this process's batch);
 * - `dapo` (arXiv:2503.14476): the tokens of all processes over the number of processes. In one process, which is all there
 *   is here, that is `bnpo`.
 * TRL keeps a flat group's completions in its batch with advantage 0, so they count in the step's size; they are not scored here.
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

/** Throws ShapeError where the rows are not of the same tokens (an episode's trained ones here, all of them there), or a bonus has no
 *  entropies. */
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
    // The clipped branch, where it is the smaller one, is flat: no gradient. A shared ratio s = exp(Σ(logπ − old)/T) moves by s/T with each
    // token and is in T of the summed terms, so that ∂/∂logπ_t is −sA: the same slope.
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
