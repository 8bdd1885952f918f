// Objectives of a training stage. An objective maps a forward pass's values at a sequence's trained tokens to its loss and the coefficients
// ∂L/∂logprob (grpo, nll), ∂L/∂entropy (grpo's bonus) or ∂L/∂KL (distill), which the engine's backward pass needs. Adapters, projection,
// quarantines, bases and optimizers do not depend on the objective. GRPO's is in grpo-loss.ts; the other two are here.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';

/** `grpo`: policy gradient with advantages (grpo-loss.ts); `nll`: next tokens of documents; `distill`: a teacher's distribution at each token. */
export const OBJECTIVES = ['grpo', 'nll', 'distill'] as const;
export type ObjectiveId = (typeof OBJECTIVES)[number];

/** One sequence's part of the loss. */
export interface TokenLoss {
  /** Divided by the denominator. */
  loss: number;
  /** [T] ∂loss/∂value of each trained token. */
  coef: Float32Array;
}

/** `values` [T]: log-probabilities or KL divergences at one sequence's trained tokens. `denominator`: see `denominators`. */
type TokenObjective = (values: Float32Array, denominator: number) => TokenLoss;

/** Normalisation of the loss over the batch of one gradient, counting only trained tokens. `token`: the mean over all trained tokens of the
 *  batch, so that long documents weigh more. `document`: the mean of each document's mean, so that all documents weigh the same. */
export const NORMALISERS = ['token', 'document'] as const;
export type Normaliser = (typeof NORMALISERS)[number];

/** Divisor of each sequence's summed token loss. `lengths`: trained tokens of each sequence of the whole batch. Throws SpecError if one is 0. */
export function denominators(lengths: readonly number[], normaliser: Normaliser): number[] {
  const empty = lengths.findIndex((length) => !(length > 0));
  if (lengths.length === 0 || empty >= 0) {
    throw new SpecError(
      lengths.length === 0 ? 'a batch without documents' : `document ${empty} has no trained token`,
      'Give documents of two tokens at least, of which the mask leaves one.',
    );
  }
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  return lengths.map((length) => (normaliser === 'token' ? tokens : lengths.length * length));
}

/** Next-token loss −Σ log π(token) / D over the trained tokens of a document, with ∂/∂logπ = −1/D for each.
 *  `logprobs` [T] are under the current policy. */
export const nllLoss: TokenObjective = (logprobs, denominator) => ({
  loss: -logprobs.reduce((sum, logprob) => sum + logprob, 0) / denominator,
  coef: new Float32Array(logprobs.length).fill(-1 / denominator),
});

/** On-policy distillation: Σ KL(π_student(· | x, y_<t) ‖ π_teacher(· | x', y_<t)) / D over the tokens y that the student sampled, each over
 *  the whole vocabulary (GKD's reverse KL, Agarwal et al. 2024, arXiv:2306.13649). The teacher is fixed, and as in GKD no gradient
 *  flows through the sampling of y.
 *  `kl` is [T], in nats; `coef` is ∂L/∂kl, and the engine computes ∂kl/∂logits. */
export const distillLoss: TokenObjective = (kl, denominator) => ({
  loss: kl.reduce((sum, nats) => sum + nats, 0) / denominator,
  coef: new Float32Array(kl.length).fill(1 / denominator),
});
