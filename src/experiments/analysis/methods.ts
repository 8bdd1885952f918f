// Labels, cost and source of each method of the arena, for the page's table and the results (docs/arena.md): from the arms' declarations
// (methods/), and for the models that are made from finished runs.
import { ARENA_ARMS } from '../config/arms/arena.ts';
import type { Arm } from '../config/arms/arm.ts';
import type { ArmName } from '../config/arms.ts';
import { interpolationOf } from '../config/controls.ts';
import { OURS } from '../methods/arms.ts';
import { METHODS as DECLARED } from '../methods/index.ts';
import type { ArmFacts, Family, Labels } from '../methods/method.ts';

export { FAMILIES, LABELS, type Labels } from '../methods/method.ts';

export const LABEL_WORDS: Readonly<Record<Labels, string>> = {
  none: 'none',
  trusted: 'trusted problems',
  pairs: 'pairs of another hack',
  flaws: 'which graders are flawed, and how',
  oracle: 'oracle labels of rollouts',
  all: 'a correct grader everywhere',
};

export interface Method extends ArmFacts {
  arm: ArmName;
  family: Family;
  /** EvalRow.model of a model that is made from the arm's runs afterwards; interpolation has many. Absent for the model that the arm trains or
   *  deploys. */
  model?: 'alpha' | 'early_stop' | 'merge' | 'steered_base';
  controls?: ArmName;
}

const arms: Readonly<Record<string, Arm>> = ARENA_ARMS;

const AFTER = { family: 'after training' } as const;
const OF_PAIRS = { labels: 'pairs', cost: 1, besides: 'gradients of the pairs', source: null } as const;
const MONITORED = { labels: 'oracle', cost: 1, source: 'Ariahw, Engels & Nanda 2025' } as const;

/** Arms that are older than the arena and compared in it too. */
const EARLIER: readonly Method[] = [
  { arm: 'inoculation', family: 'data', labels: 'flaws', cost: 1, source: 'Tan et al. 2025; Wichers et al. 2025' },
  { arm: 'kl', family: 'reward', labels: 'none', cost: 1, besides: 'a forward of the base', source: null },
  { arm: 'erase', family: 'subspace', ...OF_PAIRS },
  { arm: 'route', family: 'subspace', ...OF_PAIRS },
  { arm: 'route-update', family: 'subspace', ...OF_PAIRS },
  { arm: 'route-update', model: 'steered_base', family: 'reference', ...OF_PAIRS, cost: 0 },
  {
    arm: 'advantage',
    family: 'reward',
    labels: 'pairs',
    cost: 1.2,
    besides: 'activations of the pairs',
    source: 'Wu & Tang 2026',
  },
  { arm: 'penalty', family: 'reward', ...MONITORED },
  { arm: 'penalty_80', family: 'reward', ...MONITORED },
  { arm: 'penalty_70', family: 'reward', ...MONITORED },
  { arm: 'screening', family: 'reward', ...MONITORED },
];

export const METHODS: readonly Method[] = [
  { arm: 'none', family: 'reference', labels: 'none', cost: 1, source: null },
  { ...AFTER, arm: 'none', model: 'alpha', labels: 'none', cost: 1, besides: 'evaluations', source: null },
  ...Object.entries(arms).map(([arm, { facts }]) => ({ arm, family: familyOf(arm), ...facts }) as Method),
  { ...AFTER, arm: 'none', model: 'early_stop', labels: 'trusted', cost: 1, besides: 'evaluations', source: null },
  { ...AFTER, arm: 'trusted-only', model: 'merge', labels: 'trusted', cost: 2, besides: 'a second run', source: OURS },
  ...EARLIER,
];

function familyOf(arm: string): Family {
  return DECLARED.find((method) => Object.hasOwn(method.arms, arm))!.family;
}

/** The method behind a model of an arm, by their names in evaluations; null for an arm outside the arena. */
export function methodOf(arm: string, model: string): Method | null {
  const made = interpolationOf(model) ? 'alpha' : model;
  const own = METHODS.filter((method) => method.arm === arm);
  return own.find((method) => method.model === made) ?? own.find((method) => method.model === undefined) ?? null;
}
