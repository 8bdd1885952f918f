// Which problems a step trains on: epoch after epoch, each a permutation keyed by (seed, epoch). Within an epoch every
// mode's problems lie at even distances, so that a step's mix is close to the set's. The history is not looked at.
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

/** Steps count from 0. The same (seed, step, count) gives the same problems, whatever was drawn before. */
export function epochSampler(problems: readonly CodeProblem[]): TaskSampler<CodeProblem> {
  if (problems.length === 0) throw new RangeError('a sampler needs at least one problem');
  let kept = { seed: Number.NaN, epoch: -1, order: [] as CodeProblem[] };
  const orderOf = (seed: number, epoch: number): readonly CodeProblem[] => {
    if (kept.seed !== seed || kept.epoch !== epoch) kept = { seed, epoch, order: permutation(problems, seed, epoch) };
    return kept.order;
  };
  return {
    draw: ({ seed, step, count }) =>
      Array.from({ length: count }, (_, i) => {
        const place = step * count + i;
        return orderOf(seed, Math.floor(place / problems.length))[place % problems.length];
      }),
  };
}
