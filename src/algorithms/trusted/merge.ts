// Two finished updates as one, and what that is to be compared with. An update is a trained model's adapter parameters less the untrained
// ones, [parameters].

import { CounterRng, STREAMS } from '../../rng/index.ts';
import { norm } from '../vectors.ts';

/** Separates its random numbers from those of the stream's other placebos. */
const MERGE = 1;

/** Their mean where the signs agree, the trusted one elsewhere. */
export function mergedWhereSignsAgree(trusted: Float32Array, untrusted: Float32Array): Float32Array {
  return trusted.map((value, i) => (value * untrusted[i] > 0 ? (value + untrusted[i]) / 2 : value));
}

/**
 * Controls of merging: `random`, the same rule with the untrusted update's sizes under random signs; `scaled`, the trusted update alone
 * at the merged one's norm; `average`, the mean whatever the signs.
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
