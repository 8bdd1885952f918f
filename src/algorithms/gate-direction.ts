// The gradient gate's direction: for every module, the normalised mean of (hack − clean) gradients over labelled pairs; and the component
// of a rollout's gradient along it (as in the cosine probe: METHOD "Overlaps").
import type { AdapterLayout } from '../engine/types.ts';
import type { PairGradients } from './extraction.ts';
import { norm } from './vectors.ts';

type Module = Pick<AdapterLayout['modules'][number], 'offset' | 'r'>;

export function gateDirectionOf({ hack, clean }: PairGradients, modules: readonly Module[]): Float32Array {
  const direction = new Float32Array(hack[0].length);
  for (let i = 0; i < direction.length; i++) {
    let sum = 0;
    for (const [p, gradient] of hack.entries()) sum += gradient[i] - clean[p][i];
    direction[i] = sum / hack.length;
  }
  for (const { offset, r } of modules) {
    const length = norm(direction, offset, offset + r);
    if (length > 0) for (let j = offset; j < offset + r; j++) direction[j] /= length;
  }
  return direction;
}

/** Σ_m ⟨g_m, v_m⟩ / sqrt(Σ_m ‖g_m‖²); 0 for a zero gradient. */
export function cosineContribution(g: Float32Array, direction: Float32Array, modules: readonly Module[]): number {
  let along = 0;
  let squares = 0;
  for (const { offset, r } of modules)
    for (let j = offset; j < offset + r; j++) {
      along += g[j] * direction[j];
      squares += g[j] * g[j];
    }
  return squares === 0 ? 0 : along / Math.sqrt(squares);
}
