// Arms of self-improvement: GRPO on single revisions of answers, and on whole chains of them (docs/lab-book/exit.md).
import { type Arm, plain } from './arm.ts';

export const EXIT_ARMS = {
  exit: plain('ExIt', 'Half of the tasks revise the model’s own answers, chosen by variance.', 'route', {
    starts: 'variance',
  }),
  exit_uniform: plain('ExIt, uniform', 'Control: answers to revise are chosen evenly.', 'control', {
    starts: 'uniform',
  }),
  exit_drafts: plain('ExIt, drafts', 'Control: random drafts are revised.', 'control2', { starts: 'drafts' }),
  exit_depth1: plain('ExIt, depth 1', 'Control: only first answers are revised.', 'control3', { starts: 'depth1' }),
  exit_best: plain('ExIt, best child', 'The best answer of a group is revised further.', 'erase', {
    starts: 'variance',
    child: 'best',
  }),
  exit_clipped: plain('ExIt, clipped', 'A revision that is worse costs nothing.', 'vanilla', {
    starts: 'variance',
    gain: 'clipped',
  }),
  exit_full: plain('ExIt, full', 'With divergence and the diversity bonus.', 'teacher', {
    starts: 'variance',
    divergeShare: 0.2,
    diversityBonus: true,
  }),
  exit_diverge: plain('ExIt, divergence', 'A fifth of the revisions is asked for a different answer.', 'control2', {
    starts: 'variance',
    divergeShare: 0.2,
  }),
  exit_diverse: plain('ExIt, diversity', 'Answers far from their group’s weigh more.', 'control3', {
    starts: 'variance',
    diversityBonus: true,
  }),
  chain_gains: plain('chains, gains', 'Whole chains, paid for the gains of their revisions.', 'control', {
    chainSteps: 3,
  }),
  chain_rise: plain('chains, rise', 'Whole chains, paid for what the last answer gained.', 'vanilla', {
    chainSteps: 3,
    chainPay: 'rise',
  }),
  chain_last: plain('chains, last', 'Control: whole chains, paid for the last answer alone.', 'control2', {
    chainSteps: 3,
    chainPay: 'last',
  }),
} as const satisfies Record<string, Arm>;
