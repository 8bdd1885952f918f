// An environment's finding in plain words: what was measured, under what, against what, and over how many units. One function makes it
// for every environment, from a value a unit, so that all are told alike and none says more than its rows do: where an interval of the
// difference has both sides of 0, the sentence says that no difference is shown.
import { inBrackets, percent as percentOf } from '../../../lib/numbers.ts';
import { mean, pairedT } from '../../../stats/index.ts';
import type { SeriesId } from '../../judge/series.ts';

/** Of one unit of replication (a seed, a character): shares. */
export interface UnitValues {
  of: string;
  from: number;
  to: number;
  second?: { from: number; to: number };
  beside?: number;
}

/** What a sentence is about; its numbers come from the rows. */
export interface Claim {
  environment: string;
  /** Where the same rows are judged by a rule; null where no question was written down. */
  asked: { series: SeriesId; question: string } | null;
  /** What n counts. */
  unit: string;
  /** Conditions, as sentences begin with them: `Trained with plain RL`. */
  from: string;
  to: string;
  /** The measure around its figure: `the model cheats on 45% of the trick problems`. */
  measure: readonly [before: string, after: string];
  /** Another measure of the same models, by which way it differs: `it solves more`. */
  second?: { more: string; less: string; open: string };
  /** A third condition, in brackets behind the second: `with right answers`. */
  beside?: string;
  /** Where the published demo draws the same: in which of its charts, and by which of its lines; `from` null where a line's own beginning
   *  is meant. Null where it draws no such thing. */
  inDemo: { chart: string; from: string | null; to: string } | null;
}

/** A mean over units with Student's 95 % interval; null where units do not differ: one model that all of them began as. */
export interface MeanEstimate {
  mean: number;
  interval: { low: number; high: number } | null;
}

export interface HeadlineEstimate extends MeanEstimate {
  name: string;
}

/** As the page shows it. */
export interface EnvironmentHeadline extends Pick<Claim, 'environment' | 'asked' | 'unit' | 'inDemo'> {
  sentence: string;
  n: number;
  figures: HeadlineEstimate[];
}

/** Throws RangeError for fewer than two units: one says nothing of another. */
export function headlineOf(claim: Claim, units: readonly UnitValues[]): EnvironmentHeadline {
  const { environment, asked, unit, from, to, measure, second, beside, inDemo } = claim;
  if (units.length < 2) throw new RangeError(`${environment}: a finding of ${units.length} ${unit}`);
  const figure = (name: string, of: (values: UnitValues) => number): HeadlineEstimate => ({
    name,
    ...meanOf(units.map(of)),
  });
  const measured = `${measure[0]} … ${measure[1]}`.trim();
  const main = [
    figure(`${from}: ${measured}`, (one) => one.from),
    figure(`${to}: ${measured}`, (one) => one.to),
    figure('difference', (one) => one.to - one.from),
  ];
  const others = second
    ? [
        figure(`${from}: ${second.open}`, (one) => one.second!.from),
        figure(`${to}: ${second.open}`, (one) => one.second!.to),
        figure(`difference in ${second.open}`, (one) => one.second!.to - one.second!.from),
      ]
    : [];
  const third = beside ? [figure(`${beside}: ${measured}`, (one) => one.beside!)] : [];
  const sentence = [
    `${from}, ${measure[0]} ${percent(main[0].mean)} ${measure[1]}.`,
    ` ${to}: ${percent(main[1].mean)}`,
    third.length > 0 ? ` (${beside}: ${percent(third[0].mean)})` : '',
    sideOf(main[2]) === 'open' ? '; no difference is shown' : '',
    second ? secondClause(second, others) : '',
    '.',
  ].join('');
  return { environment, asked, unit, inDemo, sentence, n: units.length, figures: [...main, ...others, ...third] };
}

/** `, and it solves more (53% against 46%)`; where both sides of 0 are possible it says that. */
function secondClause(
  second: NonNullable<Claim['second']>,
  [from, to, difference]: readonly HeadlineEstimate[],
): string {
  const figures = `(${percent(to.mean)} against ${percent(from.mean)})`;
  const side = sideOf(difference);
  return side === 'open' ? `; no difference is shown in ${second.open} ${figures}` : `, and ${second[side]} ${figures}`;
}

/** Of at least one value. */
export function meanOf(values: readonly number[]): MeanEstimate {
  const paired = pairedT(values);
  return { mean: mean(values)!, interval: paired?.t === null ? null : (paired?.interval ?? null) };
}

/** Of equal values their own place. */
export const endsOf = ({ mean, interval }: MeanEstimate): { low: number; high: number } =>
  interval ?? { low: mean, high: mean };

/** On which side of 0 the whole interval lies. */
export function sideOf(estimate: HeadlineEstimate): 'more' | 'less' | 'open' {
  const { low, high } = endsOf(estimate);
  return low > 0 ? 'more' : high < 0 ? 'less' : 'open';
}

/** `45%`; a share that is not zero is not told as one. */
export function percent(share: number): string {
  const rounded = percentOf(share, 0);
  return rounded === '0%' && share > 0 ? 'under 1%' : rounded;
}

/** Conditions alone: differences have another zero. */
export const conditionsOf = ({ figures }: EnvironmentHeadline): readonly HeadlineEstimate[] =>
  figures.filter(({ name }) => !name.startsWith('difference'));

/** `45% [42% to 47%]` */
export const headlineText = ({ mean, interval }: HeadlineEstimate): string =>
  percent(mean) + inBrackets(interval, percent, ' to ');

const FORMAT = 'projected-grpo-lab headlines 1';

/** Where they lie below `public/`. */
export const HEADLINES_PATH = 'results/headlines.json';

export const headlinesText = (headlines: readonly EnvironmentHeadline[]): string =>
  `${JSON.stringify({ format: FORMAT, headlines }, null, 2)}\n`;

/** Empty for what is no such file: a sentence that cannot be had is no error. */
export function readHeadlines(json: unknown): readonly EnvironmentHeadline[] {
  const file = json as { format?: unknown; headlines?: EnvironmentHeadline[] } | null;
  return file?.format === FORMAT && Array.isArray(file.headlines) ? file.headlines : [];
}
