// Steering: the untrained adapter parameters plus α times a direction, without training. The direction is a run's trained change, or the
// hack-ward direction of a basis.
import type { BasisLayout, RawBasis } from './extraction.ts';
import { norm } from './vectors.ts';

/** initial + α · direction, a parameter vector. */
export function steered(initial: Float32Array, direction: Float32Array, alpha: number): Float32Array {
  return initial.map((x, i) => x + alpha * direction[i]);
}

/**
 * The hack-ward unit vector of a basis: minus each module's first axis, weighted by its singular value. The axes point to where the hack's
 * NLL rises, so parameters move towards the hack against them. Zero if no module has an axis.
 */
export function hackwardOf(raw: RawBasis, { modules, total }: BasisLayout & { total: number }): Float32Array {
  const direction = new Float32Array(total);
  for (const { name, offset, r } of modules) {
    const own = raw.get(name);
    if (!own || own.k === 0) continue;
    for (let j = 0; j < r; j++) direction[offset + j] = -own.S[0] * own.V[j];
  }
  const length = norm(direction);
  return length === 0 ? direction : direction.map((x) => x / length);
}
