// What each method of the arena needs and takes, as the page's table and the results tell it (docs/arena.md): of every arm what its declaration
// says (methods/), and the models that are made of finished runs.
import { ARENA_ARMS } from '../config/arms/arena.ts';
import type { Arm } from '../config/arms/arm.ts';
import type { ArmName } from '../config/arms.ts';
import { OURS } from '../methods/arms.ts';
import type { ArmFacts, Labels } from '../methods/method.ts';

export { LABELS } from '../methods/method.ts';

export const LABEL_WORDS: Readonly<Record<Labels, string>> = {
  none: 'none',
  trusted: 'trusted problems',
  pairs: 'pairs of another hack',
  oracle: 'oracle labels of rollouts',
  all: 'a correct grader everywhere',
};

export interface Method extends ArmFacts {
  arm: ArmName;
  /** EvalRow.model: a model that is made of the arm's runs afterwards; of interpolation one of many. Absent: what the arm trains, or
   *  deploys. */
  model?: 'alpha' | 'early_stop' | 'merge';
  controls?: ArmName;
}

const arms: Readonly<Record<string, Arm>> = ARENA_ARMS;

export const METHODS: readonly Method[] = [
  { arm: 'none', labels: 'none', cost: 1, source: null },
  { arm: 'none', model: 'alpha', labels: 'none', cost: 1, besides: 'evaluations', source: null },
  ...Object.entries(arms).map(([arm, { facts }]) => ({ arm, ...facts }) as Method),
  { arm: 'none', model: 'early_stop', labels: 'trusted', cost: 1, besides: 'evaluations', source: null },
  { arm: 'trusted-only', model: 'merge', labels: 'trusted', cost: 2, besides: 'a second run', source: OURS },
];

/** Of a model of an arm, as evaluations name it; null for an arm that is none of the arena's. */
export function methodOf(arm: string, model: string): Method | null {
  const made = /^(?:deployed_)?alpha_/.test(model) ? 'alpha' : model;
  const own = METHODS.filter((method) => method.arm === arm);
  return own.find((method) => method.model === made) ?? own.find((method) => method.model === undefined) ?? null;
}
