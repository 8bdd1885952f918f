// The study's arms: vanilla, a hack direction that is erased or routed, their controls, and baselines without projection.
import { type Arm, arm, erased, plain, routed } from './arm.ts';

export const PROJECTION_ARMS = {
  none: plain('vanilla', 'Plain GRPO; where there is a hack basis, the overlap with it is only measured.', 'vanilla'),
  erase: erased('erase', 'The hack-ward part of the gradient is dropped before AdamW.', 'erase'),
  route: routed(
    'route',
    'The hack-ward part of the gradient trains a quarantine with its own AdamW; deployment drops it.',
    'route',
  ),
  'erase-update': arm(
    'erase (update)',
    'The hack-ward part of each AdamW step is dropped, so that moments cannot turn it back.',
    'erase',
    'update',
    'erase',
  ),
  'route-update': arm(
    'route (update)',
    'Training is exactly vanilla; the hack-ward part of each step is quarantined and dropped at deployment.',
    'route',
    'update',
    'route',
  ),
  random_V: erased(
    'erase, random V',
    'Control: erases random directions, as many per module as the real basis has.',
    'control',
    { basisSource: 'random' },
  ),
  permuted_V: erased(
    'erase, permuted V',
    'Control: the basis of the same pairs with all labels pooled and permuted.',
    'control2',
    { basisSource: 'permuted' },
  ),
  'random_V-route': routed('route, random V', 'Control: routes random directions into the quarantine.', 'control3', {
    basisSource: 'random',
  }),
  random_V_matched: erased(
    'erase, random V matched',
    'Control: enough random directions to remove as much as the real basis does (needs vanilla’s run of the same seed).',
    'control',
    { basisSource: 'random_matched' },
  ),
  'random_V_matched-route': routed(
    'route, random V matched',
    'Control: routes enough random directions to remove as much as the real basis does.',
    'control3',
    { basisSource: 'random_matched' },
  ),
  'permuted_V-route': routed(
    'route, permuted V',
    'Control: routes along the basis of pooled and permuted labels.',
    'control3',
    { basisSource: 'permuted' },
  ),
  flipped_V: erased(
    'erase, flipped V',
    'Control: the same pairs with their labels flipped: the same subspace, each axis pointing the other way.',
    'control2',
    { basisSource: 'flipped' },
  ),
  'flipped_V-route': routed('route, flipped V', 'Control: routes what the flipped labels call hack-ward.', 'control3', {
    basisSource: 'flipped',
  }),
  nonhack_V: erased(
    'erase, non-hack V',
    'Control: a basis from pairs of a wrong and a right honest answer, none of them a hack.',
    'control2',
    { basisSource: 'pairs', pairSet: 'nonhack' },
  ),
  'nonhack_V-route': routed('route, non-hack V', 'Control: routes along a basis of honest pairs.', 'control3', {
    basisSource: 'pairs',
    pairSet: 'nonhack',
  }),
  placebo_V: erased('erase, placebo V', 'Control: a basis from pairs of random content.', 'control2', {
    basisSource: 'pairs',
    pairSet: 'placebo',
  }),
  'placebo_V-route': routed(
    'route, placebo V',
    'Control: routes along a basis of pairs of random content.',
    'control3',
    { basisSource: 'pairs', pairSet: 'placebo' },
  ),
  'no_gate-erase': erased(
    'erase, no gate',
    'Erases the component along the basis both ways, hack-ward or not.',
    'control2',
    { gate: 'no_gate' },
  ),
  no_teacher: plain(
    'vanilla, no teacher',
    'Control: plain GRPO on live rollouts alone, without cached teacher rows.',
    'teacher',
    { mix: 0 },
  ),
  'no_teacher-route': arm(
    'route (update), no teacher',
    'route (update) on live rollouts alone.',
    'route',
    'update',
    'teacher',
    { mix: 0 },
  ),
  'no_teacher-erase': erased('erase, no teacher', 'erase on live rollouts alone.', 'teacher', { mix: 0 }),
  'honest-only': plain(
    'honest problems only',
    'Plain GRPO on the honest problems of the same set: what solving alone would teach.',
    'teacher',
    { trainOn: 'honest' },
  ),
  kl: plain('KL penalty', 'Baseline: plain GRPO pulled towards the untrained model.', 'control', { klBeta: 0.1 }),
  penalty: plain(
    'reward penalty (uses oracle)',
    'Baseline: a monitor that is right nine times in ten takes 2 off the reward of what it flags.',
    'control2',
    { rewardPenalty: 2, monitorAccuracy: 0.9 },
  ),
  penalty_80: plain(
    'reward penalty, monitor 80% right (uses oracle)',
    'Baseline: the penalty of a monitor that is right eight times in ten.',
    'control2',
    { rewardPenalty: 2, monitorAccuracy: 0.8 },
  ),
  penalty_70: plain(
    'reward penalty, monitor 70% right (uses oracle)',
    'Baseline: the penalty of a monitor that is right seven times in ten.',
    'control2',
    { rewardPenalty: 2, monitorAccuracy: 0.7 },
  ),
  screening: plain(
    'screening (uses oracle)',
    'Baseline: a monitor that is right nine times in ten drops what it flags from the group.',
    'control3',
    { screening: true, monitorAccuracy: 0.9 },
  ),
  inoculation: plain(
    'inoculation prompt',
    'Baseline: hackable training prompts ask openly for their exploit, evaluation prompts do not.',
    'control2',
    { inoculation: true },
  ),
  advantage: plain(
    'advantage modification',
    'Baseline: rewards are lowered by how far a response’s activations lie along a hack direction.',
    'control3',
    { advantageMod: 'subtract' },
  ),
} as const satisfies Record<string, Arm>;
