// Objectives of a training stage. An objective is a function from a forward pass's values for a sequence's trained tokens
// to its loss and to the coefficients ∂L/∂logprob (grpo, nll), ∂L/∂entropy (grpo's bonus) or ∂L/∂KL (distill), which is all that the
// engine's backward needs; adapters, projection, quarantines, bases and optimizers never ask which one it was. GRPO's is in grpo-loss.ts; the other two are here.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';

/** `grpo`: grpo-loss.ts, with advantages; `nll`: next tokens of documents; `distill`: what a teacher says at the same tokens. */
export const OBJECTIVES = ['grpo', 'nll', 'distill'] as const;
export type ObjectiveId = (typeof OBJECTIVES)[number];

/** One sequence's share of the loss. */
export interface TokenLoss {
  /** Already divided by the denominator. */
  loss: number;
  /** [T] ∂loss/∂value of each trained token. */
  coef: Float32Array;
}

/** `values` [T]: log-probabilities, or divergences, of one sequence's trained tokens. `denominator`: see `denominators`. */
type TokenObjective = (values: Float32Array, denominator: number) => TokenLoss;

/** Divisor of a sequence's summed token loss, over the batch that makes one gradient. Only trained tokens count: a masked
 *  token is context and makes a text neither longer nor shorter. `token`: the mean over all trained tokens of the batch, so that a long document weighs more; `document`: the mean over
 *  documents of each one's mean, so that all weigh the same and a short one's tokens weigh more. */
export const NORMALISERS = ['token', 'document'] as const;
export type Normaliser = (typeof NORMALISERS)[number];

/** lengths: trained tokens of each sequence, all of the batch's, over however many passes. Throws SpecError where one is empty. */
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

/** Next-token loss: −Σ log π(token) / D over the trained tokens of a document or a transcript, and ∂/∂logπ = −1/D of each.
 *  logprobs [T] under the current policy. */
export const nllLoss: TokenObjective = (logprobs, denominator) => ({
  loss: -logprobs.reduce((sum, logprob) => sum + logprob, 0) / denominator,
  coef: new Float32Array(logprobs.length).fill(-1 / denominator),
});

/** On-policy distillation: Σ KL(π_student(· | x, y_<t) ‖ π_teacher(· | x', y_<t)) / D over the tokens y that the student wrote, the
 *  whole vocabulary at each (GKD's reverse KL, Agarwal et al. 2024, arXiv:2306.13649). The teacher is held fixed, and so are the
 *  samples: that another policy would write other texts is not differentiated, as in GKD.
 *  kl [T], in nats; coef is ∂L/∂kl, and ∂kl/∂logits is the engine's. */
export const distillLoss: TokenObjective = (kl, denominator) => ({
  loss: kl.reduce((sum, nats) => sum + nats, 0) / denominator,
  coef: new Float32Array(kl.length).fill(1 / denominator),
});
