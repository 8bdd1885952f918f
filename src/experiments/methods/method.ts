// A method of the arena is one declaration, from which its arms, options, table entry, cost estimate, preparation, steps and checkpoint
// fields follow. Methods come before settings in the import order, so a method sees only the fields of a run that it declares, and of the
// loop only the ports below. A method is its file and a line in index.ts.
import type * as z from 'zod/mini';
import type { Concept } from '../../algorithms/advantage-modification.ts';
import type { Projection, ProjectTarget } from '../../algorithms/optimizer.ts';
import type { Document } from '../../engine/objectives/documents.ts';
import type { AdapterModule, Policy, Sequence } from '../../engine/types.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import type { OptionGroup } from '../../lib/option.ts';
import type { PromptCodec } from '../../text/codec.ts';

/** What an arm's labels cover, from none to all. */
export const LABELS = ['none', 'trusted', 'pairs', 'flaws', 'oracle', 'all'] as const;
export type Labels = (typeof LABELS)[number];

/** The part of training that a method changes, in the order of sorted tables. */
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
  /** Cost of a step in prompts and passes; vanilla's is 1. It is counted, not measured. */
  cost: number;
  /** Costs that the number leaves out. */
  besides?: string;
  source: string | null;
  /** Set for a placebo: the arm that it controls. */
  controls?: string;
}

/** An arm before settings exist; its fixed settings are checked where the table of arms is made (config/arms/arena.ts). */
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

/** `Run`: the fields of a run's spec that the method reads. */
export interface Method<Run = never> {
  family: Family;
  arms: Readonly<Record<string, MethodArm>>;
  /** The method's own options, listed after all others. */
  options?: OptionGroup;
  /** The value of the option `trusted` that selects the method. */
  rule?: string;
  /** The values of the option `blockGate` that select it. */
  gates?: readonly string[];
  /** Whether a run uses the method, if neither `rule` nor `gates` selects it. */
  uses?(run: Run): boolean;
  /** Says why a run cannot use the method, and the remedy. */
  refuses?(run: Run): { what: string; remedy: string } | null;
  /** Time of a step's sampling, grading and scoring, as multiples of vanilla's; 1 where absent. */
  times?(run: Run): { sampling?: number; grading?: number; scoring?: number };
  /** The method's checkpoint fields, absent without it. */
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
  /** Held-out pairs of the run's loopholes, with each spelling as frequent as in the pretraining corpus. Nothing trains on them. */
  heldPairs(): Promise<readonly ContrastivePair[]>;
  /** The labelled pairs' direction in activations. */
  concept(): Promise<Concept>;
  /** Reference solutions of the trusted problems; empty where no problem is trusted. */
  solutions(): readonly Document[];
  /** Whether the environment reports behaviours of answers. */
  seesBehaviours: boolean;
}

/** Opaque to the loop. `kept`: the checkpoint to resume from, with the fields that `Running.keep` gave; null at the start. Throws SpecError
 *  where they are missing. */
export type Prepared = (kept: { runId: string } | null) => Running;

/** The method in one run; hooks without a part in the step are absent. `step` counts from 0. */
export interface Running {
  /** Whether trusted prompts are sampled beside the step's own, and their gradient is computed. */
  readsTrusted?(step: number): boolean;
  /** Counted rewards of a step's judged rollouts, replacing their rewards before the group statistics. The policy is left with other
   *  adapter parameters. */
  counts?(step: PaidStep): Promise<RolloutWeights>;
  /** The gradient to step with, in each inner epoch. */
  combine?(gradients: StepGradients): Combined | Promise<Combined>;
  /** Adapter parameters of the KL term's reference; null or absent for the untrained model. */
  reference?(step: number): Float32Array | null;
  /** Gates a step's judged rollouts, replacing the plain gradient. The policy is left with other adapter parameters. */
  gate?(step: JudgedStep): Promise<Gating>;
  /** The adapter parameters after the optimizer's step; `total` itself if unchanged. */
  limit?(at: { step: number; total: Float32Array; initial: Float32Array }): Float32Array;
  /** The checkpoint fields that the method declares as `stored`. */
  keep?(): Readonly<Record<string, unknown>>;
}

/** Gradients in adapter parameters, all modules concatenated. */
export interface StepGradients {
  step: number;
  /** g_u: gradient of the mixture, which includes hackable problems. */
  untrusted: Float32Array;
  /** g_t: gradient of the trusted prompts; zero where none were sampled. */
  trusted: Float32Array;
  /** The trusted direction: g_t itself, or a random direction with g_t's norms (the placebo). */
  direction: Float32Array;
  modules: readonly Pick<AdapterModule, 'offset' | 'r'>[];
  /** Calls `use` with each of the mixture's rollouts that has a gradient and its part of g_u, in order, at the cost of a forward and a
   *  backward each. The policy is left with the step's adapter parameters. */
  each(use: (own: Float32Array, rollout: PaidRollout) => void): Promise<void>;
}

export interface Combined {
  gradient: Float32Array;
  /** Shares of rollouts (records/measures.ts). */
  row?: { gated: number | null; gateRecall: number | null };
}

export interface JudgedRollout {
  prompt: number;
  sample: number;
  /** Null where the model wrote no token. */
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
  /** TrainingEnvironment.hackForm of a hack, −1 where forms are not told apart; null for non-hacks, including wrong programs that passed by luck. */
  hackForm?: number | null;
}

/** A program grader's reward for passing; the reward for the format is extra. */
export const PASSING_PAY = 1;
export const passes = ({ reward }: Pick<PaidRollout, 'reward'>): boolean => reward >= PASSING_PAY;

export interface PaidStep extends Omit<JudgedStep, 'rollouts'> {
  /** [group][rollout] */
  rollouts: readonly (readonly PaidRollout[])[];
  /** Rollouts of the trusted prompts that were sampled beside the step's own. */
  trusted: readonly (readonly PaidRollout[])[];
  /** [group][rollout], aligned with `rollouts`: TrainingEnvironment.behaviours. Runs every program. */
  behaviours(): Promise<(string | null)[][]>;
}

export interface RolloutWeights {
  /** [group][rollout], aligned with `rollouts`. */
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
  /** Shares of rollouts, and the pin loss of the router (records/measures.ts). */
  row: { gated: number | null; gateRecall: number | null; pinLoss?: number };
  /** May be called once. Null where every group is flat. The policy is left with other adapter parameters. */
  gradient(scoring: Scoring): Promise<{ combined: Float32Array; passes: readonly Pass[] } | null>;
}

/** One backward: the gradients of its two segments, and its share of the loss. */
export interface Pass {
  student: Float32Array;
  teacher: Float32Array;
  loss: number;
  entropy: number | null;
}

export interface Scoring {
  /** [group][rollout] Whether the rollout still counts. */
  counted: readonly (readonly boolean[])[];
  /** One forward of some rollouts at the policy's current state, and as many backwards as `use` asks for. Null where none of them has an
   *  advantage. `segmentOf`: the segment of each; 0 where absent. */
  scored<T>(
    of: {
      adapterParams: Float32Array;
      counts(group: number, rollout: number): boolean;
      segmentOf?(group: number, rollout: number): 0 | 1;
    },
    use: (backward: () => Promise<Pass>) => Promise<T>,
  ): Promise<T | null>;
}
