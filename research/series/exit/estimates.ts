// Estimates for the questions of self-improvement, from rows: the difference of two models after K revisions, seed by seed, and the rise of
// a training's reward.

import { lastAt } from '../../../src/experiments/exit/metrics.ts';
import { type ImproveRow, type Model, modelsOf, modelsOfArm, rowsOfWay } from '../../../src/experiments/exit/rows.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import { mean, pairedT } from '../../../src/stats/index.ts';
import { pairedEstimate, valuesBySeed } from '../../judge/estimates.ts';

/** Steps at the start and at the end of training whose mean rewards are compared. */
const ENDS = 25;

export interface Compared {
  name: string;
  one: string;
  other: string;
  k: number;
  /** Revisions that a chain needs to count; shorter chains answer other questions. Default: K. */
  least?: number;
}

/**
 * one − other after K revisions, by the seeds that both have. The base has no seed and is compared with each. Absent if no seed has both.
 */
export function differenceAt(
  rows: readonly ImproveRow[],
  { name, one, other, k, least = k }: Compared,
): Estimate | undefined {
  const at = (model: Model | undefined): number | null => {
    const own = model ? rowsOfWay(model, 'sampled') : [];
    return own.every(({ quality }) => quality.length > least) ? lastAt(own, k) : null;
  };
  const models = modelsOf(rows);
  const others = modelsOfArm(models, other);
  const each = modelsOfArm(models, one).flatMap((model) => {
    const against = others.find(({ seed }) => seed === model.seed) ?? others.find(({ seed }) => seed === null);
    const [a, b] = [at(model), at(against)];
    return model.seed === null || a === null || b === null ? [] : [{ seed: model.seed, value: a - b }];
  });
  const values = each.map(({ value }) => value);
  const seeds = each.map(({ seed }) => seed);
  return each.length > 0 ? pairedEstimate(name, valuesBySeed(seeds, values), pairedT(values)) : undefined;
}

/** Rise of a training's reward: its mean at the end minus that at the start. */
export const rewardRise = (rewards: readonly (number | null)[]): number => {
  const of = (part: readonly (number | null)[]) => mean(part.filter((reward) => reward !== null)) ?? 0;
  return of(rewards.slice(-ENDS)) - of(rewards.slice(0, ENDS));
};
