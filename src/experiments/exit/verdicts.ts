// The questions' verdicts (docs/lab-book/exit.md), from rows alone. The rules are data (rules.ts).
import { mean, type PairedT, pairedT } from '../../stats/index.ts';
import { type Judgeable, judge, verdictText } from '../judge/rule.ts';
import { lastAt } from './metrics.ts';
import { type ImproveRow, type Model, modelsOf, ofArm, ofWay } from './rows.ts';
import { ADDS, E1 } from './rules.ts';

export interface ExitVerdict {
  question: string;
  verdict: string;
  /** By seed: K = 0 and K = 16. */
  seeds: readonly (number | null)[];
  first: readonly number[];
  last: readonly number[];
  /** Of K = 16; null below two seeds. */
  paired: PairedT | null;
}

const LAST = 16;
const at = (model: Model, k: number): number => lastAt(ofWay(model, 'sampled'), k) as number;
/** Shorter chains answer other questions. */
const isLong = (model: Model): boolean => {
  const rows = ofWay(model, 'sampled');
  return rows.length > 0 && rows.every(({ quality }) => quality.length > LAST);
};

/** one − other, by the seeds that both have; null where there are none. */
function difference(models: readonly Model[], one: string, other: string) {
  const long = models.filter(isLong);
  const pairs = ofArm(long, one).flatMap((model) => {
    const against = ofArm(long, other).find(({ seed }) => seed === model.seed);
    return against ? [{ seed: model.seed, model, against }] : [];
  });
  if (pairs.length === 0) return null;
  const of = (k: number) => pairs.map(({ model, against }) => at(model, k) - at(against, k));
  const last = of(LAST);
  return { seeds: pairs.map(({ seed }) => seed), first: of(0), last, paired: pairedT(last) };
}

/** E1's rule for another arm than `exit`; null where there is nothing of both. */
export function costVerdict(rows: readonly ImproveRow[], arm: string): ExitVerdict | null {
  const found = difference(modelsOf(rows), arm, 'none');
  return found && { question: `E1: ${arm} − none`, verdict: mainVerdict(found), ...found };
}

export function exitVerdicts(rows: readonly ImproveRow[]): ExitVerdict[] {
  const models = modelsOf(rows);
  const verdicts: ExitVerdict[] = [];
  // Where the rows are of E1's second judgement, its arm stands in the place of the first one's.
  const main = costVerdict(rows, 'exit') ?? costVerdict(rows, 'exit_best');
  if (main) verdicts.push(main);
  for (const [question, one, other] of CONTROLS) {
    const found = difference(models, one, other);
    if (found) verdicts.push({ question: `${question}: ${one} − ${other}`, verdict: controlVerdict(found), ...found });
  }
  return verdicts;
}

const CONTROLS = [
  ['E2', 'exit', 'exit_uniform'],
  ['E2', 'exit', 'exit_drafts'],
  ['E2', 'exit', 'exit_depth1'],
  ['E2', 'exit', 'exit_best'],
  ['E3', 'exit_full', 'exit'],
  ['E3', 'exit_diverge', 'exit'],
  ['E3', 'exit_diverse', 'exit'],
  ['E4', 'exit', 'exit_clipped'],
] as const;

/** Differences, one a seed, as a rule reads them. */
export const ofDifferences = (values: readonly number[], paired = pairedT(values)): Judgeable => ({
  ...{ n: values.length, mean: mean(values), interval: paired?.interval ?? null },
  each: values.map((value) => ({ value })),
});

type Found = Pick<ExitVerdict, 'first' | 'last' | 'paired'>;

const mainVerdict = ({ first, last }: Found): string =>
  verdictText(judge(E1.rule, { first: ofDifferences(first), last: ofDifferences(last) }));

const controlVerdict = ({ last, paired }: Found): string =>
  verdictText(judge(ADDS.rule, { difference: ofDifferences(last, paired) }));
