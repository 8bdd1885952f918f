// Begins a run where another ended: the adapter parameters at its end are folded into the weights, with a fresh optimizer (a later stage of
// one run would keep its moments, and so its lesson).
import { foldedWeights } from '../../engine/adapters/folded.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import type { Weights } from '../../engine/types.ts';
import type { doseCurve } from '../../experiments/kinds/run/dose-curve.ts';

export type Ports = Parameters<typeof doseCurve>[2] & { policy: Engine };

/** Only these adapter parameters fold into weights; the other adapters would then have other singular vectors, and answer another
 *  question. */
const FULL = { adapter: 'full', loraRank: 0 } as const;

/** The result of `next` on a model that is freed afterwards; `next` gets its weights too. */
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
