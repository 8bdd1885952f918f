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
  const isHonest = ({ mode }: CodeProblem) => mode === 'honest';
  if (!problems.some(isHonest))
    throw new SpecError(
      `trainOn = honest, and none of the ${problems.length} problems is honest`,
      'Raise honestShare (or problems), or set trainOn to all.',
    );
  return partSampler(problems, isHonest);
}

/** Some of the problems (one at least) in the order and at the pace of a run on the whole set, as above. */
export function partSampler(
  problems: readonly CodeProblem[],
  isKept: (problem: CodeProblem) => boolean,
): TaskSampler<CodeProblem> {
  const own = problems.filter(isKept).length;
  const orderOf = epochs(problems, modeOf);
  let cached = { of: null as readonly CodeProblem[] | null, kept: [] as CodeProblem[] };
  const keptOf = (seed: number, epoch: number): readonly CodeProblem[] => {
    const order = orderOf(seed, epoch);
    if (cached.of !== order) cached = { of: order, kept: order.filter(isKept) };
    return cached.kept;
  };
  return {
    draw: ({ seed, step, count }) => {
      const each = Math.max(1, Math.round((count * own) / problems.length));
      return Array.from({ length: each }, (_, i) => {
        const place = step * each + i;
        return keptOf(seed, Math.floor(place / own))[place % own];
      });
    },
  };
}
