// S2: does leakage rise with how new the taught behaviour is? RL teaches a dial, a new constant rule and a new algorithm to the same characters,
// and leakage is measured on the same other characters.

import { BESIDE_A } from '../../../src/environments/characters/task.ts';
import {
  atEffect,
  countUnderAll,
  meanOnly,
  meansOf,
  pairsEstimate,
  type Reading,
  shortNotes,
} from '../../../src/experiments/characters/judging.ts';
import { differenceAcross, sharedBy } from '../../../src/experiments/characters/leakage.ts';
import type { CurveRow } from '../../../src/experiments/characters/rows.ts';

const ARMS = { dial: 'none', constant: 'rl_constant', algorithm: 'rl_algorithm' } as const;
/** The repetition of S2 leaves out the constant rule, which many characters do not learn in a run. */
const BOTH = { dial: ARMS.dial, algorithm: ARMS.algorithm } as const;

const main = 'algorithm − dial, other';

/** The arms at the effect on characters with it under all of them, and their differences by group. */
function compareArms(rows: readonly CurveRow[], kinds: Readonly<Record<string, string>>) {
  const own = rows.filter((row) => row.asked === 'dial' && row.adapter === undefined);
  const arms = Object.entries(kinds).map(([kind, arm]) => ({ kind, ...atEffect(own, (row) => row.arm === arm) }));
  const shared = sharedBy(arms);
  const differences = shared.flatMap((later, i) =>
    shared
      .slice(0, i)
      .flatMap((earlier) =>
        BESIDE_A.map((group) =>
          pairsEstimate(
            `${later.kind} − ${earlier.kind}, ${group}`,
            differenceAcross(later.reached, earlier.reached, group),
          ),
        ),
      ),
  );
  const first = differences.find(({ name }) => name === main)!;
  return {
    main: { ...first, n: shared[0].reached.length, asked: countUnderAll(arms) },
    named: (name: string) => differences.find((figure) => figure.name === name)?.mean ?? 0,
    figures: [first, ...differences.filter((figure) => figure !== first), ...meansOf(shared)],
    notes: arms.flatMap((arm) => shortNotes(arm.kind, arm)),
  };
}

export function s2(rows: readonly CurveRow[]): Reading<'main' | 'low' | 'high'> {
  const { main, named, figures, notes } = compareArms(rows, ARMS);
  const [low, high] = ['constant − dial, other', 'algorithm − constant, other'].map((name) => meanOnly(named(name)));
  return { estimates: { main, low, high }, figures, notes };
}

export function s2again(rows: readonly CurveRow[]): Reading<'main'> {
  const { main, figures, notes } = compareArms(rows, BOTH);
  return { estimates: { main }, figures, notes };
}
