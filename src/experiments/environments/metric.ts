// What an environment says of a number that it measures: enough to draw it, to put it in a table and to explain it, without knowing the
// environment. An environment lists its own in `metrics.ts` beside its entry; the page has all of them at once, so they are texts alone.

import type { GlossaryEntry } from '../config/option.ts';

export interface MetricInfo {
  /** The key in Figures. */
  id: string;
  /** At the head of a chart or a column. */
  label: string;
  /** One line for a person who meets it for the first time. */
  about: string;
  /** The glossary's sentence; `about` where absent. */
  meaning?: string;
  unit: 'share' | 'number' | 'tokens';
  /** Ends of the value axis; null fits the data. */
  range: readonly [number, number | null];
  /** The range in words, with what a gap means; the ends where absent. */
  span?: string;
  better: 'lower' | 'higher' | 'neither';
  /** The environment's questions are answered by these: result tables, comparisons and links show them first. */
  headline?: boolean;
  /** In a few words, under a table on the command line. */
  brief?: string;
  /** What it is a share of, in a column's title. */
  of?: string;
  /** For sentences on a difference: `hacks` (less than vanilla), and what is said where nothing could be measured. */
  words?: { verb: string; none: string };
  /** Of some runs alone: where no row has it, it has no chart and no column. */
  occasional?: boolean;
  /** Kept and exported, drawn in no chart of its own. */
  undrawn?: boolean;
  formula: string;
  /** What it is where nothing was learned. */
  nullValue: string;
  notShown: string;
  /** Counted on the rollouts that are trained on, measured on an evaluation set, or both. */
  measured: 'training' | 'evaluation' | 'both';
  /** The kind of task that it is of alone; absent for a figure of all. Such charts are folded together. */
  kind?: string;
}

/** A part of the evaluation set, and what makes it unseen. */
export interface SplitInfo {
  id: string;
  label: string;
  unseen: string;
}

const percent = (share: number): string => `${100 * share}%`;

/** The glossary's entry of a metric. */
export function wordsOf({
  label,
  about,
  meaning,
  formula,
  span,
  unit,
  range,
  nullValue,
  notShown,
}: MetricInfo): GlossaryEntry {
  const [low, high] = range;
  const ends =
    unit === 'share' ? `${percent(low)} … ${percent(high ?? 1)}` : high === null ? `≥ ${low}` : `${low} … ${high}`;
  return { title: label, meaning: meaning ?? about, formula, range: span ?? ends, nullValue, notShown };
}
