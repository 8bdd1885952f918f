// A question and its judgement, as published: its words, and what its rows show.
import type { Estimate, Status } from '../experiments/judge/estimate.ts';
import type { Chart, Table } from '../experiments/judge/figures.ts';

/** Whether the estimates replicate a reference implementation's finding. This is independent of the verdict on the hypothesis. */
export const REPLICATIONS = ['replicates', 'does not replicate', 'undecided', 'not run', 'new here'] as const;
export type Replication = (typeof REPLICATIONS)[number];

/** A question's published words. */
export interface QuestionText {
  /** Unique among all series, as in the docs: `E1`, `E1-again`. */
  id: string;
  title: string;
  hypothesis: string;
  /** Result that would have shown it wrong. */
  falsified: string;
  /** Unit that n counts. */
  unit: string;
  /** A critical reader's first question, and the answer. */
  caveat: string;
  /** Heading in the series' page of the docs. */
  section: string;
  /** Files of the rows behind the verdict. Until all are published the question counts as not run. */
  files: readonly string[];
  /** Commands that made the rows, then those that print the figures from them. */
  commands: readonly string[];
  /** Why there is no run to open, or what is opened instead. */
  runsNote?: string;
}

/** A question's judgement by its rows, as a card shows it. */
export interface PublishedJudgement {
  standing: Status;
  /** Word that the rule gives. */
  word: string;
  /** Estimates behind the verdict, in one line. */
  verdict: string;
  /** Limits that the rows show but the rule's word does not, a sentence each: printed wherever the verdict is, README included. */
  limits?: readonly string[];
  /** Further judgements by the same rule, a sentence each; they do not affect the standing. */
  beside: readonly string[];
  /** Number of units behind the verdict, that of its first estimate. */
  n: number;
  figures: readonly Estimate[];
  tables: readonly Table[];
  chart: Chart | null;
  /** Provenance of the rows, if these name it and are no runs. */
  made?: readonly string[];
  /** Remarks that the tables need. */
  remarks?: readonly string[];
  /** A reference implementation on the same question: its result, its finding in words, and whether that is found here too. */
  reference?: { result: string | null; finding: string; standing: Replication };
  /** Share of the plan that is done, in words. */
  progress?: string;
}
