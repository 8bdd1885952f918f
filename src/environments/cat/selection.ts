// References that are one of the attempts' answers and need no model: the most frequent one, the most confident one, and nulls.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { Attempt, AttemptGroup, Cost, Reference, ReferenceEstimator } from './types.ts';

/** Cost of an estimator that asks no model. */
export const FREE: Cost = { calls: 0, read: 0, written: 0 };

/** The attempt chosen as a reference; none if `chosen` is null. */
export function chosenOf({ attempts }: AttemptGroup, chosen: number | null, cost = FREE): Reference {
  const one = chosen === null ? null : attempts[chosen];
  return { value: one?.value ?? null, text: one?.text ?? null, chosen, read: attempts.length, cost };
}

/** Index of the attempt with this written number, counted from 1; null if there is no such attempt. */
export function numberOf(written: string | undefined, attempts: readonly Attempt[]): number | null {
  const place = Number(written ?? 0) - 1;
  return place >= 0 && place < attempts.length ? place : null;
}

/** Indices of the attempts with an answer. */
export const answered = (attempts: readonly Attempt[]): number[] =>
  attempts.flatMap(({ value }, i) => (value === null ? [] : [i]));

/** Random numbers of one group, keyed by its question and answers. */
const rngOf = ({ id, attempts }: AttemptGroup): CounterRng =>
  new CounterRng(keyFor(hash32(id), STREAMS.reference, hash32(attempts.map(({ value }) => value ?? '').join('|'))));

/** Number of attempts by answer, in the order in which answers first appear. */
export function votes(attempts: readonly Attempt[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { value } of attempts) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/**
 * The most frequent answer; attempts without an answer do not vote. Ties are broken by an even draw: taking the first would make the reward depend on the
 * order of exchangeable rollouts, and accepting all would reward everyone in a group of eight different answers. (TTRL, arXiv 2504.16084, does not
 * mention ties; its code takes the first.)
 */
export function majorityOf(group: AttemptGroup): string | null {
  const counts = votes(group.attempts);
  const most = Math.max(0, ...counts.values());
  const tied = [...counts].flatMap(([value, count]) => (count === most ? [value] : []));
  return tied.length === 0 ? null : tied.length === 1 ? tied[0] : rngOf(group).choice(tied);
}

const firstWith = ({ attempts }: AttemptGroup, value: string | null): number | null =>
  value === null ? null : attempts.findIndex((one) => one.value === value);

/** An estimator that treats each group separately. */
const each = (
  about: Pick<ReferenceEstimator, 'id' | 'sees'>,
  of: (group: AttemptGroup) => Reference,
): ReferenceEstimator => ({ ...about, asks: false, estimate: async (groups) => groups.map(of) });

export const MAJORITY = each({ id: 'majority', sees: 'answers' }, (group) =>
  chosenOf(group, firstWith(group, majorityOf(group))),
);

/** The attempt with an answer and the least score; the first among equal ones, null if none has a finite score. */
export function leastOf({ attempts }: AttemptGroup, scores: readonly number[]): number | null {
  let best: number | null = null;
  for (const i of answered(attempts))
    if (Number.isFinite(scores[i]) && (best === null || scores[i] < scores[best])) best = i;
  return best;
}

/** Mean surprise −(1/|o|) Σ log p; infinite for an empty attempt. */
export function surprise(logprobs: ArrayLike<number> | undefined): number {
  if (!logprobs || logprobs.length === 0) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let t = 0; t < logprobs.length; t++) sum += logprobs[t];
  return -sum / logprobs.length;
}

export const MIN_PERPLEXITY = each({ id: 'min_perplexity', sees: 'attempts' }, (group) =>
  chosenOf(
    group,
    leastOf(
      group,
      group.attempts.map(({ logprobs }) => surprise(logprobs)),
    ),
  ),
);

/** A null: one of the different answers, all equally likely, independently of their frequency. */
export const RANDOM = each({ id: 'random', sees: 'nothing' }, (group) => {
  const values = [...votes(group.attempts).keys()];
  return chosenOf(group, firstWith(group, values.length > 0 ? rngOf(group).choice(values) : null));
});

/** A null: the first rollout. Rollouts are exchangeable, so any would do. */
export const ONE = each({ id: 'one', sees: 'nothing' }, (group) => {
  const [first] = group.attempts;
  return chosenOf(group, first ? 0 : null);
});

/** The upper bound: the answer that only a labelled problem has. */
export const ORACLE = each({ id: 'oracle', sees: 'truth' }, (group) => {
  const value = group.truth();
  return { value, text: null, chosen: null, read: 0, cost: FREE };
});
