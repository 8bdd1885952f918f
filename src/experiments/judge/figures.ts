// Tables and charts as data, shared by reports, cards of the findings and views of environments, independent of who draws them.
import type { ArmName } from '../config/arms.ts';
import type { ControlSpec } from '../config/controls.ts';
import type { Settings } from '../config/settings.ts';
import type { Estimate } from './estimate.ts';

/** Colour and shape of a mark: those of a model of an arm's runs. */
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
  /** Rows of one part are adjacent, and fold in a long table. */
  part: string;
  /** Labels beside the row's name: `confounded`. */
  tags: readonly string[];
}

export interface Table {
  title: string;
  head: readonly string[];
  /** Explanations of the columns whose head is not enough. */
  about?: readonly string[];
  /** Cells as text, the parts of one cell on lines of their own; the first names the row. */
  rows: readonly (readonly string[])[];
  /** A mark for each row, where a chart draws the rows: they are numbered then. */
  marks?: readonly RowMark[];
}

export interface Line {
  label: string;
  /** Arm that gives the colour; any other name gets a grey of its own. */
  arm: string;
  n: number;
  /** Null where it was not measured. */
  mean: readonly (number | null)[];
  /** Ends of the band; null without one. */
  low: readonly (number | null)[] | null;
  high: readonly (number | null)[] | null;
}

/** Lines over a few named places, evenly spaced. */
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

/** A row for each estimate: every unit as a dot, the mean, its interval. */
export interface DotChart {
  kind: 'dots';
  title: string;
  x: string;
  /** Vertical lines: 0, a bound of the rule. */
  bounds: readonly { at: number; label: string }[];
  rows: readonly (Omit<Estimate, 'word' | 'each'> & { arm: string; values: readonly number[] })[];
}

/** Axis with values between 0 and 1; without ends, the marks' own range. */
export interface MarkAxis {
  label: string;
  /** The verb in “removes 40%”. */
  verb: string;
  low?: number;
  high?: number;
}

/** Rows of the question's first table, by number, each at two shares. */
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
  /** Rows that a line joins, in order. */
  line: readonly number[];
  /** The required region: at least these two values. */
  asked?: { x: number; y: number; label: string };
}

export interface MarkChart {
  kind: 'marks';
  /** Several panels share one scale where `isShared`. */
  panels: readonly MarkPanel[];
  isShared: boolean;
}

export type Chart = LineChart | DotChart | MarkChart;
