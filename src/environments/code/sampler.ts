// Which problems a step trains on: epoch after epoch, each a permutation keyed by (seed, epoch). Within an epoch every
// mode's problems lie at even distances, so that a step's mix is close to the set's. The history is not looked at.
import { SpecError } from '../../lib/errors.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { TaskSampler } from '../types.ts';
import type { CodeProblem } from './types.ts';

/** Item r of a mode with n items stands at (r + u) / n of the epoch, the modes' own orders shuffled. */
function permutation(problems: readonly CodeProblem[], seed: number, epoch: number): CodeProblem[] {
  const rng = new CounterRng(keyFor(seed, STREAMS.order, epoch));
  const modes = [...new Set(problems.map((p) => p.mode))];
  return modes
    .flatMap((mode) => {
      const own = rng.shuffle(problems.filter((p) => p.mode === mode));
      return own.map((problem, r) => ({ problem, place: (r + rng.uniform()) / own.length }));
    })
    .sort((a, b) => a.place - b.place)
    .map(({ problem }) => problem);
}

/** The permutation of an epoch; the last one made is kept, since steps ask in order. */
function epochs(problems: readonly CodeProblem[]): (seed: number, epoch: number) => readonly CodeProblem[] {
  let kept = { seed: Number.NaN, epoch: -1, order: [] as CodeProblem[] };
  return (seed, epoch) => {
    if (kept.seed !== seed || kept.epoch !== epoch) kept = { seed, epoch, order: permutation(problems, seed, epoch) };
    return kept.order;
  };
}

/** Steps count from 0. The same (seed, step, count) gives the same problems, whatever was drawn before. Throws SpecError. */
export function epochSampler(problems: readonly CodeProblem[]): TaskSampler<CodeProblem> {
  if (problems.length === 0) throw new SpecError('a training set of 0 problems', 'Set problems to at least 1.');
  const orderOf = epochs(problems);
  return {
    draw: ({ seed, step, count }) =>
      Array.from({ length: count }, (_, i) => {
        const place = step * count + i;
        return orderOf(seed, Math.floor(place / problems.length))[place % problems.length];
      }),
  };
}

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
  const orderOf = epochs(problems);
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
