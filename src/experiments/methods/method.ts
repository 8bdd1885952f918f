// A method of the arena is one declaration, from which the arms, the options, the table of methods, the estimate, the preparation, each
// step and the checkpoint follow. A method is below the settings that are made of it, so it sees only those fields of a run that it
// declares, and of the loop only the ports below. Its file and a line in index.ts are all of it.
import type * as z from 'zod/mini';
import type { Concept } from '../../algorithms/advantage-modification.ts';
import type { Projection, ProjectTarget } from '../../algorithms/optimizer.ts';
import type { Document } from '../../engine/objectives/documents.ts';
import type { AdapterModule, Policy, Sequence } from '../../engine/types.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import type { OptionGroup } from '../../lib/option.ts';
import type { PromptCodec } from '../../text/codec.ts';

/** Ordered from none to all of them. */
export const LABELS = ['none', 'trusted', 'pairs', 'flaws', 'oracle', 'all'] as const;
export type Labels = (typeof LABELS)[number];

/** The part of training that a method changes, in the order of a table that is sorted by it. */
export const FAMILIES = [
  'reference',
  'data',
  'reward',
  'after training',
  'two gradients',
  'subspace',
  'two blocks',
] as const;
export type Family = (typeof FAMILIES)[number];

/** An arm's requirements and cost (docs/arena.md). */
export interface ArmFacts {
  labels: Labels;
  /** A step's, as a count of prompts and passes: vanilla's is 1, no time is measured. */
  cost: number;
  /** Costs that the number leaves out. */
  besides?: string;
  source: string | null;
  /** A placebo is compared with this arm. */
  controls?: string;
}

/** An arm before there are settings: those that it fixes are checked where the table of arms is made (config/arms/arena.ts). */
export interface MethodArm {
  label: string;
  description: string;
  projection: Projection;
  projectTarget: ProjectTarget;
  settings: Readonly<Record<string, unknown>>;
  colour: 'vanilla' | 'erase' | 'route' | 'control' | 'control2' | 'control3' | 'teacher';
  shadows: boolean;
  facts: ArmFacts;
}

/** `Run`: what the method reads of a run's spec. */
export interface Method<Run = never> {
  family: Family;
  arms: Readonly<Record<string, MethodArm>>;
  /** Options of its own, behind all others. */
  options?: OptionGroup;
  /** Value of the option `trusted` by which a run uses it. */
  rule?: string;
  /** The same of `blockGate`. */
  gates?: readonly string[];
  /** Whether a run uses it, where neither of them says so. */
  uses?(run: Run): boolean;
  /** Describes why a run can not use it, and what to do. */
  refuses?(run: Run): { what: string; remedy: string } | null;
  /** Multiples of vanilla's time for a step, in sampling, grading and scoring; 1 where absent. */
  times?(run: Run): { sampling?: number; grading?: number; scoring?: number };
  /** Fields of a checkpoint that are its own, none of which is there without it. */
  stored?: Readonly<Record<string, z.ZodMiniType>>;
  /** Called before the first step. Leaves the policy at the untrained adapter. */
  prepare?(ports: Preparing<Run>): Promise<Prepared>;
}

export interface Preparing<Run> {
  run: Run;
  policy: Policy;
  codec: PromptCodec;
  signal?: AbortSignal;
  /** The run's labelled pairs. */
  pairs(): Promise<readonly ContrastivePair[]>;
  /** Other pairs of the run's loopholes, in every spelling as often as the pretraining corpus has it: nothing learns from them. */
  heldPairs(): Promise<readonly ContrastivePair[]>;
  /** The labelled pairs' direction in activations. */
  concept(): Promise<Concept>;
  /** The trusted problems' own solutions; none where no problem is trusted. */
  solutions(): readonly Document[];
  /** Whether there are behaviours of a step's answers. */
  seesBehaviours: boolean;
}

/** Opaque to the loop. `kept`: the checkpoint that the run goes on from, in it what `Running.keep` gave; null at its start. Throws
 *  SpecError where that is not there. */
export type Prepared = (kept: { runId: string } | null) => Running;

/** The method at work in one run; each hook is absent where it has no part in a step. `step` counts from 0. */
export interface Running {
  /** Whether trusted prompts are sampled beside the step's own, and their gradient taken. */
  readsTrusted?(step: number): boolean;
  /** Weights of a step's judged rollouts, before the statistics of their groups: in place of their rewards. The policy is left with other
   *  adapter parameters. */
  counts?(step: PaidStep): Promise<RolloutWeights>;
  /** The gradient that is stepped with; each inner epoch. */
  combine?(gradients: StepGradients): Combined | Promise<Combined>;
  /** Reference of the KL term, as adapter parameters; null, or absent: the untrained model. */
  reference?(step: number): Float32Array | null;
  /** Takes a step's judged rollouts, in place of one plain gradient. The policy is left with other adapter parameters. */
  gate?(step: JudgedStep): Promise<Gating>;
  /** The adapter parameters after the optimizer's step; `total` itself where they stay. */
  limit?(at: { step: number; total: Float32Array; initial: Float32Array }): Float32Array;
  /** For a checkpoint: the fields that the method declares as `stored`. */
  keep?(): Readonly<Record<string, unknown>>;
}

/** Adapter parameters, all modules end to end. */
export interface StepGradients {
  step: number;
  /** g_u: of the mixture, hackable problems and all. */
  untrusted: Float32Array;
  /** g_t: of the trusted prompts; zero where none were sampled. */
  trusted: Float32Array;
  /** The trusted direction: g_t itself, or a random direction of its norms (the placebo). */
  direction: Float32Array;
  modules: readonly Pick<AdapterModule, 'offset' | 'r'>[];
  /** Each of the mixture's rollouts that has a gradient with its own part of g_u, in their order: a forward and a backward of each. The
   *  policy is left with the step's adapter parameters. */
  each(use: (own: Float32Array, rollout: PaidRollout) => void): Promise<void>;
}

export interface Combined {
  gradient: Float32Array;
  /** Shares of the rollouts (records/measures.ts). */
  row?: { gated: number | null; gateRecall: number | null };
}

export interface JudgedRollout {
  prompt: number;
  sample: number;
  /** Null where nothing was written. */
  tokens: Omit<Sequence, 'segment'> | null;
  isHack: boolean;
}

export interface JudgedStep {
  step: number;
  adapterParams: Float32Array;
  policy: Policy;
  signal?: AbortSignal;
  /** [group][rollout] */
  rollouts: readonly (readonly JudgedRollout[])[];
}

export interface PaidRollout extends JudgedRollout {
  reward: number;
  /** TrainingEnvironment.hackForm of a hack, −1 where forms are not told apart; null of any other, and where a wrong program passed by luck. */
  hackForm?: number | null;
}

/** A program grader's reward for passing, beside its reward for the format. */
export const PASSING_PAY = 1;
export const passes = ({ reward }: Pick<PaidRollout, 'reward'>): boolean => reward >= PASSING_PAY;

export interface PaidStep extends Omit<JudgedStep, 'rollouts'> {
  /** [group][rollout] */
  rollouts: readonly (readonly PaidRollout[])[];
  /** Rollouts of the trusted prompts that were sampled beside. */
  trusted: readonly (readonly PaidRollout[])[];
  /** [group][rollout], as `rollouts`: TrainingEnvironment.behaviours. Runs every program. */
  behaviours(): Promise<(string | null)[][]>;
}

export interface RolloutWeights {
  /** [group][rollout], as `rollouts`. */
  rewards: number[][];
  row: {
    gated: number | null;
    gateRecall: number | null;
    verifierBrier?: number | null;
    hackSpelling?: number | null;
    spellingRecall?: number | null;
  };
}

export interface Gating {
  /** Shares of the rollouts, and the loss that keeps a gate in place (records/measures.ts). */
  row: { gated: number | null; gateRecall: number | null; pinLoss?: number };
  /** Once. Null where every group is flat. The policy is left with other adapter parameters. */
  gradient(scoring: Scoring): Promise<{ combined: Float32Array; passes: readonly Pass[] } | null>;
}

/** One backward: the gradient of each segment, and its share of the loss. */
export interface Pass {
  student: Float32Array;
  teacher: Float32Array;
  loss: number;
  entropy: number | null;
}

export interface Scoring {
  /** [group][rollout] Whether it is still in its group. */
  counted: readonly (readonly boolean[])[];
  /** One forward of some rollouts as the policy holds them, and as many backwards as `use` asks for. Null where none of them has an
   *  advantage. `segmentOf`: which gradient each goes to; 0 where absent. */
  scored<T>(
    of: {
      adapterParams: Float32Array;
      counts(group: number, rollout: number): boolean;
      segmentOf?(group: number, rollout: number): 0 | 1;
    },
    use: (backward: () => Promise<Pass>) => Promise<T>,
  ): Promise<T | null>;
}
