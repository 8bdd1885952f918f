// The GRPO objective, token by token: its value, and ∂/∂logπ, which is all that the engine's backward needs.
//   ℓ = −min(ρA, clip(ρ, 1±ε)A) + β (exp(ref−logπ) − (ref−logπ) − 1),  ρ = exp(logπ − logπ_old)
//   loss = Σ ℓ / (G · max_new · prompts_per_step)    (Dr.GRPO: a constant denominator, so length is not rewarded)

export interface LossSettings {
  clipEps: number;
  /** 0 leaves the KL term out, and `reference` may be missing. */
  klBeta: number;
  /** G · max_new · prompts_per_step. */
  denominator: number;
}

export interface ScoredTokens {
  /** [T] under the current policy. */
  logprobs: Float32Array;
  /** [T] under the policy that the step began with, detached. */
  old: Float32Array;
  /** [T] under the untrained model; only with klBeta > 0. */
  reference?: Float32Array;
  advantage: number;
}

export interface SequenceLoss {
  /** This sequence's share of the loss, already divided by the denominator. */
  loss: number;
  /** Σ over tokens of the K3 estimate, before β and the denominator; 0 without a reference. */
  kl: number;
  /** [T] ∂loss/∂logπ of each token. */
  coef: Float32Array;
}

export function denominator(groupSize: number, maxNew: number, promptsPerStep: number): number {
  return groupSize * maxNew * promptsPerStep;
}

export function sequenceLoss(tokens: ScoredTokens, settings: LossSettings): SequenceLoss {
  const { logprobs, old, reference, advantage } = tokens;
  const { clipEps, klBeta, denominator } = settings;
  const coef = new Float32Array(logprobs.length);
  let loss = 0;
  let kl = 0;
  for (let t = 0; t < logprobs.length; t++) {
    const ratio = Math.exp(logprobs[t] - old[t]);
    const clipped = Math.min(Math.max(ratio, 1 - clipEps), 1 + clipEps);
    const whole = ratio * advantage;
    // Where the clipped branch is the smaller one, it is flat: no gradient.
    let slope = whole <= clipped * advantage ? -whole : 0;
    let value = -Math.min(whole, clipped * advantage);
    if (klBeta > 0 && reference) {
      const gap = reference[t] - logprobs[t];
      const k3 = Math.exp(gap) - gap - 1;
      kl += k3;
      value += klBeta * k3;
      slope += klBeta * (1 - Math.exp(gap));
    }
    loss += value / denominator;
    coef[t] = slope / denominator;
  }
  return { loss, kl, coef };
}
