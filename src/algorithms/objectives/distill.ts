// On-policy distillation: Σ KL(π_student(· | x, y_<t) ‖ π_teacher(· | x', y_<t)) / D over the tokens y that the student wrote, the
// whole vocabulary at each (GKD's reverse KL, Agarwal et al. 2024, arXiv:2306.13649). The teacher is held fixed, and so are the
// samples: that another policy would write other texts is not differentiated, as in GKD.
import type { TokenObjective } from './types.ts';

/** kl [T], in nats; coef is ∂L/∂kl, and ∂kl/∂logits is the engine's. */
export const distillLoss: TokenObjective = (kl, denominator) => ({
  loss: kl.reduce((sum, nats) => sum + nats, 0) / denominator,
  coef: new Float32Array(kl.length).fill(1 / denominator),
});
