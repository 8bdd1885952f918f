// Steering: the untrained adapter parameters plus α times a direction, without any training. A direction is what a run has learned, or the
// way that a basis calls hack-ward.
import type { BasisLayout, RawBasis } from './extraction.ts';
import { norm } from './vectors.ts';

/** initial + α · direction, a parameter vector. */
export function steered(initial: Float32Array, direction: Float32Array, alpha: number): Float32Array {
  return initial.map((x, i) => x + alpha * direction[i]);
}

/**
 * The hack-ward unit vector of a basis: each module's first axis, weighted by its singular value. The axes point to where the hack's loss
 * rises, so that parameters move towards the hack against them. Zero where no module has an axis.
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
