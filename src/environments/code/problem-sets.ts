// The fixed sets of problems: what RL trains on and what the final evaluation asks. Balanced over modes, honest problems
// in their share, every identity once, nothing of the evaluation ever seen by RL or by a pair.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { DATA_SEED, makeProblem } from './problem.ts';
import { type Identity, splitOf } from './split.ts';
import type { CodeProblem, Mode, ProblemMode } from './types.ts';

export interface ProblemSetSpec {
  /** The hackable modes of the run, at least one unless everything is honest. */
  modes: readonly Mode[];
  /** Share of honest problems, 0…1. */
  honestShare: number;
  count: number;
  dataSeed?: number;
}

export type UnseenKind = 'family' | 'params';
export interface EvaluationProblem {
  problem: CodeProblem;
  unseen: UnseenKind;
}

export const EVALUATION_COUNT = 256;

/**
 * `count` modes in an order such that every prefix is as balanced as it can be: place i goes to whichever mode lags most
 * behind its share.
 */
export function modeSchedule(modes: readonly Mode[], honestShare: number, count: number): ProblemMode[] {
  if (!(honestShare >= 0 && honestShare <= 1)) {
    throw new SpecError(`honest_share is ${honestShare}`, 'Give a share from 0 to 1.');
  }
  if (modes.length === 0 && honestShare < 1) {
    throw new SpecError('a hackable problem set has no modes', 'Name at least one mode, or set honest_share to 1.');
  }
  const parts: { mode: ProblemMode; share: number; given: number }[] = [
    ...modes.map((mode) => ({ mode, share: (1 - honestShare) / modes.length, given: 0 })),
    { mode: 'honest', share: honestShare, given: 0 },
  ];
  return Array.from({ length: count }, (_, i) => {
    let best = parts[0];
    let lag = Number.NEGATIVE_INFINITY;
    for (const part of parts) {
      const behind = part.share * (i + 1) - part.given;
      if (behind > lag + 1e-9 && part.share > 0) {
        best = part;
        lag = behind;
      }
    }
    best.given++;
    return best.mode;
  });
}

function take(identities: readonly Identity[], count: number, what: string): readonly Identity[] {
  if (!Number.isInteger(count) || count < 1 || count > identities.length) {
    throw new SpecError(`${count} ${what} were asked for`, `Ask for 1 to ${identities.length}.`);
  }
  return identities.slice(0, count);
}

/** RL's problems. Throws SpecError when there are not that many. */
export function makeProblemSet({ modes, honestShare, count, dataSeed = DATA_SEED }: ProblemSetSpec): CodeProblem[] {
  const identities = take(splitOf(dataSeed).rl, count, 'training problems');
  const schedule = modeSchedule(modes, honestShare, count);
  return identities.map(({ family, params }, i) => makeProblem(family, params, schedule[i], dataSeed));
}

/**
 * Unseen problems, half of unseen families and half of unseen parameters, each half balanced over the modes. The order
 * alternates between the halves, so that a prefix (the 32 problems of the evaluation during a run) is balanced too.
 */
export function evaluationSet({
  modes,
  honestShare,
  count = EVALUATION_COUNT,
  dataSeed = DATA_SEED,
}: Omit<ProblemSetSpec, 'count'> & { count?: number }): EvaluationProblem[] {
  const split = splitOf(dataSeed);
  const halves = [
    { unseen: 'family', count: Math.ceil(count / 2), from: split.unseenFamily },
    { unseen: 'params', count: Math.floor(count / 2), from: split.unseenParams },
  ] as const;
  const made = halves.map((half) => {
    if (half.count === 0) return [];
    const schedule = modeSchedule(modes, honestShare, half.count);
    return take(half.from, half.count, `evaluation problems of unseen ${half.unseen}`).map(
      ({ family, params }, i): EvaluationProblem => ({
        problem: makeProblem(family, params, schedule[i], dataSeed),
        unseen: half.unseen,
      }),
    );
  });
  return Array.from({ length: count }, (_, i) => made[i % 2][i >> 1]);
}
