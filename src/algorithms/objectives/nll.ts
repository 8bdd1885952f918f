// Next-token loss: −Σ log π(token) / D over the trained tokens of a document or a transcript, and ∂/∂logπ = −1/D of each.
import type { TokenObjective } from './types.ts';

/** logprobs [T] under the current policy. */
export const nllLoss: TokenObjective = (logprobs, denominator) => ({
  loss: -logprobs.reduce((sum, logprob) => sum + logprob, 0) / denominator,
  coef: new Float32Array(logprobs.length).fill(-1 / denominator),
});
