// Two arms on the same characters, read where they have trained on equally many tokens, or where what others truly do has drifted
// equally far, in place of the same effect on A (leakage.ts). The effect on A is then an outcome too: changes stand by themselves,
// and no ratio is taken. Shown beside S1; no rule is made of it.

import { type CurveRow, checkRow, type DosePoint, interpolatedAt } from '../../../src/experiments/characters/rows.ts';
import { type PairedT, pairedT } from '../../../src/stats/index.ts';

export const MATCHES = ['tokens', 'drift'] as const;
export type MatchId = (typeof MATCHES)[number];

/** Groups that are read: A and those of S1. */
export const READ = ['a', 'near', 'far', 'other'] as const;
type ReadGroup = (typeof READ)[number];

/** Nats of drift below which an arm has hardly moved anybody. */
const LEAST_DRIFT = 0.02;

export interface ReadPoint {
  /** ΔP of A. */
  effect: number;
  /** Change of the target's mean log-odds. */
  logit: Partial<Record<ReadGroup, number>>;
}

export interface MatchedPair {
  name: string;
  /** Tokens, or nats. */
  at: number;
  one: ReadPoint;
  other: ReadPoint;
}

/** Matched quantity of a curve: tokens trained on, or nats of others' picking above the base's. */
const measureOf = (by: MatchId, [base]: CurveRow['curve']) => {
  if (by === 'tokens') return ({ tokens }: DosePoint) => tokens;
  return ({ drift }: DosePoint) => drift.pick - base.drift.pick;
};

/** Interpolated where the measure first reaches `at`; null where it does not. */
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
 * Each character of which both arms have a row, at the farthest that both come to. `left`: those of whom one arm has not drifted.
 * Throws SpecError for a row with A or a contrast name in a group (checkRow).
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

/** other − one in log-odds; null below two characters. */
export function differenceOf(pairs: readonly MatchedPair[], group: ReadGroup): PairedT | null {
  const differences = pairs.flatMap(({ one, other }) => {
    const [x, y] = [one.logit[group], other.logit[group]];
    return x === undefined || y === undefined ? [] : [y - x];
  });
  return differences.length > 1 ? pairedT(differences) : null;
}
