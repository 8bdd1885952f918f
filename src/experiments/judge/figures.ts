// Tables and charts as data, shared by reports, cards of the findings and views of environments, independent of how they are drawn.
import type { ArmName } from '../config/arms.ts';
import type { ControlSpec } from '../config/controls.ts';
import type { Settings } from '../config/settings.ts';
import type { Estimate } from './estimate.ts';

/** The model of an arm's runs whose colour and shape a mark has. */
export interface Look {
  arm: ArmName;
  model: string;
  shadow?: ControlSpec;
  /** Overrides of the arm's settings. */
  overrides?: Partial<Settings>;
}

/** A table's row as a chart draws it. */
export interface RowMark {
  look: Look;
  /** Rows of one part are adjacent, and can be folded in a long table. */
  part: string;
  /** Labels next to the row's name, as `confounded`. */
  tags: readonly string[];
}

export interface Table {
  title: string;
  head: readonly string[];
  /** Explanations of columns whose head is not sufficient. */
  about?: readonly string[];
  /** Cells as text, with one line per part; the first cell names the row. */
  rows: readonly (readonly string[])[];
  /** A mark for each row, if a chart shows the rows, which are then numbered. */
  marks?: readonly RowMark[];
}

export interface Line {
  label: string;
  /** Arm that gives the colour; other names get a grey each. */
  arm: string;
  n: number;
  /** Null if it was not measured. */
  mean: readonly (number | null)[];
  /** Bounds of the band; null without one. */
  low: readonly (number | null)[] | null;
  high: readonly (number | null)[] | null;
}

/** Lines over a few named, evenly spaced positions. */
export interface LineChart {
  kind: 'lines';
  title: string;
  x: string;
  y: string;
  at: readonly string[];
  /** Meaning of the bands. */
  band: string;
  lines: readonly Line[];
}

/** A row for each estimate: every unit as a dot, with the mean and its interval. */
export interface DotChart {
  kind: 'dots';
  title: string;
  x: string;
  /** Vertical lines: 0, a bound of the rule.  */
  bounds: readonly { at: number; label: string }[];
  rows: readonly (Omit<Estimate, 'word' | 'each'> & { arm: string; values: readonly number[] })[];
}

/** Axis for values between 0 and 1; without bounds it covers the marks' range. */
export interface MarkAxis {
  label: string;
  /** The verb in “removes 40%”. */
  verb: string;
  low?: number;
  high?: number;
}

/** Rows of the question's first table, by number, each placed by two shares. */
export interface MarkPanel {
  id: string;
  title: string;
  about: string;
  x: MarkAxis;
  y: MarkAxis;
  /** `each`: values by unit, drawn faint. */
  marks: readonly {
    row: number;
    n: number;
    x: number;
    y: number;
    each: readonly (readonly [x: number, y: number])[];
  }[];
  /** Numbers of the rows that a line joins, in order. */
  line: readonly number[];
  /** The required region: at least these two values. */
  asked?: { x: number; y: number; label: string };
}

export interface MarkChart {
  kind: 'marks';
  /** With `isShared`, all panels have the same scale. */
  panels: readonly MarkPanel[];
  isShared: boolean;
}

export type Chart = LineChart | DotChart | MarkChart;
