// The soft router of two blocks: a learnt weight per rollout, pinned on the pairs, decides which block trains on it (router-step.ts).
import * as z from 'zod/mini';
import type { RouterState } from '../../algorithms/router.ts';
import { blocksArm, OURS } from './arms.ts';
import type { Method } from './method.ts';
import type { RouterRun } from './router-step.ts';

const FACTS = { labels: 'pairs', cost: 2, besides: 'each rollout by itself', source: 'evil_MoE, June 2026' } as const;

const STATE: z.ZodMiniType<RouterState> = z.looseObject({
  params: z.array(z.number()),
  m: z.array(z.number()),
  v: z.array(z.number()),
  t: z.int().check(z.minimum(0)),
});

export const ROUTER = {
  family: 'two blocks',
  gates: ['router'],
  arms: {
    router: blocksArm(
      'two blocks, soft router',
      'A learnt weight for each rollout, pinned on the pairs, says which block learns from it.',
      'route',
      { blockGate: 'router' },
      FACTS,
    ),
    router_random: blocksArm(
      'two blocks, random router',
      'Control: the router begins along a random direction, and no pair corrects it.',
      'control',
      { blockGate: 'router', routerSeed: 'random', pinWeight: 0 },
      { ...FACTS, controls: 'router' },
    ),
  },
  stored: { router: STATE },
  // Two backwards per rollout, which share no prompt's forward; measured with the preset capability.
  times: () => ({ scoring: 6.4 }),
  prepare: async (ports) => (await import('./router-step.ts')).prepareRouter(ports),
} as const satisfies Method<RouterRun>;

/** Added later; it keeps that place in every list. */
export const ROUTER_ONLINE = {
  family: 'two blocks',
  arms: {
    router_online: blocksArm(
      'two blocks, soft router, online',
      'The soft router; the deployed block alone writes rollouts.',
      'route',
      { blockGate: 'router', online: true },
      { ...FACTS, source: OURS },
    ),
  },
} as const satisfies Method;
