// Draws a step's tasks, epoch after epoch, each a permutation with the key (seed, epoch). Within an epoch every kind's tasks have equal
// distances, so that a step's mix is close to the set's. The task history is not used.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CounterRng, keyFor, STREAMS } from '../rng/index.ts';
import type { TaskSampler } from './types.ts';

export type KindOf<Task> = (task: Task) => string;

/** Item r of a kind with n items has the position (r + u) / n in the epoch; the order within a kind is random. */
function permutation<Task>(tasks: readonly Task[], kindOf: KindOf<Task>, seed: number, epoch: number): Task[] {
  const rng = new CounterRng(keyFor(seed, STREAMS.order, epoch));
  const kinds = [...new Set(tasks.map(kindOf))];
  return kinds
    .flatMap((kind) => {
      const own = rng.shuffle(tasks.filter((task) => kindOf(task) === kind));
      return own.map((task, r) => ({ task, place: (r + rng.uniform()) / own.length }));
    })
    .sort((a, b) => a.place - b.place)
    .map(({ task }) => task);
}

/** The permutation of an epoch; the latest one is cached, since steps ask in order. */
export function epochs<Task>(
  tasks: readonly Task[],
  kindOf: KindOf<Task>,
): (seed: number, epoch: number) => readonly Task[] {
  let kept = { seed: Number.NaN, epoch: -1, order: [] as Task[] };
  return (seed, epoch) => {
    if (kept.seed !== seed || kept.epoch !== epoch)
      kept = { seed, epoch, order: permutation(tasks, kindOf, seed, epoch) };
    return kept.order;
  };
}

/** Steps count from 0. Equal (seed, step, count) give equal tasks, independently of earlier draws. Throws SpecError. */
export function epochSampler<Task>(tasks: readonly Task[], kindOf: KindOf<Task>): TaskSampler<Task> {
  if (tasks.length === 0) throw new SpecError('a training set of 0 problems', 'Set problems to at least 1.');
  const orderOf = epochs(tasks, kindOf);
  return {
    draw: ({ seed, step, count }) =>
      Array.from({ length: count }, (_, i) => {
        const place = step * count + i;
        return orderOf(seed, Math.floor(place / tasks.length))[place % tasks.length];
      }),
  };
}
