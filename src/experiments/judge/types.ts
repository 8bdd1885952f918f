// The vocabulary of an environment's questions: a question as data (what is asked, what would answer it, which rows) and what its rows say.
// Verdicts come from the environment's own rules; everything that the page shows, and what is published for it, is made of these.

import type { ArmName, ControlSpec, ExperimentSpec, Settings } from '../config/spec.ts';
import type { RunRecord } from '../records/events.ts';

/** Where a question stands, in one word for all of them; its rule's own word stands beside it. */
export const STATUSES = ['holds', 'in part', 'fails', 'open', 'not run'] as const;
export type Status = (typeof STATUSES)[number];

/** What the figures say of the finding of a reference implementation: another matter than the hypothesis that was written down here. */
export const REPLICATIONS = ['replicates', 'does not replicate', 'undecided', 'not run', 'new here'] as const;
export type Replication = (typeof REPLICATIONS)[number];

/** What a verdict looks at, or what stands beside it: a mean over its units. */
export interface Estimate {
  name: string;
  /** What the rule says of this one alone; null where it is judged with others, or not at all. */
  word: string | null;
  /** Units in the mean. */
  n: number;
  /** Units that were asked, where some of them have no value: a character without the effect. */
  asked?: number;
  mean: number | null;
  /** 95 %; null where there are too few. */
  interval: { low: number; high: number } | null;
  /** One a unit, or a sampling seed where units are many, by its name. */
  each: readonly { of: string; value: number }[];
}

/** By the keys that a rule asks of them; what the rows do not hold is absent. */
export type Estimates<Key extends string = string> = { readonly [K in Key]?: Estimate };

/** Whose colour and shape: a model of an arm's runs. */
export interface Look {
  arm: ArmName;
  model: string;
  shadow?: ControlSpec;
  /** Of the arm's settings. */
  overrides?: Partial<Settings>;
}

/** A table's row as a chart draws it. */
export interface RowMark {
  look: Look;
  /** Rows of one part stand together, and fold in a long table. */
  part: string;
  /** What is said of the row beside its name: `confounded`. */
  tags: readonly string[];
}

export interface Table {
  title: string;
  head: readonly string[];
  /** What a column says, where its head does not. */
  about?: readonly string[];
  /** Cells as they are read, the parts of one on lines of their own; the first names the row. */
  rows: readonly (readonly string[])[];
  /** Of each row, where a chart has the rows as marks: they are numbered then. */
  marks?: readonly RowMark[];
}

export interface Line {
  label: string;
  /** Whose colour it has; another name is another grey. */
  arm: string;
  n: number;
  /** Null where it was not asked. */
  mean: readonly (number | null)[];
  /** Ends of the band; null without one. */
  low: readonly (number | null)[] | null;
  high: readonly (number | null)[] | null;
}

/** Lines over a few named places, evenly apart. */
export interface LineChart {
  kind: 'lines';
  title: string;
  x: string;
  y: string;
  at: readonly string[];
  /** What the bands are. */
  band: string;
  lines: readonly Line[];
}

/** A row for each thing: every unit as a dot, the mean, its interval. */
export interface DotChart {
  kind: 'dots';
  title: string;
  x: string;
  /** Upright lines: 0, a bound of the rule. */
  bounds: readonly { at: number; label: string }[];
  rows: readonly (Omit<Estimate, 'word' | 'each'> & { arm: string; values: readonly number[] })[];
}

/** Places between 0 and 1; without ends the marks' own. */
export interface MarkAxis {
  label: string;
  /** As in “removes 40%”. */
  verb: string;
  low?: number;
  high?: number;
}

/** Rows of the question's first table, by their numbers, each at two shares. */
export interface MarkPanel {
  id: string;
  title: string;
  about: string;
  x: MarkAxis;
  y: MarkAxis;
  /** `each`: its units, faint. */
  marks: readonly {
    row: number;
    n: number;
    x: number;
    y: number;
    each: readonly (readonly [x: number, y: number])[];
  }[];
  /** Rows that a line joins, in order. */
  line: readonly number[];
  /** What is asked for: at least these two. */
  asked?: { x: number; y: number; label: string };
}

export interface MarkChart {
  kind: 'marks';
  /** Several are drawn to one scale where `isShared`. */
  panels: readonly MarkPanel[];
  isShared: boolean;
}

export type Chart = LineChart | DotChart | MarkChart;

/** A published run, or one as it was published, as the lab can be asked for it. */
export interface LabRun {
  /** Of several seeds, or characters. */
  group: string;
  name: string;
  spec: ExperimentSpec;
  /** What came out; null where what is published are rows of another kind. */
  record: RunRecord | null;
}

export interface Judgement {
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
  /** Of published rows, which can be opened: the sheet asks for them, a command that reads other rows does not. */
  runs(): readonly LabRun[];
  /** What its page of the docs must say of it, word for word (dashes apart), besides `limits`: a test looks for each. */
  inDocs: readonly string[];
  /** What else must be known of the tables. */
  remarks?: readonly string[];
  /** Where a reference implementation has asked the same: its result, what its finding amounts to, and whether it is found here too. */
  reference?: { result: string | null; finding: string; standing: Replication };
  /** How much of what is planned is there. */
  progress?: string;
}

/** Published rows, by their names below public/results. */
export interface Rows {
  has(file: string): boolean;
  /** A JSON value a line. */
  lines<T>(file: string): readonly T[];
  /** As `run --json` writes them, or packed (`NAME.runs.json.gz`). */
  runs(file: string): readonly RunRecord[];
}

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
