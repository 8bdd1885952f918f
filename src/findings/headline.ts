// An environment's published finding in plain words: what was measured, under which condition, compared with which, and over how many units.
import type { Status } from '../experiments/judge/estimate.ts';
import { inBrackets, percent as percentOf, points } from '../lib/numbers.ts';
import type { SeriesId } from './series.ts';

/** A mean over units with Student's 95 % interval; null if units do not differ, since all started from one model. */
export interface MeanEstimate {
  mean: number;
  interval: { low: number; high: number } | null;
  /** The units' values, instead of an interval that would leave the range of a share or span most of it: they differ too much for a mean to be
   *  informative. */
  each?: readonly number[];
}

export interface HeadlineEstimate extends MeanEstimate {
  name: string;
}

/** A finding as shown on the page. */
export interface EnvironmentHeadline {
  environment: string;
  /** Question that judges the sentence; null if none was registered. */
  asked: { series: SeriesId; question: string } | null;
  /** Its verdict, which the sentence states, and the estimates behind it, as differences. Null without a question. */
  verdict: { standing: Status; word: string; judged: HeadlineEstimate[] } | null;
  /** Unit that n counts. */
  unit: string;
  /** Chart and lines of the published demo that show the same comparison; a null `from` is a line's own first value. Null if the demo has
   *  no such chart. */
  inDemo: { chart: string; from: string | null; to: string } | null;
  sentence: string;
  /** Controls and limits that are shown with the sentence everywhere. */
  beside: string[];
  n: number;
  /** Number of random draws of the evaluation that the estimates cover; absent for one. */
  draws?: number;
  figures: HeadlineEstimate[];
}

/** Ends of the interval; without one both are the mean, or the smallest and largest unit. */
export const endsOf = ({ mean, interval, each = [mean] }: MeanEstimate): { low: number; high: number } =>
  interval ?? { low: Math.min(...each), high: Math.max(...each) };

/** Side of 0 on which the whole interval is. */
export function sideOf(estimate: HeadlineEstimate): 'more' | 'less' | 'open' {
  const { low, high } = endsOf(estimate);
  return low > 0 ? 'more' : high < 0 ? 'less' : 'open';
}

/** For example `45%`; a positive share is never written as `0%`. */
export function percent(share: number): string {
  const rounded = percentOf(share, 0);
  return rounded === '0%' && share > 0 ? 'under 1%' : rounded;
}

/** Only the estimates of conditions, since differences have another zero. */
export const conditionsOf = ({ figures }: EnvironmentHeadline): readonly HeadlineEstimate[] =>
  figures.filter(({ name }) => !name.startsWith('difference'));

/** States what the estimates cover: `n = 5 training seeds × 8 evaluations`. */
export const countText = ({ n, unit, draws }: EnvironmentHeadline): string =>
  `n = ${n} ${unit}${draws ? ` × ${draws} evaluations` : ''}`;

/** Values as one list: `69, 11, 91, 94, 88%`. */
export const eachText = (values: readonly number[], show: (value: number) => string = percent): string =>
  values.map((value, i) => (i < values.length - 1 ? show(value).replace(/%$/, '') : show(value))).join(', ');

/** For example `45% [42% to 47%]`, or unit by unit. */
export const headlineText = ({ mean, interval, each }: MeanEstimate): string =>
  each ? eachText(each) : percent(mean) + inBrackets(interval, percent, ' to ');

/** A difference in points: `+12.9 [+10.5 +15.3]`, or unit by unit. */
export const differenceText = ({ mean, interval, each }: MeanEstimate): string =>
  each ? eachText(each, points) : points(mean) + inBrackets(interval, points, ' ');

const FORMAT = 'projected-grpo-lab headlines 1';

/** Path below `public/`. */
export const HEADLINES_PATH = 'results/headlines.json';

/** Numbers keep seven digits, more than any text prints, since the page reads the file first. */
export const headlinesText = (headlines: readonly EnvironmentHeadline[]): string =>
  `${JSON.stringify({ format: FORMAT, headlines }, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(7)) : value), 2)}\n`;

/** Empty for an invalid file, since a missing sentence is not an error. Files from before verdicts were published are read without them. */
export function readHeadlines(json: unknown): readonly EnvironmentHeadline[] {
  const file = json as { format?: unknown; headlines?: (Omit<EnvironmentHeadline, keyof Old> & Old)[] } | null;
  if (file?.format !== FORMAT || !Array.isArray(file.headlines)) return [];
  return file.headlines.map(
    ({
      environment,
      asked,
      verdict = null,
      unit,
      inDemo,
      sentence,
      beside = [],
      n,
      draws,
      figures,
    }): EnvironmentHeadline => {
      const own = { environment, asked, verdict, unit, inDemo, sentence, beside, n, figures };
      return draws === undefined ? own : { ...own, draws };
    },
  );
}

type Old = Partial<Pick<EnvironmentHeadline, 'verdict' | 'beside'>>;
