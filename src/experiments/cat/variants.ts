// What variants of CaT's training answer (C9–C11 of docs/lab-book/cat.md), by the rules that stand there: other sizes of the group at equal
// rollouts, a pull towards the anchor, finetuning on references in the place of paying for agreement. The unit is the seed; a variant
// is compared with the plain runs of `cat` (groups of eight, no pull) of the same seeds.
import { type Spread, spreadOver } from '../judge/estimates.ts';
import type { RunRecord } from '../records/events.ts';
import { finalMetric } from '../records/metrics.ts';
import { by, type RunsVerdict, VARIANTS } from './questions.ts';

export type VariantRun = Pick<RunRecord, 'spec' | 'rows' | 'evals'>;

export const SIZES = [2, 4, 8, 16] as const;
const PLAIN = 'G 8';

/** `G 8`, `G 2`, `KL 0.1`, `finetuned`; null of a run that is none of them. */
export function variantOf({ spec: { arm, groupSize, klBeta, reference } }: Pick<VariantRun, 'spec'>): string | null {
  if (arm === 'cat_sft') return 'finetuned';
  if (arm !== 'cat' || reference !== 'synthesis') return null;
  return klBeta > 0 ? `KL ${klBeta}` : `G ${groupSize}`;
}

/** Of a question without the runs that it asks for, nothing. */
export function variantVerdicts(runs: readonly VariantRun[]): RunsVerdict[] {
  const solve = (one: string, other: string) => difference(runs, one, other, 'solve');
  const [whole, ...steps] = [solve('G 8', 'G 2'), solve('G 4', 'G 2'), solve('G 8', 'G 4'), solve('G 16', 'G 8')];
  const kls = [...new Set(runs.map(variantOf))].filter((name) => name?.startsWith('KL ')) as string[];
  const pulls = kls.sort().flatMap((name) => solve(name, PLAIN) ?? []);
  const tuned = solve('finetuned', PLAIN);
  return [
    ...(whole ? [judged('C9', [whole, ...steps.filter((one) => one !== null)])] : []),
    ...(pulls.length > 0 ? [judged('C10', [...pulls].reverse())] : []),
    ...(tuned ? [judged('C11', [tuned])] : []),
  ];
}

/** By the first figure. */
const judged = (question: string, figures: readonly Spread[]): RunsVerdict => ({
  ...by(VARIANTS.find(({ id }) => id === question)!, { first: figures[0] }),
  figures,
});

/** Of a variant's runs by seed, the figure of the final evaluation. */
export function finalBySeed(runs: readonly VariantRun[], variant: string, id: string): Map<number, number> {
  const own = runs.filter((run) => variantOf(run) === variant);
  return new Map(
    own.flatMap((run) => {
      const value = finalMetric(run, 'total', id);
      return value === null ? [] : [[run.spec.seed, value] as const];
    }),
  );
}

function difference(runs: readonly VariantRun[], one: string, other: string, id: string): Spread | null {
  const against = finalBySeed(runs, other, id);
  const values = [...finalBySeed(runs, one, id)].flatMap(([seed, value]) => {
    const beside = against.get(seed);
    return beside === undefined ? [] : [value - beside];
  });
  return spreadOver(`${id}, ${one} − ${other}`, values);
}
