// What a stage of training minimises. An objective is a function from what a forward pass says of a sequence's trained tokens
// to its loss and to the coefficients ∂L/∂logprob (grpo, nll) or ∂L/∂KL (distill), which is all that the engine's backward needs;
// adapters, projection, quarantines, bases and optimizers never ask which one it was.

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

/** `values` [T]: log-probabilities, or divergences, of one sequence's trained tokens. `denominator`: see normalise.ts. */
export type TokenObjective = (values: Float32Array, denominator: number) => TokenLoss;
