// A step under a verifier, which is fitted to the trusted rollouts' verdicts and weighs the mixture's rewards. Its features are the untrained
// model's residual stream in the middle layer, so that features of earlier steps stay comparable. Its state is the latest trusted rollouts,
// which the checkpoint stores.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { middleLayer } from '../../algorithms/advantage-modification.ts';
import { permutedAmongEqualRewards } from '../../algorithms/trusted/rules.ts';
import { plus } from '../../algorithms/vectors.ts';
import { type Example, fitVerifier, rightProbability } from '../../algorithms/verifier.ts';
import type { Policy } from '../../engine/types.ts';
import { fromBase64Url, toBase64Url } from '../../lib/base64url.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { mean } from '../../stats/index.ts';
import { type PaidStep, type Prepared, type Preparing, passes, type RolloutWeights } from './method.ts';
import type { TwoGradientsRun } from './two-gradients.ts';

export interface VerifierRun extends TwoGradientsRun {
  verifierUse: string;
  verifierKept: number;
  trustedGate: string;
  rewardPenalty: number;
  advantageMod: string;
  seed: number;
}

export async function prepareVerifier({ run, policy }: Preparing<VerifierRun>): Promise<Prepared> {
  const { hiddenSize, layers } = policy.config;
  const layer = middleLayer(layers);
  return (kept) => {
    let examples = kept ? unpackExamples(kept as Kept, hiddenSize) : [];
    return {
      readsTrusted: () => true,
      combine: ({ untrusted, trusted }) => ({ gradient: plus(untrusted, trusted) }),
      async counts(step) {
        const features = await featuresOf(step, layer, hiddenSize);
        const taught = step.trusted.flatMap((group, g) =>
          group.map((rollout, i): Example => ({ features: features.trusted[g][i], isRight: passes(rollout) })),
        );
        examples = [...examples, ...taught].slice(-run.verifierKept);
        const verifier = fitVerifier(examples, hiddenSize);
        const own = features.rollouts.map((group) => group.map((h) => rightProbability(verifier, h)));
        return rolloutWeights(
          step.rollouts,
          run.trustedGate === 'random' ? placeboProbabilities(step, own, run.seed) : own,
          run,
        );
      },
      keep: () => ({ verifier: packExamples(examples) }),
    };
  };
}

/** [group][rollout] Features of both sets; zeros where the model wrote no token. The policy is left with the untrained adapter. */
async function featuresOf(
  { rollouts, trusted, policy, signal }: PaidStep,
  layer: number,
  hiddenSize: number,
): Promise<Record<'rollouts' | 'trusted', Float32Array[][]>> {
  policy.setAdapterParams(policy.initialAdapterParams);
  const of = async (groups: PaidStep['rollouts'], reads: Policy) => {
    const written = groups.flat().flatMap(({ tokens }) => (tokens ? [tokens] : []));
    const rows = await reads.activations(written, layer, signal);
    let next = 0;
    return groups.map((group) => group.map(({ tokens }) => (tokens ? rows[next++] : new Float32Array(hiddenSize))));
  };
  return { rollouts: await of(rollouts, policy), trusted: await of(trusted, policy) };
}

/** Rewards weighed by the verifier's probabilities, [group][rollout], and the logged metrics. */
function rolloutWeights(
  rollouts: PaidStep['rollouts'],
  p: readonly (readonly number[])[],
  run: VerifierRun,
): RolloutWeights {
  const weights = p.map((group) => group.map((x) => (run.verifierUse === 'gate' ? Number(x >= 0.5) : x)));
  const all = rollouts.flatMap((group, g) =>
    group.map((rollout, i) => ({ ...rollout, p: p[g][i], taken: 1 - weights[g][i] })),
  );
  const passed = all.filter(passes);
  return {
    rewards: rollouts.map((group, g) => group.map(({ reward }, i) => weights[g][i] * reward)),
    row: {
      gated: mean(all.map(({ taken }) => taken)),
      gateRecall: mean(all.flatMap(({ isHack, taken }) => (isHack ? [taken] : []))),
      verifierBrier: mean(passed.map(({ p, isHack }) => (p - Number(!isHack)) ** 2)),
    },
  };
}

/** The placebo: the same probabilities, permuted among rollouts of equal reward. */
function placeboProbabilities(
  { rollouts, step }: Pick<PaidStep, 'rollouts' | 'step'>,
  p: readonly (readonly number[])[],
  seed: number,
): number[][] {
  const rewards = rollouts.flatMap((group) => group.map(({ reward }) => reward));
  const dealt = permutedAmongEqualRewards(p.flat(), rewards, CounterRng.of(seed, STREAMS.gate, step));
  let next = 0;
  return p.map((group) => group.map(() => dealt[next++]));
}

interface Kept {
  runId: string;
  verifier?: string;
}

/** Packs each example's features, followed by whether it is right. */
function packExamples(examples: readonly Example[]): string {
  const rows = Float32Array.from(examples.flatMap(({ features, isRight }) => [...features, Number(isRight)]));
  return toBase64Url(new Uint8Array(rows.buffer));
}

function unpackExamples({ runId, verifier }: Kept, hiddenSize: number): Example[] {
  const bytes = verifier ? fromBase64Url(verifier) : null;
  const size = hiddenSize + 1;
  if (!bytes || bytes.length % (4 * size) !== 0)
    throw new SpecError(`the checkpoint of ${runId} has no verifier of this model`, 'Start it as a new run.');
  const rows = new Float32Array(bytes.buffer);
  return Array.from({ length: rows.length / size }, (_, i) => ({
    features: rows.slice(i * size, (i + 1) * size - 1),
    isRight: rows[(i + 1) * size - 1] === 1,
  }));
}
