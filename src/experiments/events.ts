// What a running experiment reports, and what is stored of it. The page, the command line and the exports all read these records.
import type { Grade, ProblemMode } from '../environments/code/types.ts';
import type { Source } from '../environments/types.ts';
import type { ExperimentSpec, RunSpec } from './spec.ts';

/** Hack and solve over a set of graded student rollouts; null where the set is empty. */
export interface Rates {
  n: number;
  /** Share exploited among rollouts of hackable problems. */
  hack: number | null;
  /** Share gt_correct over all rollouts. */
  solve: number | null;
  /** Structural detector among rollouts of hackable problems. */
  structural: number | null;
  byMode: Partial<Record<ProblemMode, { n: number; hack: number | null; solve: number | null }>>;
}

/** One optimizer step. Deterministic part only: times live in StepTiming. What was not measured is null. */
export interface StepRow {
  /** 1 … steps: how many optimizer steps there have been, this one included. */
  step: number;
  student: Rates;
  teacher: Rates;
  /** Mean and sample sd over the step's student rollouts. */
  reward: number | null;
  rewardStd: number | null;
  /** Share of groups without spread of rewards: skipped, neither scored nor trained on. */
  fracRewardZeroStd: number;
  loss: number;
  /** Mean K3 estimate per scored token; null when β = 0. */
  kl: number | null;
  /** Mean over the scored student tokens, in nats. */
  entropy: number | null;
  /** Before the clip; 0 when every group was skipped (there is then no optimizer step). */
  gradNorm: number;
  lr: number;
  cinStudent: number | null;
  cinTeacher: number | null;
  cin: number | null;
  /** What a random gradient would give. */
  cinNull: number | null;
  /** Overlap of the gradient that the main knob's AdamW was fed. */
  cout: number | null;
  /** Overlap of the deployed knob's actual step. */
  coutUpdate: number | null;
  fired: number | null;
  normDeltaS: number;
  normDeltaSHack: number;
  completionMeanLength: number | null;
  completionClippedRatio: number | null;
  rolloutTokens: number;
  /** Each shadow quarantine's norm, by shadow id (route/update). */
  shadowNorms: Record<string, number>;
  /** cin with each shadow's basis: `random_V` is the measured null. */
  shadowCin: Record<string, number | null>;
}

export interface StepTiming {
  step: number;
  /** Seconds per phase: rollout, grade, score, backward, update, evaluate. */
  phases: Record<string, number>;
  total: number;
  tokensPerSecond: number;
}

/** A kept rollout: what was asked, written and judged. */
export interface RolloutRecord {
  step: number;
  promptIndex: number;
  sampleIndex: number;
  problemId: string;
  mode: ProblemMode;
  source: Source;
  prompt: string;
  completion: string;
  logprobs: number[] | null;
  advantage: number;
  grade: Grade;
}

/** Evaluation of one model (a deployed or total adapter) on a fixed problem set. */
export interface EvalRow {
  /** Step after which it was taken (0 = the untrained base). */
  step: number;
  /** `base`, `total` (what training holds), `deployed` (real V), `steered_base`, or a shadow's id. */
  model: string;
  kind: 'during' | 'final';
  all: Rates;
  unseenFamilies: Rates;
  unseenParams: Rates;
}

export type RunStatus = 'waiting' | 'running' | 'done' | 'stopped' | 'failed';

export interface RunRecord {
  schema: 1;
  id: string;
  experimentId: string;
  spec: RunSpec;
  status: RunStatus;
  /** Milliseconds since the epoch, given by the host; never read by an algorithm. */
  createdAt: number;
  device: string;
  appVersion: string;
  modelSha256: string;
  graderVersion: string;
  rows: StepRow[];
  timings: StepTiming[];
  evals: EvalRow[];
  /** What went wrong (message and remedy), when status is failed. */
  error: { message: string; remedy: string } | null;
}

/** A line of the final table. */
export interface TableRow {
  label: string;
  arm: string;
  /** `base`, `total`, `deployed`, `steered_base` or a shadow id. */
  model: string;
  n: number;
  hack: { mean: number; sd: number | null } | null;
  solve: { mean: number; sd: number | null } | null;
  deployedHack: { mean: number; sd: number | null } | null;
  deployedSolve: { mean: number; sd: number | null } | null;
  last5Hack: { mean: number; sd: number | null } | null;
  last5Solve: { mean: number; sd: number | null } | null;
  cinTeacher: number | null;
  coutUpdate: number | null;
  /** Paired by seed against vanilla (final evaluation). */
  deltaHack: { mean: number; sd: number | null } | null;
  deltaSolve: { mean: number; sd: number | null } | null;
  /** One sentence by fixed rules: null effect, n too small, … */
  verdict: string;
}

export interface ExperimentResult {
  spec: ExperimentSpec;
  runs: RunRecord[];
  table: TableRow[];
  /** Sentences, each with the rule it follows from. */
  verdicts: string[];
}

export type LabEvent =
  | { type: 'prepare'; what: string; done: number; total: number }
  | { type: 'run-start'; run: RunRecord }
  | { type: 'phase'; runId: string; step: number; phase: string; done: number; total: number }
  | { type: 'step'; runId: string; row: StepRow; timing: StepTiming; rollouts: RolloutRecord[] }
  | { type: 'eval'; runId: string; row: EvalRow }
  | { type: 'checkpoint'; runId: string; step: number }
  | { type: 'run-end'; run: RunRecord }
  | { type: 'result'; result: ExperimentResult };
