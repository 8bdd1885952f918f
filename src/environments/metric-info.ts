// Descriptions of an environment's metrics, by which they are charted, tabulated and explained without knowledge of the environment. They
// are only texts, since the page's first load has those of all environments.
import type { GlossaryEntry } from '../lib/option.ts';

export interface MetricInfo {
  /** The key in Metrics. */
  id: string;
  /** Title of a chart or a column. */
  label: string;
  /** One line for a reader who does not know the metric. */
  about: string;
  /** The glossary's sentence; `about` where absent. */
  meaning?: string;
  unit: 'share' | 'number' | 'tokens';
  /** Ends of the value axis; null fits the data. */
  range: readonly [number, number | null];
  /** The range in words, with the meaning of a gap; the numbers by default. */
  span?: string;
  better: 'lower' | 'higher' | 'neither';
  /** These metrics answer the environment's question: result tables, comparisons and links show them first. */
  headline?: boolean;
  /** Short name under a table on the command line. */
  brief?: string;
  /** The total of which it is a share, in a column's title. */
  of?: string;
  /** Words for sentences about a difference: `hacks` (less than vanilla), and the text if nothing could be measured. */
  words?: { verb: string; none: string };
  /** Only some runs have it: if no row has it, there is no chart and no column. */
  occasional?: boolean;
  /** Stored and exported, but without its own chart. */
  undrawn?: boolean;
  formula: string;
  /** Its value if nothing was learned. */
  nullValue: string;
  notShown: string;
  /** Counted on training rollouts, measured on an evaluation set, or both. */
  measured: 'training' | 'evaluation' | 'both';
  /** The kind of task that it is restricted to; absent if it covers all. Such charts are collapsed together. */
  kind?: string;
}

/** The fields of a metric beside its name. */
type Fields = Omit<MetricInfo, 'id' | 'label' | 'about'>;
/** Fields that have no default. */
type GivenFields = Partial<Fields> & Pick<Fields, 'formula' | 'nullValue' | 'notShown'>;

/** A share in training and evaluations for which higher is better, unless the fields differ. */
export const metric = <Id extends string>(
  id: Id,
  label: string,
  about: string,
  fields: GivenFields,
): MetricInfo & { id: Id } => ({
  id,
  label,
  about,
  unit: 'share',
  range: [0, 1],
  better: 'higher',
  measured: 'both',
  ...fields,
});

/** Metrics with common fields as defaults. */
export const metricsWith =
  (common: GivenFields) =>
  (id: string, label: string, about: string, own: Partial<Fields> = {}): MetricInfo =>
    metric(id, label, about, { ...common, ...own });

/** A part of the evaluation set, and why it counts as unseen. */
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

// A measure along something other than training steps, such as quality after K revisions. Evaluations have a metric for each of its
// points, so that a profile is only data, which the page draws for any environment.

export interface Profile {
  id: string;
  title: string;
  /** Its meaning and how to read it, in one sentence. */
  about: string;
  /** Quantity along its axis. */
  along: string;
  /** Ascending. */
  points: readonly { x: number; metric: string }[];
}

/** A mean probability measured in evaluations. */
export interface ProbeInfo {
  /** Id in `EvalRow.probes`. */
  id: string;
  label: string;
  about: string;
}
