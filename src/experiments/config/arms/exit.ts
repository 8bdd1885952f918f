// Self-improvement: GRPO on single steps of improving answers, and whole chains of them (docs/lab-book/exit.md).
import { type Arm, plain } from './arm.ts';

export const EXIT_ARMS = {
  exit: plain('ExIt', 'Half the tasks revise own answers, chosen by variance.', 'route', { starts: 'variance' }),
  exit_uniform: plain('ExIt, uniform', 'Control: chosen evenly.', 'control', { starts: 'uniform' }),
  exit_drafts: plain('ExIt, drafts', 'Control: random drafts revised.', 'control2', { starts: 'drafts' }),
  exit_depth1: plain('ExIt, depth 1', 'Control: first answers revised.', 'control3', { starts: 'depth1' }),
  exit_best: plain('ExIt, best child', 'The best of a group goes on.', 'erase', { starts: 'variance', child: 'best' }),
  exit_clipped: plain('ExIt, clipped', 'Worsening costs nothing.', 'vanilla', { starts: 'variance', gain: 'clipped' }),
  exit_full: plain('ExIt, full', 'With divergence and diversity.', 'teacher', {
    ...{ starts: 'variance', divergeShare: 0.2, diversityBonus: true },
  }),
  exit_diverge: plain('ExIt, divergence', 'A fifth told to differ.', 'control2', {
    starts: 'variance',
    divergeShare: 0.2,
  }),
  exit_diverse: plain('ExIt, diversity', 'Distance pays.', 'control3', { starts: 'variance', diversityBonus: true }),
  chain_gains: plain('chains, gains', 'Paid their gains.', 'control', { chainSteps: 3 }),
  chain_rise: plain('chains, rise', 'Paid their rise.', 'vanilla', { chainSteps: 3, chainPay: 'rise' }),
  chain_last: plain('chains, last', 'Control: paid the last.', 'control2', { chainSteps: 3, chainPay: 'last' }),
} as const satisfies Record<string, Arm>;
