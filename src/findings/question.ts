// What a question says and how it is judged, as it is published: its words, and what its rows say of it.
import type { Estimate, Status } from '../experiments/judge/estimate.ts';
import type { Chart, Table } from '../experiments/judge/figures.ts';

/** What the figures say of the finding of a reference implementation: another matter than the hypothesis that was written down here. */
export const REPLICATIONS = ['replicates', 'does not replicate', 'undecided', 'not run', 'new here'] as const;
export type Replication = (typeof REPLICATIONS)[number];

/** What a question says, as it is published. */
export interface Words {
  /** Unique among all series, as in the docs: `E1`, `E1-again`. */
  id: string;
  title: string;
  hypothesis: string;
  /** What would have shown it wrong. */
  falsified: string;
  /** What n counts. */
  unit: string;
  /** What a reader who means to find fault asks first, and what is to be said to it. */
  caveat: string;
  /** Heading in the series' page of the docs. */
  section: string;
  /** Rows that the verdict is made of. Until all of them are published it counts as not run. */
  files: readonly string[];
  /** What made the rows, then what prints the figures from them. */
  commands: readonly string[];
  /** Why there is no run to open, or what else is opened. */
  runsNote?: string;
}

/** What the rows say of a question, as a card shows it. */
export interface Judged {
  standing: Status;
  /** The rule's own word. */
  word: string;
  /** The figures behind it, in one line. */
  verdict: string;
  /** What the rows show that the rule's word does not, a sentence each: told wherever the verdict is, README included. */
  limits?: readonly string[];
  /** What is judged by the same rule beside it, a sentence each; no part of the standing. */
  beside: readonly string[];
  /** The units that the verdict rests on: those of its first figure. */
  n: number;
  figures: readonly Estimate[];
  tables: readonly Table[];
  chart: Chart | null;
  /** What made the rows, where they say so and are no runs. */
  made?: readonly string[];
  /** What else must be known of the tables. */
  remarks?: readonly string[];
  /** Where a reference implementation has asked the same: its result, what its finding amounts to, and whether it is found here too. */
  reference?: { result: string | null; finding: string; standing: Replication };
  /** How much of what is planned is there. */
  progress?: string;
}
