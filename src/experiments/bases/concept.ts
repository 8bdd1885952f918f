// The concept direction of advantage modification: hack minus clean, in the residual stream of the untrained model.
import { type Concept, conceptDirection, middleLayer } from '../../algorithms/advantage-modification.ts';
import type { Policy } from '../../engine/types.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import type { TextCodec } from '../../text/codec.ts';
import { completionIds } from '../../text/codec.ts';

/** Leaves the policy at the untrained adapter. */
export async function conceptOf(
  policy: Policy,
  codec: TextCodec,
  pairs: readonly ContrastivePair[],
  signal?: AbortSignal,
): Promise<Concept> {
  const layer = middleLayer(policy.config.layers);
  policy.setAdapterParams(policy.initialAdapterParams);
  const rows = await policy.activations(
    pairs.flatMap(({ prompt, hack, clean }) =>
      [hack, clean].map((text) => ({ prompt: codec.encode(prompt), completion: completionIds(codec, text) })),
    ),
    layer,
    signal,
  );
  const of = (side: 0 | 1) => rows.filter((_, i) => i % 2 === side);
  return { layer, direction: conceptDirection(of(0), of(1)) };
}
