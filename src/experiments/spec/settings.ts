// What the arms of one experiment share, by name and type. Everything else that is to be said of a setting (bounds, words, usual
// value, contradictions) stands in its facet (facets.ts); a world's own settings come from its folder.
import type { ObjectiveId } from '../../algorithms/objectives/types.ts';
import type { Gate } from '../../algorithms/projection.ts';
import type { Mode } from '../../environments/code/types.ts';
import type { ExitSettings } from '../../environments/exit/types.ts';
import type { AgentSettings } from '../worlds/agents/settings.ts';
import type { ArithmeticSettings } from '../worlds/arithmetic/settings.ts';
import type { CharacterSettings } from '../worlds/characters/settings.ts';
import type { CodeSettings } from '../worlds/code/settings.ts';
import type { ExplainSettings } from '../worlds/explain/settings.ts';

/** Where the basis comes from: the pairs, a control made from them (or of nothing), or an imported file. */
export type BasisSource = 'pairs' | 'random' | 'random_matched' | 'permuted' | 'flipped' | 'file';
/** Named as in TRL; the denominator of the loss. */
export type LossType = 'dr_grpo' | 'grpo' | 'bnpo' | 'dapo';

/** What the arms of one experiment share, and a person may change. */
export interface Settings
  extends CodeSettings,
    ArithmeticSettings,
    ExitSettings,
    CharacterSettings,
    ExplainSettings,
    AgentSettings {
  steps: number;
  groupSize: number;
  promptsPerStep: number;
  /** Tokens of a turn. */
  maxNew: number;
  maxTurns: number;
  /** Tokens of an episode, observations counted in; 0: maxNew × maxTurns. */
  maxTokens: number;
  temperature: number;
  lossType: LossType;
  scaleRewards: 'none' | 'group' | 'batch';
  importanceSampling: 'token' | 'sequence';
  innerEpochs: number;
  /** Of a run without stages. */
  objective: ObjectiveId;
  /** `nll 20 0.01; grpo 40` (stages.ts); empty: one stage. */
  stages: string;
  mix: number;
  /** A stored pool, by the sha-256 of its lines; empty: the environment's templates. */
  teacherPool: string;
  /** Loophole modes that have teacher rows; empty: all of the run's. */
  poolModes: readonly Mode[];
  teacherRatio: 'recomputed' | 'stored';
  adapter: 'svd' | 'lora' | 'full';
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
