// The arena's methods, in the order of forms and tables. A new method is its file and one line here in each list that it belongs to
// (a test compares the lists).
import type * as z from 'zod/mini';
import type { OptionGroup } from '../../lib/option.ts';
import { ADDED } from './added.ts';
import { AGEM } from './agem.ts';
import { AGREE_ELEMENT, AGREE_MODULE } from './agree.ts';
import { AGREE_ROLLOUT } from './agree-rollout.ts';
import { BLOCKS } from './blocks.ts';
import { BLOCKS_ONLINE, BLOCKS_ONLINE_PLACEBO } from './blocks-online.ts';
import { CONSENSUS } from './consensus.ts';
import { CURRICULUM, CURRICULUM_KL } from './curriculum.ts';
import type { Method } from './method.ts';
import { MONITORS } from './monitors.ts';
import { PCGRAD } from './pcgrad.ts';
import { REPAIRED } from './repaired.ts';
import { ROUTER, ROUTER_ONLINE } from './router.ts';
import { TDGA } from './tdga.ts';
import { TRUSTED_ONLY } from './trusted-only.ts';
import { TRUSTED_SPANS, TRUSTED_SUBSPACE } from './trusted-subspace.ts';
import { VERIFIER, VERIFIER_GATE_PLACEBO } from './verifier.ts';

export const METHODS = [
  REPAIRED,
  TRUSTED_ONLY,
  AGEM,
  PCGRAD,
  AGREE_ELEMENT,
  AGREE_MODULE,
  TDGA,
  TRUSTED_SUBSPACE,
  BLOCKS,
  BLOCKS_ONLINE,
  ROUTER,
  BLOCKS_ONLINE_PLACEBO,
  CURRICULUM,
  VERIFIER,
  CONSENSUS,
  TRUSTED_SPANS,
  ADDED,
  ROUTER_ONLINE,
  AGREE_ROLLOUT,
  CURRICULUM_KL,
  VERIFIER_GATE_PLACEBO,
  MONITORS,
] as const;

type Declared = (typeof METHODS)[number];
const all: readonly Method[] = METHODS;

export const METHOD_ARMS = {
  ...REPAIRED.arms,
  ...TRUSTED_ONLY.arms,
  ...AGEM.arms,
  ...PCGRAD.arms,
  ...AGREE_ELEMENT.arms,
  ...AGREE_MODULE.arms,
  ...TDGA.arms,
  ...TRUSTED_SUBSPACE.arms,
  ...BLOCKS.arms,
  ...BLOCKS_ONLINE.arms,
  ...ROUTER.arms,
  ...BLOCKS_ONLINE_PLACEBO.arms,
  ...CURRICULUM.arms,
  ...VERIFIER.arms,
  ...CONSENSUS.arms,
  ...TRUSTED_SPANS.arms,
  ...ADDED.arms,
  ...ROUTER_ONLINE.arms,
  ...AGREE_ROLLOUT.arms,
  ...CURRICULUM_KL.arms,
  ...VERIFIER_GATE_PLACEBO.arms,
  ...MONITORS.arms,
};

/** The methods' own options, in the methods' order; a method with options is named in both of these lists. */
export const METHOD_OPTIONS = [
  CURRICULUM.options,
  VERIFIER.options,
  CONSENSUS.options,
  TRUSTED_SPANS.options,
  MONITORS.options,
] as const;
type OptionsOf<M extends { options: OptionGroup }> = M['options']['options'];
export interface MethodOptions
  extends OptionsOf<typeof CURRICULUM>,
    OptionsOf<typeof VERIFIER>,
    OptionsOf<typeof CONSENSUS>,
    OptionsOf<typeof TRUSTED_SPANS>,
    OptionsOf<typeof MONITORS> {}

/** Values of the option `trusted` that name a rule for a step. */
type RuleOf<M> = M extends { rule: infer R extends string } ? R : never;
export const RULES = all.flatMap(({ rule }) => rule ?? []) as readonly RuleOf<Declared>[];
export const isRule = (use: string): boolean => (RULES as readonly string[]).includes(use);

type GateOf<M> = M extends { gates: readonly (infer G extends string)[] } ? G : never;
export const GATES = all.flatMap(({ gates }) => gates ?? []) as readonly GateOf<Declared>[];

/** Checkpoint fields of all methods, by name. */
export const METHOD_STATES = { ...CURRICULUM.stored, ...ROUTER.stored, ...VERIFIER.stored, ...MONITORS.stored };
export type MethodStates = { [K in keyof typeof METHOD_STATES]: z.infer<(typeof METHOD_STATES)[K]> };

interface MethodChoice {
  trusted: string;
  adapter: string;
  blockGate: string;
}

/** The methods that a run's settings select; config/contradictions refuses more than one. */
export const methodsOf = <Run extends MethodChoice>(
  methods: readonly Method<NoInfer<Run>>[],
  run: Run,
): Method<Run>[] =>
  methods.filter(
    ({ rule, gates, uses }) =>
      rule === run.trusted || (run.adapter === 'blocks' && gates?.includes(run.blockGate)) || uses?.(run),
  );

/** The run's method; null where every step is plain GRPO. */
export const methodOf = <Run extends MethodChoice>(
  methods: readonly Method<NoInfer<Run>>[],
  run: Run,
): Method<Run> | null => methodsOf(methods, run)[0] ?? null;
