// The study's vocabulary: a question of METHOD as data (hypothesis, cells, the reference's result, the rule of its verdict).
// Everything else here — the plan of runs, the tables, the report, the page — is made from these records.
import type { Mode } from '../../../src/environments/code/types.ts';
import type { Cell } from '../../../src/experiments/analysis/compare.ts';
import type { ArmSet, ArmStatistics } from '../../../src/experiments/analysis/statistics.ts';
import type { ArmName, ControlSpec, PresetName, Settings } from '../../../src/experiments/config/spec.ts';
import type { Estimate, Status } from '../../../src/experiments/judge/estimate.ts';
import type { MarkChart } from '../../../src/experiments/judge/figures.ts';
import type { Condition, Judgeable, Truth } from '../../../src/experiments/judge/rule.ts';
import type { Replication, Words } from '../../../src/findings/question.ts';
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
] as const;
export type QuestionId = (typeof QUESTION_IDS)[number];

/** One line of a question's table: one model of one kind of run, over its seeds. */
export interface StudyCell {
  id: string;
  label: string;
  preset: PresetName;
  arm: ArmName;
  /** Against the preset. */
  overrides: Partial<Settings>;
  /** `total`, `deployed`, `steered_base`, `base`, or the id of `control`. */
  model: string;
  /** A quarantine of a route/update run: one that it carried, or routed again from its kept steps. */
  shadow?: ControlSpec;
  /** The quarantine does not make its runs carry it: asked for after they were planned, so that their records stay as they are. */
  isReplayed?: boolean;
  /** Of the question's addition: its lines are a Holm family of their own, so that what was tested before keeps its p. */
  isAdded?: boolean;
  seeds: readonly number[];
  /** The cell that it is compared with, seed by seed; null: others are compared with it. */
  against: string | null;
  /** Of a question of many parts, each a panel of its chart and a part of its table. */
  part?: string;
  /** Hack and solve of one loophole mode alone. */
  mode?: Mode;
  /** What a reader must know of this line, e.g. "uses oracle". */
  note?: string;
  /** The reference implementation's figure for the same thing, as METHOD prints it. */
  reference?: string;
}

/** What becomes of a question's hypothesis, in one sentence (answer.ts). */
export interface Conclusion {
  outcome: Status;
  sentence: string;
}

export interface StudyVerdict {
  /** Null where nothing, or too little, is run. */
  answer: Conclusion | null;
  /** The figures behind it. Written from the numbers by the question's rule. */
  sentences: string[];
  /** What the figures say of the reference's finding. */
  standing: Replication;
  /** The comparisons that the sentences tell. */
  figures: Estimate[];
  /** Seeds that the standing rests on: the least of the lines that it needs. Absent where nothing is run. */
  n?: number;
}

/** A paired comparison, and what of what it is: `erase − vanilla`. */
export type NamedComparison = MetricComparison & { of?: string };

/** What a question computes itself, by the keys that its rule and sentences ask of. */
export type Made = Readonly<Record<string, (figures: CellResults) => MetricComparison | Judgeable | null>>;

/** Words that hold figures, or differ with them, are made of the figures and of whether the clause is true. */
export type Told = string | ((figures: CellResults, is: Truth) => string);

/** A clause of a hypothesis, of one thing or several (answer.ts). */
export interface Clause {
  /** `where`: it is asked of this one at all. */
  items: readonly { name: Told; is: Condition; where?: Condition }[];
  yes: Told;
  no: Told;
}

/** A sentence, and the comparison that it tells. */
export interface Sentence {
  text: string;
  figure: Estimate;
}

/** A comparison by its key and the subject of its sentence; words, where a condition is met; or sentences of the question's own. */
type Saying =
  | readonly [of: string | Condition, words: string]
  | ((figures: CellResults) => readonly (Sentence | string | null)[]);

/** What is asked of a table: a question's words, and the rule of its verdict as data (answer.ts). */
export interface AskedOfTable extends Pick<Words, 'title' | 'hypothesis' | 'falsified'> {
  /** The reference implementation's result in its own figures; null where it has none. */
  reference: string | null;
  /** What can not be answered here and why, and other standing remarks. The first is the caveat. */
  notes: readonly string[];
  made?: Made;
  clauses: readonly Clause[];
  /** Absent: that any clause is false. */
  falsifier?: Condition;
  /** Without it nothing is answered. */
  given?: Condition;
  /** Whether the reference's finding holds here. */
  replicates?: Condition;
  /** The figures behind the verdict, in order. */
  says: readonly Saying[];
  /** The cells without which nothing can be said. */
  needs: readonly string[];
  /** The comparison whose n the verdict has, where it is not the least number of seeds of those. */
  countedBy?: string;
}

export interface StudyQuestion extends AskedOfTable {
  id: QuestionId;
  /** What the reference's finding amounts to, for the summary. */
  finding: string;
  cells: readonly StudyCell[];
  /** What n counts, where it is not training seeds. */
  unit?: string;
  /** In the place of hack against solve. */
  chart?(figures: CellResults): MarkChart;
  /** Asked of its table when its other lines were known. Hypothesis and falsifier were written down, and kept in the history, before any
   *  of the lines that it added (`isAdded`) was run; the question's own verdict does not rest on them. */
  addition?: AskedOfTable;
}

/** Everything measured of one cell. */
export interface CellResult {
  cell: StudyCell;
  /** Its finished runs, one a seed, each with the cell's model among its final evaluations. */
  set: ArmSet;
  statistics: ArmStatistics;
  /** Hack and solve that the cell is judged by: of all problems, or of its mode alone. */
  hack: Cell | null;
  solve: Cell | null;
  /** The structural detector's share: the exploit's code is there, whether it passed or not. */
  structural: Cell | null;
  /** Mean hack of each loophole mode over the same seeds. */
  byMode: Partial<Record<Mode, number>>;
  /** Against `cell.against`, adjusted after Holm within the question; null where there is nothing to compare with. */
  comparison: ArmComparison | null;
}

/** A question's figures by cell id, as its verdict rule reads them. */
export type CellResults = ReadonlyMap<string, CellResult>;
