// What each method of the arena needs and takes (docs/arena.md): its labels, its cost a step as a count of prompts and passes (vanilla's is
// 1; no time is measured), and where it comes from. Every arm of the arena has its entry, or this does not compile.

import type { ARENA_ARMS } from '../config/arms/arena.ts';
import type { ArmName } from '../config/arms.ts';

/** From none to all of them. */
export const LABELS = ['none', 'trusted', 'pairs', 'oracle', 'all'] as const;
export type Labels = (typeof LABELS)[number];

export const LABEL_WORDS: Readonly<Record<Labels, string>> = {
  none: 'none',
  trusted: 'trusted problems',
  pairs: 'pairs of another hack',
  oracle: 'oracle labels of rollouts',
  all: 'a correct grader everywhere',
};

export interface Method {
  arm: ArmName;
  /** EvalRow.model: a model that is made of the arm's runs afterwards; of interpolation one of many. Absent: what the arm trains, or
   *  deploys. */
  model?: 'alpha' | 'early_stop' | 'merge';
  labels: Labels;
  cost: number;
  /** What the number leaves out. */
  besides?: string;
  source: string | null;
  /** A placebo is compared with this arm. */
  controls?: ArmName;
}

type Entry = Omit<Method, 'arm' | 'model'>;

const CHAUDHRY = 'Chaudhry et al. 2019';
const YU = 'Yu et al. 2020';
const DENG = 'Deng et al. 2026';
const VGROUT = 'vGROUT, June 2026';
const EVIL_MOE = 'evil_MoE, June 2026';
const ROUTING = 'Cloud et al. 2024; Shilov et al. 2025';
const OURS = 'ours';
/** Four prompts more for the trusted gradient. */
const WITH_TRUSTED = 1.5;
const TWO_PASSES = 1.3;

const trusted = (cost: number, source: string, more: Partial<Entry> = {}): Entry => ({
  ...{ labels: 'trusted', cost, source },
  ...more,
});
const paired = (cost: number, source: string, more: Partial<Entry> = {}): Entry => ({
  ...{ labels: 'pairs', cost, source },
  ...more,
});

const OF_ARENA: Record<keyof typeof ARENA_ARMS, Entry> = {
  repaired: { labels: 'all', cost: 1, source: null },
  'trusted-only': trusted(1, OURS),
  'trusted-paced': trusted(1, OURS, { besides: 'less: only some steps are taken' }),
  agem: trusted(WITH_TRUSTED, CHAUDHRY),
  agem_random: trusted(WITH_TRUSTED, CHAUDHRY, { controls: 'agem' }),
  pcgrad: trusted(WITH_TRUSTED, YU),
  pcgrad_random: trusted(WITH_TRUSTED, YU, { controls: 'pcgrad' }),
  agree: trusted(WITH_TRUSTED, OURS),
  agree_random: trusted(WITH_TRUSTED, OURS, { controls: 'agree' }),
  agree_module: trusted(WITH_TRUSTED, OURS),
  agree_module_random: trusted(WITH_TRUSTED, OURS, { controls: 'agree_module' }),
  tdga: trusted(1, DENG, { besides: 'a warm-up' }),
  tdga_random: trusted(1, DENG, { besides: 'a warm-up', controls: 'tdga' }),
  trusted_subspace: trusted(1, OURS, { besides: 'gradients of the solutions' }),
  trusted_subspace_random: trusted(1, OURS, { controls: 'trusted_subspace' }),
  blocks: paired(TWO_PASSES, VGROUT),
  blocks_gradient: paired(2, VGROUT),
  blocks_labels: { labels: 'oracle', cost: TWO_PASSES, source: ROUTING },
  blocks_random: { labels: 'none', cost: TWO_PASSES, source: VGROUT, controls: 'blocks' },
  router: paired(2, EVIL_MOE, { besides: 'each rollout by itself' }),
  router_random: paired(2, EVIL_MOE, { besides: 'each rollout by itself', controls: 'router' }),
  blocks_online: paired(TWO_PASSES, OURS),
  blocks_random_online: { labels: 'none', cost: TWO_PASSES, source: OURS, controls: 'blocks_online' },
};

export const METHODS: readonly Method[] = [
  { arm: 'none', labels: 'none', cost: 1, source: null },
  { arm: 'none', model: 'alpha', labels: 'none', cost: 1, besides: 'evaluations', source: null },
  ...(Object.entries(OF_ARENA) as [keyof typeof ARENA_ARMS, Entry][]).map(([arm, entry]) => ({ arm, ...entry })),
  { arm: 'none', model: 'early_stop', labels: 'trusted', cost: 1, besides: 'evaluations', source: null },
  { arm: 'none', model: 'merge', labels: 'trusted', cost: 2, besides: 'a second run', source: OURS },
];

/** Of a model of an arm, as evaluations name it; null for an arm that is none of the arena's. */
export function methodOf(arm: string, model: string): Method | null {
  const made = /^(?:deployed_)?alpha_/.test(model) ? 'alpha' : model;
  const own = METHODS.filter((method) => method.arm === arm);
  return own.find((method) => method.model === made) ?? own.find((method) => method.model === undefined) ?? null;
}
