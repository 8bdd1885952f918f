// The supervised warm-up of trusted-direction projection: a few AdamW steps of next-token loss on the trusted problems' own solutions,
// from the untrained model, as far as the rule needs them: for the directions in which they move the weights. The run itself begins
// untrained, as every other arm does.
import { adamStep, clipScale, zeroMoments } from '../../algorithms/adamw.ts';
import { nllBackward } from '../../algorithms/objectives/backward.ts';
import type { GradientRule } from '../../algorithms/trusted/rules.ts';
import { norm, subtractInto } from '../../algorithms/vectors.ts';
import type { Policy } from '../../engine/types.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { RunSpec } from '../config/spec.ts';
import { tokensOf } from '../objectives/document-batch.ts';
import type { EnvironmentDocument } from '../step/environment.ts';

/** A weight for every adapter parameter. Leaves the policy at the untrained adapter. */
export async function warmedUpWeights(
  rule: Extract<GradientRule, { reads: 'weights' }>,
  { policy, codec, signal }: { policy: Policy; codec: PromptCodec; signal?: AbortSignal },
  documents: readonly EnvironmentDocument[],
  spec: Pick<RunSpec, 'trustedWarmup' | 'trustedTop' | 'lr' | 'beta1' | 'beta2' | 'adamEps' | 'normClip'>,
): Promise<Float32Array> {
  const texts = documents.flatMap((document) => tokensOf(document, codec, policy.config.maxPositions));
  const initial = policy.initialAdapterParams;
  const params = initial.slice();
  const moments = zeroMoments(params.length);
  for (let step = 0; step < spec.trustedWarmup; step++) {
    policy.setAdapterParams(params);
    const { gradients } = await nllBackward(policy, texts, { normalise: 'token', signal });
    const [g] = gradients;
    subtractInto(params, adamStep(moments, g, clipScale(norm(g), spec.normClip), spec.lr, spec));
  }
  policy.setAdapterParams(initial);
  subtractInto(params, initial);
  return rule.weigh(params, policy.adapterLayout.modules, spec.trustedTop);
}
