// The placebo of a rule for two gradients: a random direction that has the trusted one's norm in every module, or its weights dealt anew.
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { norm } from '../vectors.ts';
import type { Module } from './rules.ts';

/** Keyed by (seed, step); `step` counts from 0. */
export function randomLike(
  trusted: Float32Array,
  modules: readonly Module[],
  { seed, step }: { seed: number; step: number },
): Float32Array {
  const out = new Float32Array(trusted.length);
  modules.forEach(({ offset, r }, m) => {
    const rng = CounterRng.of(seed, STREAMS.gate, step, m);
    for (let j = offset; j < offset + r; j++) out[j] = rng.normal();
    const scale = norm(trusted, offset, offset + r) / norm(out, offset, offset + r);
    for (let j = offset; j < offset + r; j++) out[j] *= scale;
  });
  return out;
}

/** The same weights on other parameters of the module. */
export function dealtAnew(weights: Float32Array, modules: readonly Module[], seed: number): Float32Array {
  const out = weights.slice();
  modules.forEach(({ offset, r }, m) => {
    const order = CounterRng.of(seed, STREAMS.gate, m).shuffle(Array.from({ length: r }, (_, j) => offset + j));
    for (let j = 0; j < r; j++) out[offset + j] = weights[order[j]];
  });
  return out;
}
