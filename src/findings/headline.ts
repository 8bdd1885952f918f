// An environment's published finding in plain words: what was measured, under what, against what, and over how many units.
import { inBrackets, percent as percentOf } from '../lib/numbers.ts';
import type { SeriesId } from './series.ts';

/** A mean over units with Student's 95 % interval; null where units do not differ, since all began as one model. */
export interface MeanEstimate {
  mean: number;
  interval: { low: number; high: number } | null;
}

export interface HeadlineEstimate extends MeanEstimate {
  name: string;
}

/** A finding as the page shows it. */
export interface EnvironmentHeadline {
  environment: string;
  /** Question whose rule judges the same rows; null where none was written down. */
  asked: { series: SeriesId; question: string } | null;
  /** Unit that n counts. */
  unit: string;
  /** Chart and lines of the published demo that show the same comparison; `from` is null for a line's own beginning. Null where the demo
   *  has no such chart. */
  inDemo: { chart: string; from: string | null; to: string } | null;
  sentence: string;
  n: number;
  figures: HeadlineEstimate[];
}

/** Ends of the interval; without one both are the mean. */
export const endsOf = ({ mean, interval }: MeanEstimate): { low: number; high: number } =>
  interval ?? { low: mean, high: mean };

/** Side of 0 on which the whole interval lies. */
export function sideOf(estimate: HeadlineEstimate): 'more' | 'less' | 'open' {
  const { low, high } = endsOf(estimate);
  return low > 0 ? 'more' : high < 0 ? 'less' : 'open';
}

/** Such as `45%`; a share above zero is never written as `0%`. */
export function percent(share: number): string {
  const rounded = percentOf(share, 0);
  return rounded === '0%' && share > 0 ? 'under 1%' : rounded;
}

/** Figures of conditions alone: differences have another zero. */
export const conditionsOf = ({ figures }: EnvironmentHeadline): readonly HeadlineEstimate[] =>
  figures.filter(({ name }) => !name.startsWith('difference'));

/** Such as `45% [42% to 47%]`. */
export const headlineText = ({ mean, interval }: HeadlineEstimate): string =>
  percent(mean) + inBrackets(interval, percent, ' to ');

const FORMAT = 'projected-grpo-lab headlines 1';

/** Path below `public/`. */
export const HEADLINES_PATH = 'results/headlines.json';

export const headlinesText = (headlines: readonly EnvironmentHeadline[]): string =>
  `${JSON.stringify({ format: FORMAT, headlines }, null, 2)}\n`;

/** Empty for an invalid file: a missing sentence is no error. */
export function readHeadlines(json: unknown): readonly EnvironmentHeadline[] {
  const file = json as { format?: unknown; headlines?: EnvironmentHeadline[] } | null;
  return file?.format === FORMAT && Array.isArray(file.headlines) ? file.headlines : [];
}
