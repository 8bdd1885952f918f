// Area under the ROC curve: the chance that a positive's score is above a negative's, ties counting half (Hanley & McNeil 1982). A leaf.
import { ranks } from './rank.ts';

/** Throws RangeError where one side is empty. */
export function areaUnderRoc(positives: readonly number[], negatives: readonly number[]): number {
  const [p, n] = [positives.length, negatives.length];
  if (p === 0 || n === 0) throw new RangeError(`a ROC curve needs both sides, got ${p} positives and ${n} negatives`);
  const sum = ranks([...positives, ...negatives])
    .slice(0, p)
    .reduce((total, rank) => total + rank, 0);
  return (sum - (p * (p + 1)) / 2) / (p * n);
}
