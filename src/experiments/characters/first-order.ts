// Predicts, before any step, how a small step of an arm changes every character: the inner product of the arm's first gradient with the gradient
// of each group's log-odds of the target, both at the base, relative to A's. Each takes one backward.
import type { Policy } from '../../engine/types.ts';
import type { CharacterWorld } from '../../environments/characters/data.ts';
import { GROUPS, type GroupId, type Roles } from '../../environments/characters/task.ts';
import type { Probe, Target } from '../../environments/characters/texts.ts';
import type { TextCodec } from '../../text/codec.ts';
import { targetProbes } from './probe-set.ts';
import type { Prediction } from './rows.ts';

interface Ports {
  policy: Policy;
  codec: Pick<TextCodec, 'encode'>;
  signal?: AbortSignal;
}

/** ∇ of the probes' mean log-odds at the policy's current adapter parameters. */
export async function logitGradient({ policy, codec, signal }: Ports, probes: readonly Probe[]): Promise<Float32Array> {
  const batch = await policy.score(
    probes.map(({ context, scored }) => ({
      prompt: codec.encode(context),
      completion: codec.encode(scored),
      segment: 0,
    })),
    1,
    signal,
  );
  try {
    const coef = batch.logprobs.map((logprobs, i) => {
      const p = Math.exp(logprobs.reduce((sum, x) => sum + x, 0));
      // The derivative of ln p − ln(1 − p) by each token's log-probability is 1 / (1 − p).
      const slope = 1 / (probes.length * Math.max(1 - p, 1e-6));
      return new Float32Array(logprobs.length).fill(probes[i].isComplement ? -slope : slope);
    });
    return (await batch.backward(coef))[0];
  } finally {
    batch.free();
  }
}

/** `gradient`: of the arm's loss, in any scale. The policy is left at the base. */
export async function predictionOf(
  ports: Ports,
  { world, roles, target }: { world: CharacterWorld; roles: Roles; target: Target },
  gradient: Float32Array,
): Promise<Prediction> {
  ports.policy.setAdapterParams(ports.policy.initialAdapterParams);
  const along = new Map<GroupId, [plain: number, sign: number]>();
  for (const group of GROUPS) {
    const probes = targetProbes(world, roles, target, group);
    if (probes.length === 0) continue;
    const slope = await logitGradient(ports, probes);
    let [plain, sign] = [0, 0];
    for (let i = 0; i < slope.length; i++) {
      plain += gradient[i] * slope[i];
      sign += Math.sign(gradient[i]) * slope[i];
    }
    along.set(group, [plain, sign]);
  }
  const own = along.get('a')!;
  const related = (which: 0 | 1) =>
    Object.fromEntries([...along].map(([group, found]) => [group, found[which] / own[which]]));
  return { gradient: related(0), sign: related(1) };
}
