// Stage 7 (R7): the pairs' GRPO-contrastive basis (advantages ±1 under Dr.GRPO's denominator, so each completion's gradient is its mean-NLL
// gradient times its length), and two checks: on completions of equal length it must span the same space as the mean-NLL basis, on unequal
// ones it must not.
import { type BasisLikeness, compareBases } from '../../../algorithms/basis-compare.ts';
import {
  byLength,
  extractBasis,
  type PairTokens,
  pairGradients,
  type RawBasis,
} from '../../../algorithms/extraction.ts';
import type { Policy } from '../../../engine/types.ts';
import { mean } from '../../../stats/index.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import type { ContrastiveCheck } from './types.ts';

type BasisSettings = Pick<RunSpec, 'k' | 'tauAxis' | 'basisKind' | 'solveOrth'>;

/** Computed on the untrained model, at which the policy is left. */
export async function contrastiveBasis(
  policy: Policy,
  pairs: readonly PairTokens[],
  settings: BasisSettings,
  signal?: AbortSignal,
): Promise<{ grpo: RawBasis; check: ContrastiveCheck }> {
  policy.setAdapterParams(policy.initialAdapterParams);
  const { adapterLayout } = policy;
  const names = adapterLayout.modules.map(({ name }) => name);
  const both = async (of: readonly PairTokens[]) => {
    const gradients = await pairGradients(policy, of, signal);
    const nll = extractBasis(gradients, adapterLayout, settings);
    const grpo = extractBasis(byLength(gradients, of), adapterLayout, settings);
    return { grpo, likeness: compareBases(nll, grpo, names, settings.k) };
  };
  const asTheyAre = await both(pairs);
  const lengths = pairs.flatMap(({ hack, clean }) => [hack.length, clean.length]);
  const shortest = Math.min(...lengths);
  const equal = await both(
    pairs.map(({ prompt, hack, clean }) => ({
      prompt,
      hack: hack.slice(0, shortest),
      clean: clean.slice(0, shortest),
    })),
  );
  return {
    grpo: asTheyAre.grpo,
    check: {
      pairs: pairs.length,
      equalLength: {
        tokens: shortest,
        meanAngle: meanAngle(equal.likeness),
        maxAngle: largest(equal.likeness.modules.flatMap(({ angles }) => angles)),
      },
      asTheyAre: {
        differing: lengths.length - commonest(lengths),
        meanAngle: meanAngle(asTheyAre.likeness),
        modules: asTheyAre.likeness.modules.map(({ name, angles }) => ({ name, angles })),
      },
    },
  };
}

/** Mean over modules and angles. */
const meanAngle = ({ modules }: BasisLikeness): number | null => mean(modules.flatMap(({ angles }) => angles));

const largest = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.max(...values));

/** Count of the most common value. */
function commonest(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}
