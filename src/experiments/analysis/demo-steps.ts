// The steps of a published demo, from which the page draws its picture of the method. They are stored in columns beside the demo's chart
// data, because the first paint does not need them; each step reads like a step of any run.
import type { ExperimentResult, RunRecord, StepRow } from '../records/events.ts';

/** Measures of a step that are drawn, besides its rollouts' metrics. */
const MEASURES = [
  'reward',
  'rewardStd',
  'fracRewardZeroStd',
  'loss',
  'lr',
  'gradNorm',
  'rolloutTokens',
  'cin',
  'cinNull',
  'cout',
  'coutUpdate',
  'fired',
  'normDeltaS',
  'normDeltaSHack',
] as const satisfies readonly (keyof StepRow)[];
type StepMeasure = (typeof MEASURES)[number];

/** The fields of a step that the picture of the method draws. */
export type MethodRow = Pick<StepRow, 'step' | StepMeasure | 'student' | 'documents' | 'episodes'> & {
  teacher: Pick<StepRow['teacher'], 'n'>;
};

type Column = (number | null)[];

export interface DemoSteps {
  schema: 1;
  runs: {
    arm: string;
    seed: number;
    /** Number of the student's and of the teacher's rollouts by step. */
    n: number[];
    teacherN: number[];
    measures: Record<string, Column>;
    figures: Record<string, Column>;
    documents?: { n: number; tokens: number }[];
    /** Mean number of turns per episode. */
    turns?: Column;
  }[];
}

/** Four significant digits, which is enough for drawing. */
const fourDigits = (x: number | null | undefined): number | null => (x == null ? null : Number(x.toPrecision(4)));
/** Metrics of single kinds of task are left out: they are many, and not drawn. */
const isOfKind = (id: string) => id.includes(':');

export const demoStepsOf = ({ runs }: ExperimentResult): DemoSteps => ({ schema: 1, runs: runs.map(columnsOf) });

function columnsOf({ spec, rows }: RunRecord): DemoSteps['runs'][number] {
  const ids = Object.keys(rows[0].student.figures).filter((id) => !isOfKind(id));
  return {
    arm: spec.arm,
    seed: spec.seed,
    n: rows.map(({ student }) => student.n),
    teacherN: rows.map(({ teacher }) => teacher.n),
    measures: Object.fromEntries(MEASURES.map((id) => [id, rows.map((row) => fourDigits(row[id]))])),
    figures: Object.fromEntries(ids.map((id) => [id, rows.map(({ student }) => fourDigits(student.figures[id]))])),
    ...(rows[0].documents ? { documents: rows.map(({ documents }) => documents ?? { n: 0, tokens: 0 }) } : {}),
    ...(rows[0].episodes ? { turns: rows.map(({ episodes }) => fourDigits(episodes?.turns)) } : {}),
  };
}

/** The steps of one run, in order; empty where the file has no such run. */
export function stepsOf({ runs }: DemoSteps, arm: string, seed: number): MethodRow[] {
  const run = runs.find((one) => one.arm === arm && one.seed === seed);
  if (!run) return [];
  const at = (columns: Record<string, Column>, i: number) =>
    Object.fromEntries(Object.entries(columns).map(([id, column]) => [id, column[i] ?? null]));
  return run.n.map((n, i) => ({
    ...(at(run.measures, i) as Record<StepMeasure, number>),
    step: i + 1,
    student: { n, figures: at(run.figures, i) },
    teacher: { n: run.teacherN[i] },
    ...(run.documents ? { documents: run.documents[i] } : {}),
    ...(run.turns ? { episodes: { turns: run.turns[i], ended: {} } } : {}),
  }));
}

/** Null if it is not a file of steps. */
export function readDemoSteps(json: unknown): DemoSteps | null {
  const file = json as DemoSteps;
  return file?.schema === 1 && Array.isArray(file.runs) && Array.isArray(file.runs[0]?.n) ? file : null;
}

/** Path of the steps below `public/`. */
export const demoStepsPath = (environment: string): string => `results/demo/${environment}.steps.json`;

/** Path, below `public/`, of the optimizer steps of one of the demo's runs (src/lab/records/archive-steps.ts has the format). */
export const keptStepsPath = (environment: string, { arm, seed }: { arm: string; seed: number }): string =>
  `results/demo/${environment}.${arm}-${seed}.safetensors`;
