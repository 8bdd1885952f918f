// Events of a running experiment, and its stored results. The page, the command line and the exports all read these records; their fields
// are declared once, in rows-schema.ts and run-schema.ts.
import type * as z from 'zod/mini';
import type { ExperimentSpec } from '../config/spec.ts';
import type * as rows from './rows-schema.ts';
import type * as runs from './run-schema.ts';

export type StepRow = z.infer<typeof rows.stepRow>;
export type StepTiming = z.infer<typeof rows.stepTiming>;
export type ModelCost = z.infer<typeof rows.modelCost>;
export type RolloutRecord = z.infer<typeof rows.rollout>;
export type RolloutLabel = z.infer<typeof rows.rolloutLabel>;
export type EvalRow = z.infer<typeof rows.evalRow>;
export type Cell = z.infer<typeof rows.cell>;
export type TableRow = z.infer<typeof rows.tableRow>;
export type RunStatus = z.infer<typeof runs.runStatus>;
export type RunRecord = z.infer<typeof runs.run>;
export type BegunFrom = z.infer<typeof runs.begunFrom>;

export interface ExperimentResult {
  spec: ExperimentSpec;
  runs: RunRecord[];
  table: TableRow[];
  /** Sentences, each with its rule. */
  verdicts: string[];
}

export type LabEvent =
  | { type: 'prepare'; what: string; done: number; total: number; etaSeconds?: number | null }
  | { type: 'run-start'; run: RunRecord }
  | { type: 'phase'; runId: string; step: number; phase: string; done: number; total: number }
  | { type: 'step'; runId: string; row: StepRow; timing: StepTiming; rollouts: RolloutRecord[] }
  | { type: 'eval'; runId: string; row: EvalRow }
  | { type: 'checkpoint'; runId: string; step: number }
  | { type: 'run-end'; run: RunRecord }
  | { type: 'result'; result: ExperimentResult };
