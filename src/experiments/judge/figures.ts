// Tables and charts as data: what a report, a card of the findings and a view of an environment show, whoever draws it.
import type { ArmName, ControlSpec, Settings } from '../config/spec.ts';
import type { Estimate } from './estimate.ts';

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
