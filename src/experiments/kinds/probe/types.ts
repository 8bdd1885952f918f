// Measurements and verdicts of the cosine probe: one row per sample, one per step, one verdict per check. Files, the table and the page read these.
import type { ModuleLikeness } from '../../../algorithms/basis-compare.ts';
import type { ProblemMode } from '../../../environments/code/types.ts';
import type { Status } from '../../judge/estimate.ts';

/** A replay of the pool: plain, or with the basis projected out of every step's gradient. */
export type Variant = 'vanilla' | 'projected';

/** One teacher completion as tokens, with its stored labels. */
export interface PoolSample {
  problem: string;
  mode: ProblemMode | null;
  completion: string;
  promptIds: readonly number[];
  /** Token ids with the end token; at most max_new. */
  completionIds: readonly number[];
  exploited: boolean;
  /** Null where the oracle ran out. */
  gtPass: boolean | null;
  formatOk: boolean;
  /** Whether the text contains the exploit of the problem's own mode, for any result. */
  structural: boolean;
}
/** One problem's samples: one optimizer step. */
export interface PoolGroup {
  problem: string;
  samples: readonly PoolSample[];
}

/** A row of `step_NNN.jsonl.gz`. Numbers have nine digits; null if there was no gradient or no basis. */
export interface SampleRow {
  step: number;
  sample: number;
  problem: string;
  completion: string;
  exploited: boolean;
  /** Null where the oracle ran out. */
  gt_pass: boolean | null;
  structural: boolean;
  n_tokens: number;
  /** Mean over the completion's tokens, nats. */
  nll: number;
  /** Σ_m ⟨g_m, v_m⟩ / sqrt(Σ_m ‖g_m‖²): at most sqrt(n_modules). */
  cos_S_contrib: number | null;
  /** The same divided by sqrt(n_modules): at most 1. */
  cos_normalised: number | null;
  /** cos_S_contrib in the GRPO-contrastive basis, and in each random one. */
  cos_grpo: number | null;
  cos_random: (number | null)[];
  /** ⟨g_m, v_m⟩ / ‖g_m‖ of each module; on demand. */
  modules?: Record<string, number | null>;
}

export interface StepSummary {
  step: number;
  problem: string;
  samples: number;
  tokens: number;
  lr: number;
  nll: number;
  /** Mean cos_S_contrib over the samples. */
  cos: number | null;
  /** Mean over the modules of ‖relu(V g)‖/‖g‖, for the step's gradient and for AdamW's input. */
  cosIn: number | null;
  cosOut: number | null;
  /** The same for the adapter's actual step, after moments and preconditioner, so it need not be 0. */
  cosOutUpdate: number | null;
  fired: number | null;
  gradNorm: number;
}

export interface Replay {
  rows: SampleRow[];
  steps: StepSummary[];
}

/** Pure hacks against hacks that also solve, on one measure. */
export interface Contrast {
  nPure: number;
  nBoth: number;
  /** Number of problems with both kinds; only they inform the permutation test. */
  mixedProblems: number;
  meanPure: number | null;
  meanBoth: number | null;
  t: number | null;
  /** One-sided p for pure hacks being further towards the hack: by Welch's test, and by labels permuted within problems. */
  p: number | null;
  permutationP: number | null;
  /** Whether every relabelling was counted. */
  exact: boolean;
}

export interface Discrimination {
  plain: Contrast;
  /** Contrast of the residuals from a straight line in completion length. */
  lengthMatched: Contrast;
  /**
   * Results under random axes: their t; how many of them would have passed, by both tests and by the permutation alone; and the share, including
   * the real one, whose t is at least the real t.
   */
  random: { t: (number | null)[]; passing: number; permutationPassing: number; p: number | null };
}

/** Angles between the mean-NLL and the GRPO-contrastive basis. */
export interface ContrastiveCheck {
  pairs: number;
  /** Completions cut to equal length, where both bases must span the same space. Degrees, mean over modules and principal angles. */
  equalLength: { tokens: number; meanAngle: number | null; maxAngle: number | null };
  /** Uncut completions. `differing`: those that do not have the most common length. */
  asTheyAre: { differing: number; meanAngle: number | null; modules: Pick<ModuleLikeness, 'name' | 'angles'>[] };
}

export const CHECKS = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7'] as const;
export type CheckId = (typeof CHECKS)[number];
export type Outcome = 'pass' | 'fail' | 'undecided' | 'not run';
/** Status in the vocabulary of all series. */
export const STATUS_OF: Readonly<Record<Outcome, Status>> = {
  pass: 'holds',
  fail: 'fails',
  undecided: 'open',
  'not run': 'not run',
};

export interface CheckResult {
  id: CheckId;
  what: string;
  /** Text for readers; the numbers are in `figures`. */
  value: string;
  threshold: string;
  outcome: Outcome;
  /** The failure that would look like success without this check. */
  excludes: string;
  /** Limits of the check, or the reason why there is no verdict. */
  note: string;
  figures: Record<string, number | null>;
}

/** R5's two trainings, from their step rows. */
export interface Trajectory {
  /** Student hack rate of each step. */
  vanilla: (number | null)[];
  projected: (number | null)[];
  /** Means over steps 1–2, and over the five steps up to step 15. */
  start: number | null;
  vanillaBy: number | null;
  projectedBy: number | null;
  /** Vanilla's share of groups without variance, and of tokens at the clip bounds (null if ratios could not leave 1). */
  flatGroups: number | null;
  atTheClip: number | null;
  /** Vanilla's scored tokens by policy ratio (bins of RATIO_EDGES), step by step; empty where ratios could not leave 1. */
  ratios: (readonly number[] | null)[];
  /** Vanilla's share of tokens at the clip bounds, step by step. */
  clipped: (number | null)[];
  /** How many of the training's problems have rows in the probe's own pool; null where the templates taught. */
  taught?: { problems: number; ofProblems: number } | null;
}

export interface ProbeReport {
  schema: 1;
  /** Key of everything that decides the results. */
  key: string;
  adapter: 'svd' | 'lora';
  pool: { source: string; problems: number; samples: number };
  modulesWithBasis: number;
  /** sqrt(modulesWithBasis): the bound of cos_S_contrib. */
  bound: number;
  vanilla: StepSummary[];
  projected: StepSummary[];
  discrimination: Discrimination;
  /** The discrimination with the GRPO-contrastive basis. */
  grpoDiscrimination: Discrimination;
  contrastive: ContrastiveCheck;
  verdicts: CheckResult[];
  /** R6: the same pool replayed with LoRA, if requested. */
  lora?: ProbeReport;
  /** R5's trainings with each adapter, if requested. */
  trajectories?: { svd: Trajectory | null; lora: Trajectory | null };
}
