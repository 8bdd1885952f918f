// Merges two finished updates, and computes the controls. An update is a trained model's adapter parameters minus the untrained ones.

import { CounterRng, STREAMS } from '../../rng/index.ts';
import { norm } from '../vectors.ts';

/** Part of the random key that separates this control from others of the same stream. */
const MERGE = 1;

/** The mean of both where the signs agree, the trusted update elsewhere. */
export function mergedWhereSignsAgree(trusted: Float32Array, untrusted: Float32Array): Float32Array {
  return trusted.map((value, i) => (value * untrusted[i] > 0 ? (value + untrusted[i]) / 2 : value));
}

/**
 * Controls of merging: `random`, the same rule with random signs of the untrusted update; `scaled`, the trusted update scaled to the
 * merged one's norm; `average`, the mean regardless of signs.
 */
export function mergeControls(
  trusted: Float32Array,
  untrusted: Float32Array,
  seed: number,
): Record<'random' | 'scaled' | 'average', Float32Array> {
  const rng = CounterRng.of(seed, STREAMS.trusted, MERGE);
  const flipped = untrusted.map((value) => (rng.int(2) === 0 ? value : -value));
  const own = norm(trusted);
  const factor = own === 0 ? 1 : norm(mergedWhereSignsAgree(trusted, untrusted)) / own;
  return {
    random: mergedWhereSignsAgree(trusted, flipped),
    scaled: trusted.map((value) => factor * value),
    average: trusted.map((value, i) => (value + untrusted[i]) / 2),
  };
}
