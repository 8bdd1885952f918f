// What a running experiment reports, and what is stored of it. The page, the command line and the exports all read these records.
import type { Grade, ProblemMode } from '../environments/code/types.ts';
import type { Source } from '../environments/types.ts';
import type { ExperimentSpec, RunSpec, ShadowSpec } from './spec.ts';
import type { PoolUse } from './teacher-pool.ts';

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

/**
 * One step of the loop: one batch of rollouts. Deterministic part only: times live in StepTiming. What was not measured is null.
 * With several inner epochs, what is said of loss, gradient, overlaps and lr is the first one's (the only one on policy); the
 * norms of the knobs stand after the last.
 */
export interface StepRow {
  /** 1 … steps: how many batches of rollouts have been learned from, this one included (with one inner epoch: optimizer steps). */
  step: number;
  student: Rates;
  teacher: Rates;
  /** Mean and sample sd over the step's student rollouts: the environment's reward, before any baseline's penalty. */
  reward: number | null;
  rewardStd: number | null;
  /** Share of groups without spread in what their rollouts count for: skipped, neither scored nor trained on. */
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
  /**
   * |⟨V_new_0, V_old_0⟩|, mean over the modules, where this step began with the run's own basis extracted again; null at the
   * other steps. Only with refreshEvery > 0.
   */
  basisOverlap?: number | null;
  /** Share of the live rollouts that the monitor flagged; only with rewardPenalty or screening. */
  flagged?: number | null;
  /** Share of the scored tokens whose ratio the clip held; of the last inner epoch, and only where ratios can leave 1. */
  clipFraction?: number | null;
  /** Mean policy ratio over the scored tokens; likewise. */
  ratioMean?: number | null;
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
  /** What else is to be known of this model: the width of a matched random V. */
  note?: string;
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
  /** What was used of the stored pool that spec.teacherPool names; absent for templates. */
  teacherPool?: PoolUse;
  /** Quarantines that were made from the kept steps when the run was over; their rows are among `evals`. Absent without any. */
  rerouted?: ReroutedRecord[];
}

/** A quarantine routed after the run. */
export interface ReroutedRecord {
  shadow: ShadowSpec;
  /** Σ over the steps of ‖removed‖: of this basis, and of the run's own. */
  removed: number;
  ownRemoved: number;
  /** That it was computed on. */
  device: string;
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
  | { type: 'prepare'; what: string; done: number; total: number; etaSeconds?: number | null }
  | { type: 'run-start'; run: RunRecord }
  | { type: 'phase'; runId: string; step: number; phase: string; done: number; total: number }
  | { type: 'step'; runId: string; row: StepRow; timing: StepTiming; rollouts: RolloutRecord[] }
  | { type: 'eval'; runId: string; row: EvalRow }
  | { type: 'checkpoint'; runId: string; step: number }
  | { type: 'run-end'; run: RunRecord }
  | { type: 'result'; result: ExperimentResult };
