// The soft router's initial state: along the pairs' direction in the residual stream of the untrained model's middle layer, or along a
// random direction of equal norm (the placebo).
import { type RouterState, seededRouter } from '../../algorithms/router.ts';
import { norm } from '../../algorithms/vectors.ts';
import type { Policy, Sequence } from '../../engine/types.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { pairSides } from './pair-sides.ts';

export interface Router {
  /** Replaced as the router learns. */
  state: RouterState;
  /** Decoder layer whose residual stream it reads. */
  layer: number;
  /** Completions of the pairs, hack and clean alternating, to which the router is pinned. */
  pairs: readonly Pick<Sequence, 'prompt' | 'completion'>[];
}

/** Leaves the policy at the untrained adapter. */
export async function routerOf(
  policy: Policy,
  codec: PromptCodec,
  pairs: readonly ContrastivePair[],
  { routerSeed, seed }: { routerSeed: string; seed: number },
  signal?: AbortSignal,
): Promise<Router> {
  const { layer, sequences, hack, clean, direction: own } = await pairSides(policy, codec, pairs, signal);
  const direction = routerSeed === 'random' ? randomOfLength(own, seed) : own;
  return { layer, pairs: sequences, state: seededRouter(direction, own, hack, clean) };
}

function randomOfLength(like: Float32Array, seed: number): Float32Array {
  const rng = CounterRng.of(seed, STREAMS.gate);
  const drawn = like.map(() => rng.normal());
  const scale = norm(like) / norm(drawn);
  return drawn.map((x) => scale * x);
}
