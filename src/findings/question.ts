// A question and its judgement as published: its texts, and the result of its rows.
import type { Estimate, Status } from '../experiments/judge/estimate.ts';
import type { Chart, Table } from '../experiments/judge/figures.ts';

/** Whether the estimates replicate a reference implementation's finding. This is independent of the verdict on the hypothesis. */
export const REPLICATIONS = ['replicates', 'does not replicate', 'undecided', 'not run', 'new here'] as const;
export type Replication = (typeof REPLICATIONS)[number];

/** A question's published texts. */
export interface QuestionText {
  /** Unique among all series, as in the docs: `E1`, `E1-again`. */
  id: string;
  title: string;
  hypothesis: string;
  /** Result that would have falsified it. */
  falsified: string;
  /** Unit that n counts. */
  unit: string;
  /** A critical reader's first question, and the answer. */
  caveat: string;
  /** Heading on the series' docs page. */
  section: string;
  /** Files of the rows behind the verdict. Until all are published, the question counts as not run. */
  files: readonly string[];
  /** Commands that made the rows, then those that print the results from them. */
  commands: readonly string[];
  /** Why there is no run to open, or what is opened instead. */
  runsNote?: string;
}

/** A question's judgement by its rows, as shown on a card. */
export interface PublishedJudgement {
  standing: Status;
  /** Word that the rule gives. */
  word: string;
  /** Estimates behind the verdict, in one line. */
  verdict: string;
  /** Limits that the rows show and the rule's word does not, one sentence each; they are printed with the verdict everywhere, README included. */
  limits?: readonly string[];
  /** Further judgements by the same rule, one sentence each; they do not affect the standing. */
  beside: readonly string[];
  /** Number of units behind the verdict: that of its first estimate. */
  n: number;
  figures: readonly Estimate[];
  tables: readonly Table[];
  chart: Chart | null;
  /** Provenance of the rows, if these name it and are not runs. */
  made?: readonly string[];
  /** Remarks that the tables need. */
  remarks?: readonly string[];
  /** A reference implementation's answer to the same question: its result, its finding in words, and whether it is found here too. */
  reference?: { result: string | null; finding: string; standing: Replication };
  /** Share of the plan that is done, as text. */
  progress?: string;
}
