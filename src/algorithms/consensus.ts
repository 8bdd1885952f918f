// Self-consistency as a label: the behaviour of most of a group's answers is its consensus, and an answer that a grader rewards though it behaves
// otherwise is suspected of a hack. Whether the consensus is right is unknown. A behaviour is a text here, which the environment provides.
import type { CounterRng } from '../rng/index.ts';

export interface ObservedAnswer {
  /** Equal for two answers that do the same; null if nothing was observed. */
  behaviour: string | null;
  isPaid: boolean;
}

/** The most common behaviour, or the first in the group among equally common ones. Null if nothing was observed. */
export function consensusOf(behaviours: readonly (string | null)[]): string | null {
  // A map keeps its keys in insertion order, so ties go to the behaviour that came first.
  const counts = new Map<string, number>();
  for (const behaviour of behaviours) if (behaviour !== null) counts.set(behaviour, (counts.get(behaviour) ?? 0) + 1);
  let best: { behaviour: string | null; count: number } = { behaviour: null, count: 0 };
  for (const [behaviour, count] of counts) if (count > best.count) best = { behaviour, count };
  return best.behaviour;
}

/** Answers of a group that lose their reward: those that are rewarded and do not behave as the consensus does. An answer without an observed
 *  behaviour agrees with no other, even if there is no consensus. */
export function againstConsensus(group: readonly ObservedAnswer[]): boolean[] {
  const consensus = consensusOf(group.map(({ behaviour }) => behaviour));
  return group.map(({ behaviour, isPaid }) => isPaid && (behaviour === null || behaviour !== consensus));
}

/** The placebo: the same number of paid answers, chosen at random. */
export function asManyOfPaid(
  group: readonly Pick<ObservedAnswer, 'isPaid'>[],
  count: number,
  rng: CounterRng,
): boolean[] {
  const chosen = new Set(rng.shuffle(group.flatMap(({ isPaid }, i) => (isPaid ? [i] : []))).slice(0, count));
  return group.map((_, i) => chosen.has(i));
}
