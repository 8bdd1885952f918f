// What a rule for two gradients is: from the mixture's and that of a few trusted problems to the one that AdamW is fed. All vectors are
// adapter parameters of one model, all modules end to end; sums run in double precision, in ascending order.
import type { AdapterModule } from '../../engine/types.ts';

export type Module = Pick<AdapterModule, 'offset' | 'r'>;

export interface TwoGradients {
  /** g_u: of the mixture, hackable problems and all. */
  untrusted: Float32Array;
  /** g_t: of the trusted problems. */
  trusted: Float32Array;
  /** What the rule reads as the trusted direction: g_t itself, or a random direction of its norms (the placebo). */
  direction: Float32Array;
  modules: readonly Module[];
}

/**
 * `gradient`: once a step, trusted problems are rolled out and their gradient taken. `weights`: once a run, from a warm-up on the
 * trusted problems' own solutions; a step costs nothing more.
 */
export type GradientRule =
  | { reads: 'gradient'; combine(gradients: TwoGradients): Float32Array }
  | { reads: 'weights'; weigh(warmedUp: Float32Array, modules: readonly Module[], top: number): Float32Array };

export function dot(x: Float32Array, y: Float32Array, from = 0, to = x.length): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += x[i] * y[i];
  return sum;
}
