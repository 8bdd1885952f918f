// Which problems a step trains on: all of the set in epochs balanced over the modes, or the honest ones alone.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { epochSampler as balancedEpochs, epochs } from '../epochs.ts';
import type { TaskSampler } from '../types.ts';
import type { CodeProblem } from './types.ts';

const modeOf = ({ mode }: CodeProblem) => mode;

/** As epochs.ts says, balanced over the modes. Throws SpecError. */
export const epochSampler = (problems: readonly CodeProblem[]): TaskSampler<CodeProblem> =>
  balancedEpochs(problems, modeOf);

/**
 * The honest problems alone, in the order in which a run on the whole set meets them: of a step's `count` as many as their
 * share of the set (rounded, at least one). Throws SpecError when there are none.
 */
export function honestSampler(problems: readonly CodeProblem[]): TaskSampler<CodeProblem> {
  const own = problems.filter(({ mode }) => mode === 'honest').length;
  if (own === 0)
    throw new SpecError(
      `trainOn = honest, and none of the ${problems.length} problems is honest`,
      'Raise honestShare (or problems), or set trainOn to all.',
    );
  const orderOf = epochs(problems, modeOf);
  let kept = { of: null as readonly CodeProblem[] | null, honest: [] as CodeProblem[] };
  const honestOf = (seed: number, epoch: number): readonly CodeProblem[] => {
    const order = orderOf(seed, epoch);
    if (kept.of !== order) kept = { of: order, honest: order.filter(({ mode }) => mode === 'honest') };
    return kept.honest;
  };
  return {
    draw: ({ seed, step, count }) => {
      const each = Math.max(1, Math.round((count * own) / problems.length));
      return Array.from({ length: each }, (_, i) => {
        const place = step * each + i;
        return honestOf(seed, Math.floor(place / own))[place % own];
      });
    },
  };
}
