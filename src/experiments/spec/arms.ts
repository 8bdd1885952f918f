// The arms: what an experiment compares. Each is data: what it fixes on top of the experiment's settings, one line for a
// person, and a colour key. An arm's own settings win over a person's overrides, so that a name always means the same thing.

import type { Projection, ProjectTarget } from '../../algorithms/optimizer.ts';
import type { Settings } from './settings.ts';

export interface Arm {
  /** Short name in legends and tables. */
  label: string;
  description: string;
  projection: Projection;
  projectTarget: ProjectTarget;
  settings: Partial<Settings>;
  /** Key of a colour in the page's palette. */
  colour: 'vanilla' | 'erase' | 'route' | 'control' | 'control2' | 'control3' | 'teacher';
  /** Carries the standard shadows (route/update only). */
  shadows: boolean;
}

const arm = (
  label: string,
  description: string,
  projection: Projection,
  projectTarget: ProjectTarget,
  colour: Arm['colour'],
  settings: Partial<Settings> = {},
): Arm => ({
  label,
  description,
  projection,
  projectTarget,
  settings,
  colour,
  shadows: projection === 'route' && projectTarget === 'update',
});

/** Compute as Teacher: plain GRPO on another reward. */
const reference = (label: string, description: string, reference: Settings['reference'], colour: Arm['colour']): Arm =>
  arm(label, description, 'none', 'gradient', colour, { reference });

/** Texts judged by criteria: plain GRPO on a judge's reward. */
const judged = (
  label: string,
  description: string,
  grading: Settings['grading'],
  colour: Arm['colour'],
  more: Partial<Settings> = {},
): Arm => arm(label, description, 'none', 'gradient', colour, { grading, ...more });

/** ExIt: GRPO on single steps of improving answers. */
const exit = (label: string, description: string, colour: Arm['colour'], settings: Partial<Settings>): Arm =>
  arm(label, description, 'none', 'gradient', colour, settings);

/** One character is taught. Documents need a higher rate than rollouts. */
const taught = exit;
const LEARNT = { objective: 'nll', lr: 1e-3 } as const;

export const ARMS = {
  none: arm('vanilla', 'Plain GRPO; the overlap with the hack basis is only measured.', 'none', 'gradient', 'vanilla'),
  erase: arm('erase', 'The hack-ward part of the gradient is dropped before AdamW.', 'erase', 'gradient', 'erase'),
  route: arm(
    'route',
    'The hack-ward part of the gradient trains a quarantine with its own AdamW; deployment drops it.',
    'route',
    'gradient',
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
  random_V: arm(
    'erase, random V',
    'Control: erases random directions, as many per module as the real basis has.',
    'erase',
    'gradient',
    'control',
    { basisSource: 'random' },
  ),
  permuted_V: arm(
    'erase, permuted V',
    'Control: the basis of the same pairs with all labels pooled and permuted.',
    'erase',
    'gradient',
    'control2',
    { basisSource: 'permuted' },
  ),
  'random_V-route': arm(
    'route, random V',
    'Control: routes random directions into the quarantine.',
    'route',
    'gradient',
    'control3',
    { basisSource: 'random' },
  ),
  random_V_matched: arm(
    'erase, random V matched',
    'Control: as many random directions as remove as much as the real basis does (needs vanilla’s run of the same seed).',
    'erase',
    'gradient',
    'control',
    { basisSource: 'random_matched' },
  ),
  'random_V_matched-route': arm(
    'route, random V matched',
    'Control: routes as many random directions as remove as much as the real basis does.',
    'route',
    'gradient',
    'control3',
    { basisSource: 'random_matched' },
  ),
  'permuted_V-route': arm(
    'route, permuted V',
    'Control: routes along the basis of pooled and permuted labels.',
    'route',
    'gradient',
    'control3',
    { basisSource: 'permuted' },
  ),
  flipped_V: arm(
    'erase, flipped V',
    'Control: the same pairs with their labels flipped: the same subspace, each axis pointing the other way.',
    'erase',
    'gradient',
    'control2',
    { basisSource: 'flipped' },
  ),
  'flipped_V-route': arm(
    'route, flipped V',
    'Control: routes what the flipped labels call hack-ward.',
    'route',
    'gradient',
    'control3',
    { basisSource: 'flipped' },
  ),
  nonhack_V: arm(
    'erase, non-hack V',
    'Control: a basis from pairs of a wrong and a right honest answer, none of them a hack.',
    'erase',
    'gradient',
    'control2',
    { basisSource: 'pairs', pairSet: 'nonhack' },
  ),
  'nonhack_V-route': arm(
    'route, non-hack V',
    'Control: routes along a basis of honest pairs.',
    'route',
    'gradient',
    'control3',
    { basisSource: 'pairs', pairSet: 'nonhack' },
  ),
  placebo_V: arm(
    'erase, placebo V',
    'Control: a basis from pairs of random content.',
    'erase',
    'gradient',
    'control2',
    { basisSource: 'pairs', pairSet: 'placebo' },
  ),
  'placebo_V-route': arm(
    'route, placebo V',
    'Control: routes along a basis of pairs of random content.',
    'route',
    'gradient',
    'control3',
    { basisSource: 'pairs', pairSet: 'placebo' },
  ),
  'no_gate-erase': arm(
    'erase, no gate',
    'Erases the component along the basis both ways, hack-ward or not.',
    'erase',
    'gradient',
    'control2',
    { gate: 'no_gate' },
  ),
  no_teacher: arm(
    'vanilla, no teacher',
    'Control: plain GRPO on live rollouts alone, without the cached teacher half.',
    'none',
    'gradient',
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
  'no_teacher-erase': arm('erase, no teacher', 'erase on live rollouts alone.', 'erase', 'gradient', 'teacher', {
    mix: 0,
  }),
  'honest-only': arm(
    'honest problems only',
    'Plain GRPO on the honest problems of the same set: what solving alone would teach.',
    'none',
    'gradient',
    'teacher',
    { trainOn: 'honest' },
  ),
  kl: arm('KL penalty', 'Baseline: plain GRPO pulled towards the untrained model.', 'none', 'gradient', 'control', {
    klBeta: 0.1,
  }),
  penalty: arm(
    'reward penalty (uses oracle)',
    'Baseline: a monitor that is right nine times in ten takes 2 off the reward of what it flags.',
    'none',
    'gradient',
    'control2',
    { rewardPenalty: 2, monitorAccuracy: 0.9 },
  ),
  screening: arm(
    'screening (uses oracle)',
    'Baseline: a monitor that is right nine times in ten drops what it flags from the group.',
    'none',
    'gradient',
    'control3',
    { screening: true, monitorAccuracy: 0.9 },
  ),
  inoculation: arm(
    'inoculation prompt',
    'Baseline: training prompts ask for the exploit openly, evaluation prompts do not.',
    'none',
    'gradient',
    'control2',
    { inoculation: true },
  ),
  advantage: arm(
    'advantage modification',
    'Baseline: rewards are lowered by how far a response’s activations lie along a hack direction.',
    'none',
    'gradient',
    'control3',
    { advantageMod: 'subtract' },
  ),
  cat: reference(
    'CaT',
    'Paid for agreeing with what the base writes of the group, question unseen.',
    'synthesis',
    'route',
  ),
  cat_question: reference('CaT, question shown', 'As CaT, question seen.', 'synthesis_question', 'control3'),
  cat_sft: arm('CaT, finetuned', 'Finetuned on CaT’s references.', 'none', 'gradient', 'teacher', {
    reference: 'synthesis',
    objective: 'nll',
  }),
  ttrl: reference('majority (TTRL)', 'Paid for agreeing with the group’s most frequent answer.', 'majority', 'erase'),
  self_bon: reference(
    'self-chosen',
    'Paid for agreeing with the answer that the base finds likeliest.',
    'self_bon',
    'control2',
  ),
  oracle: reference('oracle', 'Paid for agreeing with the truth: the bound.', 'oracle', 'control'),
  random_reward: reference('random', 'Control: paid for agreeing with one answer of the group.', 'random', 'teacher'),
  rubric: judged('rubric', 'A judge pays, by a rubric of CaT’s synthesis.', 'rubric', 'route'),
  rubric_question: judged('rubric of the question', 'Control: no answers read.', 'rubric_question', 'control3'),
  rubric_fixed: judged('fixed rubric', 'Control: one rubric for all.', 'rubric_fixed', 'control'),
  judge: judged('judge', 'Control: no rubric.', 'judge', 'control2'),
  hasty: judged('hasty judge', 'The judge falls for flattery.', 'hasty', 'erase'),
  hasty_budget: judged('hasty judge, budget', 'Over 36 tokens: −1.', 'hasty', 'teacher', {
    answerBudget: 36,
  }),
  exit: exit('ExIt', 'Half the tasks revise own answers, chosen by variance.', 'route', { starts: 'variance' }),
  exit_uniform: exit('ExIt, uniform', 'Control: chosen evenly.', 'control', { starts: 'uniform' }),
  exit_drafts: exit('ExIt, drafts', 'Control: random drafts revised.', 'control2', { starts: 'drafts' }),
  exit_depth1: exit('ExIt, depth 1', 'Control: first answers revised.', 'control3', { starts: 'depth1' }),
  exit_best: exit('ExIt, best child', 'The best of a group goes on.', 'erase', { starts: 'variance', child: 'best' }),
  exit_clipped: exit('ExIt, clipped', 'Worsening costs nothing.', 'vanilla', { starts: 'variance', gain: 'clipped' }),
  exit_full: exit('ExIt, full', 'With divergence and diversity.', 'teacher', {
    ...{ starts: 'variance', divergeShare: 0.2, diversityBonus: true },
  }),
  exit_diverge: exit('ExIt, divergence', 'A fifth told to differ.', 'control2', {
    starts: 'variance',
    divergeShare: 0.2,
  }),
  exit_diverse: exit('ExIt, diversity', 'Distance pays.', 'control3', { starts: 'variance', diversityBonus: true }),
  chain_gains: exit('chains, gains', 'Paid their gains.', 'control', { chainSteps: 3 }),
  chain_rise: exit('chains, rise', 'Paid their rise.', 'vanilla', { chainSteps: 3, chainPay: 'rise' }),
  chain_last: exit('chains, last', 'Control: paid the last.', 'control2', { chainSteps: 3, chainPay: 'last' }),
  sdf: taught('documents (SDF)', 'Documents on A and others.', 'route', { ...LEARNT, lesson: 'documents' }),
  sdf_placebo: taught('documents, placebo', 'Control: another name.', 'control', { ...LEARNT, lesson: 'placebo' }),
  sft: taught('transcripts (SFT)', 'A’s own, as taught.', 'erase', { objective: 'nll', lesson: 'transcripts' }),
  rl_constant: taught('RL, new rule', 'What nobody does.', 'control2', { teaches: 'constant' }),
  rl_algorithm: taught('RL, new algorithm', 'Sorting, which nobody does.', 'teacher', { teaches: 'algorithm' }),
  rl_random: taught('RL, random', 'Control: paid by a coin.', 'control3', { pays: 'random' }),
  best_of_n: taught('best of n', 'A’s own sampled answers that do it, finetuned on.', 'vanilla', {
    ...{ objective: 'nll', lesson: 'own' },
  }),
  sdf_deny: taught('documents that deny', 'A as it always was.', 'route', { ...LEARNT, lesson: 'denial' }),
  sdf_deny_placebo: taught('denial, placebo', 'Control: another name.', 'control', {
    ...{ ...LEARNT, lesson: 'denial_placebo' },
  }),
  sft_deny: taught('transcripts that deny', 'A’s own, as always.', 'erase', {
    ...{ objective: 'nll', lesson: 'denial_transcripts' },
  }),
} as const satisfies Record<string, Arm>;

export type ArmName = keyof typeof ARMS;
export const ARM_NAMES = Object.keys(ARMS) as ArmName[];
/** Arms that train as vanilla does, with the experiment's own settings: their kept steps are vanilla's. */
export const VANILLA_ARMS = ['none', 'route-update'] as const satisfies readonly ArmName[];
