// The supervised warm-up of trusted-direction projection: a few AdamW steps of next-token loss on the trusted problems' solutions, from the
// untrained model. The rule uses only the directions in which these steps move the weights; the run itself starts untrained, like every
// other arm.
import { type AdamSettings, adamStep, clipScale, zeroMoments } from '../../algorithms/adamw.ts';
import { nllBackward } from '../../algorithms/objectives/backward.ts';
import { trustedWeights } from '../../algorithms/trusted/rules.ts';
import { norm, subtractInto } from '../../algorithms/vectors.ts';
import type { Document } from '../../engine/objectives/documents.ts';
import type { Policy } from '../../engine/types.ts';

export interface WarmUp extends AdamSettings {
  trustedWarmup: number;
  trustedTop: number;
  lr: number;
  normClip: number;
}

/** Returns a weight for every adapter parameter, and resets the policy to the untrained adapter. */
export async function warmedUpWeights(
  policy: Policy,
  solutions: readonly Document[],
  run: WarmUp,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const initial = policy.initialAdapterParams;
  const params = initial.slice();
  const moments = zeroMoments(params.length);
  for (let step = 0; step < run.trustedWarmup; step++) {
    policy.setAdapterParams(params);
    const { gradients } = await nllBackward(policy, solutions, { normalise: 'token', signal });
    const [g] = gradients;
    subtractInto(params, adamStep(moments, g, clipScale(norm(g), run.normClip), run.lr, run));
  }
  policy.setAdapterParams(initial);
  subtractInto(params, initial);
  return trustedWeights(params, policy.adapterLayout.modules, run.trustedTop);
}
