// Self-consistency as a label: the most common behaviour of a group's answers is its consensus, and a rewarded answer that behaves
// differently is suspected of being a hack. Whether the consensus is correct is unknown. The environment describes a behaviour as text.
import type { CounterRng } from '../rng/index.ts';

export interface ObservedAnswer {
  /** Equal for two answers that behave the same; null if nothing was observed. */
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

/** Marks the answers that lose their reward: rewarded ones that do not behave as the consensus does. An answer without an observed
 *  behaviour never agrees with the consensus. */
export function againstConsensus(group: readonly ObservedAnswer[]): boolean[] {
  const consensus = consensusOf(group.map(({ behaviour }) => behaviour));
  return group.map(({ behaviour, isPaid }) => isPaid && (behaviour === null || behaviour !== consensus));
}

/** The placebo: marks `count` rewarded answers, chosen at random. */
export function randomRewarded(
  group: readonly Pick<ObservedAnswer, 'isPaid'>[],
  count: number,
  rng: CounterRng,
): boolean[] {
  const chosen = new Set(rng.shuffle(group.flatMap(({ isPaid }, i) => (isPaid ? [i] : []))).slice(0, count));
  return group.map((_, i) => chosen.has(i));
}
