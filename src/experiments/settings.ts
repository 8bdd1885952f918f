// What the arms of one experiment share, by name and type. Bounds and words of each setting stand in fields.ts, defaults in
// presets.ts; a new setting needs a line in each.
import type { Gate } from '../algorithms/projection.ts';
import type { Mode } from '../environments/code/types.ts';

/** Where the basis comes from: the pairs, a control made from them (or of nothing), or an imported file. */
export type BasisSource = 'pairs' | 'random' | 'random_matched' | 'permuted' | 'flipped' | 'file';
/** Named as in TRL; the denominator of the loss. */
export type LossType = 'dr_grpo' | 'grpo' | 'bnpo' | 'dapo';

/** What the arms of one experiment share, and a person may change. */
export interface Settings {
  steps: number;
  groupSize: number;
  promptsPerStep: number;
  maxNew: number;
  temperature: number;
  lossType: LossType;
  scaleRewards: 'none' | 'group' | 'batch';
  importanceSampling: 'token' | 'sequence';
  innerEpochs: number;
  mix: number;
  /** A stored pool, by the sha-256 of its lines; empty: the environment's templates. */
  teacherPool: string;
  /** Loophole modes that have teacher rows; empty: all of the run's. */
  poolModes: readonly Mode[];
  teacherRatio: 'recomputed' | 'stored';
  adapter: 'svd' | 'lora';
  loraRank: number;
  clipEps: number;
  /** 0: as clipEps. */
  clipEpsHigh: number;
  klBeta: number;
  lr: number;
  warmupFrac: number;
  normClip: number;
  beta1: number;
  beta2: number;
  adamEps: number;
  weightDecay: number;
  k: number;
  pairs: number;
  dropBottomFrac: number;
  tauAxis: number;
  nHeldout: number;
  /** A built-in pair set, or the id of a user's own. */
  pairSet: string;
  /** Modes whose pairs make the basis; empty: all of the run's. */
  pairModes: readonly Mode[];
  basisLoss: 'nll' | 'grpo';
  basisKind: 'svd' | 'mean_diff';
  solveOrth: number;
  basisSource: BasisSource;
  /** Id of an imported basis in the lab's storage; only with basisSource = file. */
  basisFile: string;
  gate: Gate;
  overshoot: number;
  preserveMagnitude: boolean;
  refreshEvery: number;
  rewardPenalty: number;
  monitorAccuracy: number;
  screening: boolean;
  inoculation: boolean;
  advantageMod: 'none' | 'subtract' | 'scale';
  advantageAlpha: number;
  modes: readonly Mode[];
  honestShare: number;
  trainOn: 'all' | 'honest';
  problems: number;
  dataSeed: number;
  evalEvery: number;
  evalProblems: number;
  finalEvalProblems: number;
  checkpointEvery: number;
  model: string;
  environment: string;
}
export type SettingName = keyof Settings;
