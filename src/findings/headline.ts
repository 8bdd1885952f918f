// An environment's finding in plain words, as it is published: what was measured, under what, against what, and over how many units.
import { inBrackets, percent as percentOf } from '../lib/numbers.ts';
import type { SeriesId } from './series.ts';

/** A mean over units with Student's 95 % interval; null where units do not differ: one model that all of them began as. */
export interface MeanEstimate {
  mean: number;
  interval: { low: number; high: number } | null;
}

export interface HeadlineEstimate extends MeanEstimate {
  name: string;
}

/** As the page shows it. */
export interface EnvironmentHeadline {
  environment: string;
  /** Where the same rows are judged by a rule; null where no question was written down. */
  asked: { series: SeriesId; question: string } | null;
  /** What n counts. */
  unit: string;
  /** Where the published demo draws the same: in which of its charts, and by which of its lines; `from` null where a line's own beginning
   *  is meant. Null where it draws no such thing. */
  inDemo: { chart: string; from: string | null; to: string } | null;
  sentence: string;
  n: number;
  figures: HeadlineEstimate[];
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
