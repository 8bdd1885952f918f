// Routes a rollout's gradient when an adapter has two blocks (engine/adapters/blocks.ts), after vGROUT and gradient routing:
//   clean: the quarantine is off, the deployed block learns;
//   mid:   both are on and both learn (which allows absorption);
//   hack:  both are on, only the quarantine learns.
// The class comes from a score (thresholds are quantiles within the step) or from labels of a share of the rollouts.
import { keyFor, STREAMS, uniformAt } from '../rng/threefry.ts';

export type GateClass = 'clean' | 'mid' | 'hack';

/** By class: whether the quarantine is on, and the factor of the deployed block's gradient; the quarantine's factor is 1 if it is on. */
export const MASKS: Readonly<Record<GateClass, { quarantine: boolean; deployed: 0 | 1 }>> = {
  clean: { quarantine: false, deployed: 1 },
  mid: { quarantine: true, deployed: 1 },
  hack: { quarantine: true, deployed: 0 },
};

/** Place of a rollout in a run, which is the key of its random draws. `step` counts from 0. */
export interface Place {
  seed: number;
  step: number;
  prompt: number;
  sample: number;
}

/**
 * The lowest `cleanShare` of the scores are clean, the highest `hackShare` hack (numbers rounded down), the rest mid; ties
 * are broken by index. Throws RangeError if the shares add to more than 1.
 */
export function byQuantiles(scores: readonly number[], cleanShare: number, hackShare: number): GateClass[] {
  if (cleanShare + hackShare > 1) throw new RangeError(`shares ${cleanShare} and ${hackShare} pass 1 together`);
  const order = [...scores.keys()].sort((a, b) => scores[a] - scores[b] || a - b);
  const [clean, hack] = [Math.floor(cleanShare * scores.length), Math.floor(hackShare * scores.length)];
  const classes: GateClass[] = scores.map(() => 'mid');
  for (const i of order.slice(0, clean)) classes[i] = 'clean';
  for (const i of order.slice(order.length - hack)) classes[i] = 'hack';
  return classes;
}

/**
 * Labels for a share of the rollouts (gradient routing, Cloud et al. 2024; SGTM, Shilov et al. 2025): a labelled hack trains only
 * the quarantine, a labelled clean rollout only the deployed block, an unlabelled one both. A label is wrong with probability `error`.
 * The strict oracle gives the labels. Draws depend only on the place, so a larger share labels a superset of a smaller one.
 */
export function byLabel(isHack: boolean, share: number, error: number, at: Place): GateClass {
  const key = keyFor(at.seed, STREAMS.gate, at.step, at.prompt, at.sample);
  if (uniformAt(key, 0) >= share) return 'mid';
  return (uniformAt(key, 1) < error ? !isHack : isHack) ? 'hack' : 'clean';
}

/** Score of an uninformed gate, the control for a gate with the same shares. */
export const randomScore = (at: Place): number =>
  uniformAt(keyFor(at.seed, STREAMS.gate, at.step, at.prompt, at.sample), 2);

/** Resets the quarantine block's parameters to 0, as in deployment. */
export const withoutQuarantine = (params: Float32Array, mask: Uint8Array): Float32Array =>
  params.map((x, i) => (mask[i] ? 0 : x));

/** Combines gradients by class: the deployed block learns from clean and mid, the quarantine from mid and hack. */
export function blockGradient(of: Readonly<Record<GateClass, Float32Array | null>>, mask: Uint8Array): Float32Array {
  return Float32Array.from(mask, (inQuarantine, i) => {
    const own = inQuarantine ? of.hack : of.clean;
    return (of.mid?.[i] ?? 0) + (own?.[i] ?? 0);
  });
}
