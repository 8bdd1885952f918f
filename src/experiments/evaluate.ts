// Evaluation: one fixed set of unseen problems and one fixed set of random numbers for every model, so that two models
// differ only by their knobs.
import type { Policy } from '../engine/types.ts';
import { keyFor, STREAMS } from '../rng/threefry.ts';
import type { TextCodec } from '../text/types.ts';
import type { EvalRow } from './events.ts';
import { type Graded, ratesOf } from './rates.ts';
import { rollOut } from './rollouts.ts';
import type { EvaluationTask, World } from './tasks.ts';

export interface EvaluationSettings {
  /** The environment's, not the run's: every model of every seed draws the same numbers. */
  dataSeed: number;
  maxNew: number;
  signal?: AbortSignal;
}

/** Episodes generated together: bounds the memory of a large set and how long a stop has to wait. */
const BATCH = 64;

/** Rates of the policy with `knobs` folded in (it keeps them afterwards), at temperature 1. */
export async function evaluateModel<Task, State, Verdict>(
  ports: { policy: Policy; codec: TextCodec; world: World<Task, State, Verdict> },
  knobs: Float32Array,
  set: readonly EvaluationTask<Task>[],
  { dataSeed, maxNew, signal }: EvaluationSettings,
): Promise<Pick<EvalRow, 'all' | 'unseenFamilies' | 'unseenParams'>> {
  const { policy, codec, world } = ports;
  policy.setKnobs(knobs);
  const graded: Graded[] = [];
  for (let from = 0; from < set.length; from += BATCH) {
    const part = set.slice(from, from + BATCH);
    const turns = await rollOut(
      { policy, codec, environment: world.environment },
      part.map(({ task }, i) => ({
        task,
        key: (turn: number) => keyFor(dataSeed, STREAMS.evaluation, from + i, turn),
      })),
      { maxNew, temperature: 1, signal },
    );
    const groups = part.map(({ task }, i) => ({
      task,
      rollouts: [{ task, source: 'student' as const, turns: turns[i] }],
    }));
    const judged = await world.reward.score(groups, world.models, signal);
    for (const [i, { task }] of part.entries())
      graded.push({ mode: world.labels.mode(task), grade: world.labels.grade(judged[i][0].verdict) });
  }
  const unseen = (kind: EvaluationTask<Task>['unseen']) => ratesOf(graded.filter((_, i) => set[i].unseen === kind));
  return { all: ratesOf(graded), unseenFamilies: unseen('family'), unseenParams: unseen('params') };
}
