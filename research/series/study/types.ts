// The study's types: a question of METHOD as data (hypothesis, cells, the reference's result, the rule of its verdict). The plan of runs,
// the tables, the report and the page are computed from these records.
import type { Mode } from '../../../src/environments/code/types.ts';
import type { Cell } from '../../../src/experiments/analysis/compare.ts';
import type { ArmSet, ArmStatistics } from '../../../src/experiments/analysis/statistics.ts';
import type { ArmName } from '../../../src/experiments/config/arms.ts';
import type { ControlSpec } from '../../../src/experiments/config/controls.ts';
import type { PresetName } from '../../../src/experiments/config/run-spec.ts';
import type { Settings } from '../../../src/experiments/config/settings.ts';
import type { Estimate, Status } from '../../../src/experiments/judge/estimate.ts';
import type { MarkChart } from '../../../src/experiments/judge/figures.ts';
import type { Condition, Judgeable, Truth } from '../../../src/experiments/judge/rule.ts';
import type { QuestionText, Replication } from '../../../src/findings/question.ts';
import type { ArmComparison, MetricComparison } from './paired.ts';

export const QUESTION_IDS = [
  'Q1',
  'Q2',
  'Q3',
  'Q4',
  'Q5',
  'Q6',
  'Q8',
  'Q9',
  'Q10',
  'Q11',
  'Q12',
  'Q13',
  'Q14',
  'Q15',
  'Q16',
  'Q17',
  'Q18',
  'Q19',
  'Q20',
  'Q21',
] as const;
export type QuestionId = (typeof QUESTION_IDS)[number];

/** One line of a question's table: one model of one kind of run, over its seeds. */
export interface StudyCell {
  id: string;
  label: string;
  preset: PresetName;
  arm: ArmName;
  /** Options that differ from the preset. */
  overrides: Partial<Settings>;
  /** `total`, `deployed`, `steered_base`, `base`, or the id of `control`. */
  model: string;
  /** A quarantine of a route/update run: included in it, or replayed from its stored steps. */
  shadow?: ControlSpec;
  /** Whether its runs do not include the quarantine: it was added after they were planned, and their records must not change. */
  isReplayed?: boolean;
  /** Whether it belongs to the question's addition, whose cells are a separate Holm family, so that earlier tests keep their p. */
  isAdded?: boolean;
  seeds: readonly number[];
  /** The cell that it is compared with, seed by seed; null for a reference. */
  against: string | null;
  /** Part of the question: a panel of its chart and a section of its table. */
  part?: string;
  /** Restricts hack and solve to one loophole mode. */
  mode?: Mode;
  /** Remark on this cell, e.g. "uses oracle". */
  note?: string;
  /** The reference implementation's figure for the same quantity, as in METHOD. */
  reference?: string;
}

/** The outcome of a question's hypothesis, in one sentence (answer.ts). */
export interface Conclusion {
  outcome: Status;
  sentence: string;
}

export interface StudyVerdict {
  /** Null without runs, or with too few. */
  answer: Conclusion | null;
  /** The supporting figures, written from the numbers by the question's rule. */
  sentences: string[];
  /** Whether the reference's finding replicates. */
  standing: Replication;
  /** Comparisons that the sentences report. */
  figures: Estimate[];
  /** Seeds behind the replication verdict: the least of the cells that it needs. Absent without runs. */
  n?: number;
}

/** A paired comparison; `of` names it: `erase − vanilla`. */
export type NamedComparison = MetricComparison & { of?: string };

/** Comparisons that a question computes itself, by the keys that its rule and sentences use. */
export type MadeComparisons = Readonly<Record<string, (figures: CellResults) => MetricComparison | Judgeable | null>>;

/** Text that contains or depends on figures is computed from the figures and the clause's truth. */
export type ClauseText = string | ((figures: CellResults, is: Truth) => string);

/** A clause of a hypothesis about one or several items (answer.ts). */
export interface Clause {
  /** An item whose `where` is false is skipped. */
  items: readonly { name: ClauseText; is: Condition; where?: Condition }[];
  yes: ClauseText;
  no: ClauseText;
}

/** A sentence, and the comparison that it reports. */
export interface Sentence {
  text: string;
  figure: Estimate;
}

/** A comparison's key with the subject of its sentence; conditional text; or sentences of the question's own. */
type ReportItem =
  | readonly [of: string | Condition, words: string]
  | ((figures: CellResults) => readonly (Sentence | string | null)[]);

/** A question about a table: its text, and the rule of its verdict as data (answer.ts). */
export interface TableQuestion extends Pick<QuestionText, 'title' | 'hypothesis' | 'falsified'> {
  /** The reference implementation's result in its own figures; null if it has none. */
  reference: string | null;
  /** Remarks, such as what cannot be answered here and why. The first is the caveat. */
  notes: readonly string[];
  made?: MadeComparisons;
  clauses: readonly Clause[];
  /** Default: any false clause falsifies. */
  falsifier?: Condition;
  /** Precondition: without it there is no answer. */
  given?: Condition;
  /** Whether the reference's finding holds here. */
  replicates?: Condition;
  /** Figures that support the verdict, in order. */
  says: readonly ReportItem[];
  /** Cells that every answer requires. */
  needs: readonly string[];
  /** The comparison that gives the verdict's n, instead of the least number of seeds in `needs`. */
  countedBy?: string;
}

export interface StudyQuestion extends TableQuestion {
  id: QuestionId;
  /** The reference's finding in short, for the summary. */
  finding: string;
  cells: readonly StudyCell[];
  /** Unit of n, if it is not training seeds. */
  unit?: string;
  /** Replaces the chart of hack against solve. */
  chart?(figures: CellResults): MarkChart;
  /**
   * A later question about the table, asked when its other cells were known. Hypothesis and falsifier were written down, and kept in the
   * history, before any of the added cells (`isAdded`) was run; the question's own verdict does not depend on them.
   */
  addition?: TableQuestion;
}

/** Measurements of one cell. */
export interface CellResult {
  cell: StudyCell;
  /** Finished runs, one per seed, each with the cell's model among its final evaluations. */
  set: ArmSet;
  statistics: ArmStatistics;
  /** Hack and solve that judge the cell: over all problems, or over its mode alone. */
  hack: Cell | null;
  solve: Cell | null;
  /** The structural detector's rate: the exploit's code is present, whether it passed or not. */
  structural: Cell | null;
  /** Mean hack in each loophole mode over the same seeds. */
  byMode: Partial<Record<Mode, number>>;
  /** Compared with `cell.against`, adjusted by Holm within the question; null without a reference. */
  comparison: ArmComparison | null;
}

/** A question's figures by cell id, as its verdict rule reads them. */
export type CellResults = ReadonlyMap<string, CellResult>;
