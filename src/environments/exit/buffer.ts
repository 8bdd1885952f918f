// What an ExIt sampler remembers: histories of answers to base tasks, each with how much the last group from there could teach.
// Pure functions on plain values; the sampler owns the list.
import { sum } from '../../stats/index.ts';
import type { Answer } from './types.ts';

/** A base task with the policy's own answers to it. Plain JSON. */
export interface Entry {
  /** Numbered in the order of insertion. */
  id: number;
  /** The entry that it grew out of; null of a base task's. */
  parent: number | null;
  /** Of the base task. */
  task: string;
  history: readonly Answer[];
  /** S: variance of the returns of the last group from here; at first its parent's group's. */
  score: number;
  /** Groups that began here. */
  uses: number;
}

/** P(i) ∝ exp(κ S_i), in the order given. The largest exponent is taken off first, so that nothing overflows. */
export function selectionProbabilities(scores: readonly number[], kappa: number): number[] {
  const most = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(kappa * (score - most)));
  const total = sum(weights);
  return weights.map((weight) => weight / total);
}

/** The first place whose cumulated probability exceeds u ∈ [0, 1). */
export function pick(probabilities: readonly number[], u: number): number {
  let left = u;
  for (const [i, probability] of probabilities.entries()) {
    left -= probability;
    if (left < 0) return i;
  }
  return probabilities.length - 1;
}

/** S = mean (r − mean)²: what a group can teach, which costs nothing to know. */
export function learnability(returns: readonly number[]): number {
  const mean = sum(returns) / returns.length;
  return sum(returns.map((value) => (value - mean) ** 2)) / returns.length;
}

/** The `most` highest scores stay, in order of insertion; of equal ones the younger. */
export function keepTop(entries: readonly Entry[], most: number): Entry[] {
  if (entries.length <= most) return [...entries];
  const ranked = [...entries].sort((a, b) => b.score - a.score || b.id - a.id).slice(0, most);
  return ranked.sort((a, b) => a.id - b.id);
}
