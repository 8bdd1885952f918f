// The arena: what removes a hack that nobody labelled, and what it keeps (docs/arena.md). All without a teacher.
import type { Settings } from '../settings.ts';
import { type Arm, arm, plain } from './arm.ts';

const NO_TEACHER = { mix: 0 } as const;
const trusted = (
  label: string,
  description: string,
  colour: Arm['colour'],
  trusted: Settings['trusted'],
  more: Partial<Settings> = {},
): Arm => plain(label, description, colour, { ...NO_TEACHER, trusted, ...more });

/** Trains as vanilla does; only what lies in the basis's span is deployed. */
const span = (
  label: string,
  description: string,
  colour: Arm['colour'],
  basisSource: Settings['basisSource'],
): Arm => ({
  ...arm(label, description, 'route', 'update', colour, { ...NO_TEACHER, basisSource, dropBottomFrac: 0 }),
  shadows: false,
});

/** A low-rank update moves the weights further at a rate than singular directions do. */
const twoBlocks = (label: string, description: string, colour: Arm['colour'], more: Partial<Settings>): Arm =>
  arm(label, description, 'route', 'gradient', colour, {
    ...{ ...NO_TEACHER, adapter: 'blocks', loraRank: 8, lr: 3e-3, klBeta: 0 },
    ...more,
  });

export const ARENA_ARMS = {
  repaired: plain(
    'repaired graders',
    'The upper bound: the same problems and steps, every grader correct.',
    'teacher',
    {
      ...NO_TEACHER,
      graders: 'repaired',
    },
  ),
  'trusted-only': trusted('trusted only', 'Trained on the trusted problems alone, whole steps.', 'teacher', 'only'),
  'trusted-paced': trusted(
    'trusted only, paced',
    'Trained on the trusted problems alone, as often as the mixture meets them.',
    'control',
    'only_paced',
  ),
  agem: trusted('A-GEM', 'The mixture’s gradient without what conflicts with the trusted one.', 'erase', 'agem'),
  agem_random: trusted('A-GEM, random', 'Control: a random direction of equal norm.', 'control', 'agem', {
    trustedGate: 'random',
  }),
  pcgrad: trusted('PCGrad', 'Both gradients, each without its conflict with the other.', 'erase', 'pcgrad'),
  pcgrad_random: trusted('PCGrad, random', 'Control: a random direction of equal norm.', 'control', 'pcgrad', {
    trustedGate: 'random',
  }),
  agree: trusted(
    'agreement, element',
    'The trusted gradient, and the mixture’s where signs agree.',
    'route',
    'agree_element',
  ),
  agree_random: trusted('agreement, random', 'Control: signs of a random direction.', 'control2', 'agree_element', {
    trustedGate: 'random',
  }),
  agree_module: trusted(
    'agreement, module',
    'The trusted gradient, and the mixture’s modules that agree.',
    'route',
    'agree_module',
  ),
  agree_module_random: trusted(
    'agreement, module, random',
    'Control: modules by a random direction.',
    'control2',
    'agree_module',
    {
      trustedGate: 'random',
    },
  ),
  tdga: trusted('TDGA', 'Gradients are weighted by the directions of a warm-up on trusted solutions.', 'erase', 'tdga'),
  tdga_random: trusted('TDGA, random', 'Control: the same weights on other directions.', 'control3', 'tdga', {
    trustedGate: 'random',
  }),
  trusted_subspace: span(
    'trusted subspace',
    'Of each step, what lies in the span of trusted problems’ gradients is deployed.',
    'route',
    'trusted',
  ),
  trusted_subspace_random: span(
    'trusted subspace, random',
    'Control: as many random directions in their place.',
    'control',
    'trusted_random',
  ),
  blocks: twoBlocks(
    'two blocks, activation gate',
    'Rollouts are sorted by the pairs’ direction in activations (vGROUT).',
    'route',
    {
      blockGate: 'activation',
    },
  ),
  blocks_gradient: twoBlocks(
    'two blocks, gradient gate',
    'Rollouts are sorted by the pairs’ direction in gradients.',
    'route',
    {
      blockGate: 'gradient',
    },
  ),
  blocks_labels: twoBlocks(
    'two blocks, labels (uses oracle)',
    'Gradient routing: the oracle labels a share of the rollouts.',
    'erase',
    {
      blockGate: 'labels',
    },
  ),
  blocks_random: twoBlocks('two blocks, random gate', 'Control: sorted by chance, at equal rates.', 'control', {
    blockGate: 'random',
  }),
  blocks_online: twoBlocks(
    'two blocks, online',
    'Activation gate; the deployed block alone writes rollouts.',
    'route',
    {
      blockGate: 'activation',
      online: true,
    },
  ),
  router: twoBlocks(
    'two blocks, soft router',
    'A learnt weight for each rollout, pinned on the pairs, says which block learns from it.',
    'route',
    { blockGate: 'router' },
  ),
  router_random: twoBlocks(
    'two blocks, random router',
    'Control: the router begins along a random direction, and no pair corrects it.',
    'control',
    { blockGate: 'router', routerSeed: 'random', pinWeight: 0 },
  ),
  blocks_random_online: twoBlocks('two blocks, online, random gate', 'Control: online, sorted by chance.', 'control', {
    blockGate: 'random',
    online: true,
  }),
} as const satisfies Record<string, Arm>;
