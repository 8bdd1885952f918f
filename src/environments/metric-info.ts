// Descriptions of an environment's metrics: enough to draw them, to put them in a table and to explain them, without knowing the
// environment. These are texts alone, since the page's first load has those of all environments.
import type { GlossaryEntry } from '../lib/option.ts';

export interface MetricInfo {
  /** The key in Metrics. */
  id: string;
  /** Head of a chart or a column. */
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
  /** Short name, under a table on the command line. */
  brief?: string;
  /** The whole that it is a share of, in a column's title. */
  of?: string;
  /** Words for sentences on a difference: `hacks` (less than vanilla), and the text where nothing could be measured. */
  words?: { verb: string; none: string };
  /** Only some runs have it: where no row has it, it has no chart and no column. */
  occasional?: boolean;
  /** Kept and exported, drawn in no chart of its own. */
  undrawn?: boolean;
  formula: string;
  /** Its value where nothing was learned. */
  nullValue: string;
  notShown: string;
  /** Counted on the rollouts that are trained on, measured on an evaluation set, or both. */
  measured: 'training' | 'evaluation' | 'both';
  /** The kind of task that it is of alone; absent for a figure of all. Such charts are folded together. */
  kind?: string;
}

/** The fields of a metric beside its name. */
type Fields = Omit<MetricInfo, 'id' | 'label' | 'about'>;
/** Fields that have no default. */
type GivenFields = Partial<Fields> & Pick<Fields, 'formula' | 'nullValue' | 'notShown'>;

/** A share, the higher the better, of training and of evaluations, where the fields say nothing else. */
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

/** Metrics that share fields where they have none of their own. */
export const metricsWith =
  (common: GivenFields) =>
  (id: string, label: string, about: string, own: Partial<Fields> = {}): MetricInfo =>
    metric(id, label, about, { ...common, ...own });

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

// A measure at several settings of something that is no step of training: quality after K revisions, say. Evaluations have a metric for
// each of its points, so that a profile is data, and the page draws it for any environment.

export interface Profile {
  id: string;
  title: string;
  /** Its meaning and how it is read, in one sentence. */
  about: string;
  /** Quantity along its axis. */
  along: string;
  /** Ascending. */
  points: readonly { x: number; metric: string }[];
}

/** A mean probability that evaluations measure. */
export interface ProbeInfo {
  /** Id in `EvalRow.probes`. */
  id: string;
  label: string;
  about: string;
}
