// Compares two arms on the same characters at equally many training tokens, or at equal drift of the others' behaviour, instead of the same
// effect on A (leakage.ts). The effect on A is then an outcome too, so changes are absolute, not ratios. Shown beside S1; no rule uses it.

import { type CurveRow, checkRow, type DosePoint, interpolatedAt } from '../../../src/experiments/characters/rows.ts';
import { type PairedT, pairedT } from '../../../src/stats/index.ts';

export const MATCHES = ['tokens', 'drift'] as const;
export type MatchId = (typeof MATCHES)[number];

/** Groups that are compared: A and those of S1. */
export const READ = ['a', 'near', 'far', 'other'] as const;
type ReadGroup = (typeof READ)[number];

/** Drift in nats below which an arm has hardly changed anyone. */
const LEAST_DRIFT = 0.02;

export interface ReadPoint {
  /** ΔP of A. */
  effect: number;
  /** Change of the target's mean log-odds. */
  logit: Partial<Record<ReadGroup, number>>;
}

export interface MatchedPair {
  name: string;
  /** Tokens, or nats of drift. */
  at: number;
  one: ReadPoint;
  other: ReadPoint;
}

/** Matched quantity of a curve: training tokens, or nats of drift of the others' answers above the base's. */
const measureOf = (by: MatchId, [base]: CurveRow['curve']) => {
  if (by === 'tokens') return ({ tokens }: DosePoint) => tokens;
  return ({ drift }: DosePoint) => drift.pick - base.drift.pick;
};

/** Interpolated where the measure first reaches `at`; null if it does not. */
function readAt({ curve }: CurveRow, measure: (point: DosePoint) => number, at: number): ReadPoint | null {
  const [base] = curve;
  const there = interpolatedAt(curve, measure, at);
  if (!there) return null;
  const above = (of: (point: DosePoint) => number) => there(of) - of(base);
  const groups = READ.filter((group) => base.target[group]);
  return {
    effect: above(({ target }) => target.a!.p),
    logit: Object.fromEntries(groups.map((group) => [group, above(({ target }) => target[group]!.logit)])),
  };
}

/**
 * Each character with rows of both arms, at the largest value that both reach. `left`: characters for whom one arm has no drift. Throws
 * SpecError for a row with A or a contrast name in a group (checkRow).
 */
export function matched(
  rows: readonly CurveRow[],
  [one, other]: readonly [string, string],
  by: MatchId,
): { pairs: MatchedPair[]; left: string[] } {
  const of = (arm: string) =>
    rows.filter((row) => row.arm === arm && row.teaches === 'dial' && row.model === undefined);
  const pairs: MatchedPair[] = [];
  const left: string[] = [];
  for (const a of of(one)) {
    const b = of(other).find(
      ({ character, seed, base, replay }) =>
        [a.character, a.seed, a.base, a.replay].join() === [character, seed, base, replay].join(),
    );
    if (!b) continue;
    checkRow(a);
    checkRow(b);
    const ends = [a, b].map(({ curve }) => Math.max(...curve.map(measureOf(by, curve))));
    const at = Math.min(...ends);
    const [mine, theirs] = [a, b].map((row) => readAt(row, measureOf(by, row.curve), at));
    if (!mine || !theirs || (by === 'drift' && at < LEAST_DRIFT)) left.push(a.a.name);
    else pairs.push({ name: a.a.name, at, one: mine, other: theirs });
  }
  return { pairs, left };
}

/** other − one in log-odds; null for fewer than two characters. */
export function differenceOf(pairs: readonly MatchedPair[], group: ReadGroup): PairedT | null {
  const differences = pairs.flatMap(({ one, other }) => {
    const [x, y] = [one.logit[group], other.logit[group]];
    return x === undefined || y === undefined ? [] : [y - x];
  });
  return differences.length > 1 ? pairedT(differences) : null;
}
