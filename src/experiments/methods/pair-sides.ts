// The pairs in the residual stream of the untrained model: both sides, and the direction hack minus clean, which advantage modification
// uses and with which the soft router starts.
import { conceptDirection, middleLayer } from '../../algorithms/advantage-modification.ts';
import type { Policy } from '../../engine/types.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { completionIds, givenIds, type PromptCodec } from '../../text/codec.ts';

/** Completions, hack and clean alternating, and each side's activations in the middle layer. Leaves the policy at the untrained adapter. */
export async function pairSides(
  policy: Policy,
  codec: PromptCodec,
  pairs: readonly ContrastivePair[],
  signal?: AbortSignal,
) {
  const layer = middleLayer(policy.config.layers);
  const sequences = pairs.flatMap(({ prompt, hack, clean }) =>
    [hack, clean].map((text) => ({ prompt: givenIds(codec, prompt), completion: completionIds(codec, text) })),
  );
  policy.setAdapterParams(policy.initialAdapterParams);
  const rows = await policy.activations(sequences, layer, signal);
  const [hack, clean] = [0, 1].map((side) => rows.filter((_, i) => i % 2 === side));
  return { layer, sequences, hack, clean, direction: conceptDirection(hack, clean) };
}
