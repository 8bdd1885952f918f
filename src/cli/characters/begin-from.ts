// A run that begins where another ended: the adapter parameters that it left are made part of the weights, with an optimizer that knows nothing of
// them (a later stage of one run would go on with its moments, and so with its lesson).
import { foldedWeights } from '../../engine/adapters/folded.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import type { Weights } from '../../engine/types.ts';
import type { doseCurve } from '../../experiments/kinds/run/dose-curve.ts';

export type Ports = Parameters<typeof doseCurve>[2] & { policy: Engine };

/** Folded adapter parameters are weights; of the other adapters that would be other singular vectors, and another question. */
const FULL = { adapter: 'full', loraRank: 0 } as const;

/** What `next` makes of a model that is freed behind it; it has its weights too. */
export async function beginFrom<T>(
  ports: Ports,
  weights: Weights,
  adapterParams: Float32Array,
  next: (ports: Ports, weights: Weights) => Promise<T>,
): Promise<T> {
  const { device, signal } = ports;
  const { config } = ports.policy;
  const folded = await foldedWeights({ device, config, weights, adapter: FULL, factors: new Map(), adapterParams });
  const policy = await Engine.create({ device, signal, config, weights: folded, adapter: FULL });
  try {
    return await next({ ...ports, policy }, folded);
  } finally {
    policy.free();
  }
}
