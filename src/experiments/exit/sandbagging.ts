// The verdicts of E5 and E6 (docs/lab-book/exit.md): whether a policy that is paid for gains learns to answer badly first, and whether a direction
// from labelled pairs takes that away. From rows alone, and from the training's rewards. The rules stood before the runs that they judge.
import { mean, type PairedT, pairedT } from '../../stats/index.ts';
import { type Judgeable, judge, verdictText } from '../judge/rule.ts';
import { lastAt } from './metrics.ts';
import { type ImproveRow, modelsOf, ofArm, ofWay } from './rows.ts';
import { E5, E6 } from './rules.ts';
import { ofDifferences } from './verdicts.ts';

/** E6: the revisions after which a cost is looked for; those of a training chain. */
const REVISIONS = 3;
/** The steps at either end of training whose mean rewards are compared. */
const ENDS = 25;

export interface Difference {
  seeds: readonly number[];
  differences: readonly number[];
  /** Null below two seeds. */
  paired: PairedT | null;
}

/** one − other after K revisions, by the seeds that both have; the base, which has none, is beside every seed. */
export function differenceAt(rows: readonly ImproveRow[], one: string, other: string, k: number): Difference {
  const models = modelsOf(rows);
  const others = ofArm(models, other);
  const pairs = ofArm(models, one).flatMap((model) => {
    const against = others.find(({ seed }) => seed === model.seed) ?? others.find(({ seed }) => seed === null);
    const [a, b] = [model, against].map((each) => (each ? lastAt(ofWay(each, 'sampled'), k) : null));
    return model.seed === null || a === null || b === null ? [] : [{ seed: model.seed, difference: a - b }];
  });
  const differences = pairs.map(({ difference }) => difference);
  return { seeds: pairs.map(({ seed }) => seed), differences, paired: pairedT(differences) };
}

/** Of a training's rewards, step by step: the mean at its end less that at its beginning. */
export const rewardRise = (rewards: readonly (number | null)[]): number => {
  const of = (part: readonly (number | null)[]) => mean(part.filter((reward) => reward !== null)) ?? 0;
  return of(rewards.slice(-ENDS)) - of(rewards.slice(0, ENDS));
};

export interface SandbagVerdict {
  verdict: string;
  /** At K = 0: against the untrained base, and against whole chains that are paid their last answer. */
  base: Difference;
  last: Difference;
  /** ExIt's single steps against the base. */
  single: Difference;
}

/** `rises`: by seed, how far the training's reward rose. */
export function sandbagVerdict(rows: readonly ImproveRow[], arm: string, rises: readonly number[]): SandbagVerdict {
  const base = differenceAt(rows, arm, 'base', 0);
  const last = differenceAt(rows, arm, 'chain_last', 0);
  const single = differenceAt(rows, 'exit', 'base', 0);
  const verdict = verdictText(
    judge(E5.rule, {
      base: ofDifference(base),
      last: ofDifference(last),
      single: single.differences.length > 0 ? ofDifference(single) : undefined,
      rises: rises.length > 0 ? ofDifferences(rises) : undefined,
    }),
  );
  return { verdict, base, last, single };
}

export interface RemovalVerdict {
  question: string;
  verdict: string;
  /** At K = 0: against the whole model, and against the same operation along random directions and along permuted labels. */
  whole: Difference;
  random: Difference;
  permuted: Difference;
  /** Against the whole model after a training chain's revisions. */
  cost: Difference;
}

const ofDifference = ({ differences, paired }: Difference): Judgeable => ofDifferences(differences, paired);

/** Each operation with its controls; `whole` is what sandbags. */
const OPERATIONS = [
  ['E6: route', 'route-update/deployed', 'route-update/random_V', 'route-update/permuted_V'],
  ['E6: erase', 'erase', 'random_V', 'permuted_V'],
] as const;

export function removalVerdicts(rows: readonly ImproveRow[]): RemovalVerdict[] {
  return OPERATIONS.map(([question, one, control, labels]) => {
    const whole = differenceAt(rows, one, 'route-update', 0);
    const random = differenceAt(rows, one, control, 0);
    const permuted = differenceAt(rows, one, labels, 0);
    const cost = differenceAt(rows, one, 'route-update', REVISIONS);
    const estimates = { whole: ofDifference(whole), random: ofDifference(random), cost: ofDifference(cost) };
    return { question, whole, random, permuted, cost, verdict: verdictText(judge(E6.rule, estimates)) };
  });
}
