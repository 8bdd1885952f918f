// A verifier that trusted rollouts teach: their graders are right, so their verdicts are labels. What it finds unlikely to be right counts for
// less in the mixture, whatever a flawed grader pays for it; the trusted rollouts' own gradient is added. Of each rollout it reads the residual
// stream of the untrained model's middle layer, so that what earlier steps showed stays comparable. The latest trusted rollouts are all its
// state, and in the checkpoint.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { middleLayer } from '../../algorithms/advantage-modification.ts';
import { plus } from '../../algorithms/vectors.ts';
import { type Example, fitVerifier, rightProbability } from '../../algorithms/verifier.ts';
import type { Policy } from '../../engine/types.ts';
import { fromBase64Url, toBase64Url } from '../../lib/base64url.ts';
import { choice, type DisabledBecause, integer, type OptionGroup } from '../../lib/option.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { mean } from '../../stats/index.ts';
import { OURS } from './arms.ts';
import type { Counting, Method, PaidStep } from './method.ts';
import { passes } from './paid.ts';
import { type TwoGradientsRun, trustedArm, trustedPlacebo, withTrustedPrompts } from './two-gradients.ts';

interface Run extends TwoGradientsRun {
  verifierUse: string;
  verifierKept: number;
  trustedGate: string;
  seed: number;
}

/** Characters of kept examples that a read door lets in: 4,096 of 6,000 features. */
const MAX_EXAMPLES = 140_000_000;

/** Trusted prompts, and a forward of each rollout without a backward. */
const FACTS = { cost: 1.7 } as const;

const only: DisabledBecause = (of) => (of('trusted') === 'verifier' ? null : 'only with trusted verifier');

export const VERIFIER = {
  family: 'reward',
  rule: 'verifier',
  arms: {
    verifier: trustedArm(
      'verifier',
      'verifier',
      'Rewards are weighed by a verifier that trusted rollouts teach.',
      'route',
      OURS,
      FACTS,
    ),
    verifier_gate: {
      ...trustedArm(
        'verifier',
        'verifier as a gate',
        'What the verifier finds rather wrong counts for nothing.',
        'erase',
        OURS,
        FACTS,
      ),
      settings: { mix: 0, trusted: 'verifier', verifierUse: 'gate' },
    },
    verifier_random: trustedPlacebo(
      'verifier',
      'verifier, random',
      'Control: its probabilities are dealt anew among rollouts of equal reward.',
      'control',
      OURS,
      'verifier',
      FACTS,
    ),
  },
  options: {
    heading: 'Baselines',
    role: 'intervention',
    needs: 'loopholes',
    options: {
      verifierUse: choice(['reward', 'gate'], {
        default: 'reward',
        label: 'Verifier as',
        help: 'Its probability weighs the reward, or lets it count or not.',
        helpMore: 'gate: a reward counts where the probability is ½ or more.',
        level: 'advanced',
        glossary: 'verifier',
        disabledBecause: only,
      }),
      verifierKept: integer(32, 4096, {
        default: 512,
        label: 'Verifier learns from',
        help: 'How many of the latest trusted rollouts teach it.',
        level: 'advanced',
        glossary: 'verifier',
        disabledBecause: only,
      }),
    },
    concepts: {
      verifier: {
        title: 'Verifier of trusted rollouts',
        meaning:
          'Learns from rollouts on trusted problems which answers are right, and weighs the rewards of all others by it.',
        formula:
          'p = σ(w·h + b), h the residual stream of the untrained model’s middle layer, pooled over the completion; R′ = p R, or R where p ≥ ½ and 0 elsewhere',
        range: 'reward, gate; the latest 32 … 4,096 trusted rollouts',
        nullValue: 'The placebo deals the same probabilities anew among rollouts of equal reward.',
        notShown:
          'That it knows a hack: on trusted problems none is paid, so that few are written there. See its error on what passes.',
      },
    },
  } satisfies OptionGroup,
  // Measured as for the activation gate: a forward for features is a fifth of scoring.
  times: (run) => {
    const { sampling, scoring } = withTrustedPrompts(run);
    return { sampling, scoring: 1.2 * scoring };
  },
  stored: { verifier: z.string().check(z.regex(/^[\w-]*$/), z.maxLength(MAX_EXAMPLES)) },
  async prepare({ run, policy }) {
    const { hiddenSize, layers } = policy.config;
    const layer = middleLayer(layers);
    return (kept) => {
      let examples = kept ? unpacked(kept as Kept, hiddenSize) : [];
      return {
        readsTrusted: () => true,
        combine: ({ untrusted, trusted }) => plus(untrusted, trusted),
        async counts(step) {
          const features = await featuresOf(step, layer, hiddenSize);
          const taught = step.trusted.flatMap((group, g) =>
            group.map((rollout, i): Example => ({ features: features.trusted[g][i], isRight: passes(rollout) })),
          );
          examples = [...examples, ...taught].slice(-run.verifierKept);
          const verifier = fitVerifier(examples, hiddenSize);
          const own = features.rollouts.map((group) => group.map((h) => rightProbability(verifier, h)));
          return counting(step.rollouts, run.trustedGate === 'random' ? dealtAnew(step, own, run.seed) : own, run);
        },
        keep: () => ({ verifier: packed(examples) }),
      };
    };
  },
} as const satisfies Method<Run>;

/** [group][rollout] of both; zeros where nothing was written. The policy is left with the untrained adapter. */
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

/** What each rollout counts for by the verifier's probabilities, [group][rollout], and what is logged of them. */
function counting(rollouts: PaidStep['rollouts'], p: readonly (readonly number[])[], run: Run): Counting {
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

/** The placebo: the same probabilities, dealt among rollouts of equal reward. */
function dealtAnew(
  { rollouts, step }: Pick<PaidStep, 'rollouts' | 'step'>,
  p: readonly (readonly number[])[],
  seed: number,
): number[][] {
  const dealt = p.map((group) => [...group]);
  const places = rollouts.flatMap((group, g) => group.map(({ reward }, i) => ({ reward, g, i })));
  const rng = CounterRng.of(seed, STREAMS.gate, step);
  for (const paid of [...new Set(places.map(({ reward }) => reward))].toSorted((a, b) => a - b)) {
    const own = places.filter(({ reward }) => reward === paid);
    for (const [k, { g, i }] of rng.shuffle([...own]).entries()) dealt[own[k].g][own[k].i] = p[g][i];
  }
  return dealt;
}

interface Kept {
  runId: string;
  verifier?: string;
}

/** Of each example its features and, as a last number, whether it is right. */
function packed(examples: readonly Example[]): string {
  const rows = Float32Array.from(examples.flatMap(({ features, isRight }) => [...features, Number(isRight)]));
  return toBase64Url(new Uint8Array(rows.buffer));
}

function unpacked({ runId, verifier }: Kept, hiddenSize: number): Example[] {
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
