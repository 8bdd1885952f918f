// S2: does leakage rise with how new the taught behaviour is? RL of a dial, of a new constant rule and of a new algorithm on the same
// characters, with the same others asked.

import { judge, verdictText } from '../judge/rule.ts';
import { askedUnder, atEffect, type Judged, judgeable, meanOnly, ofPairs, over, shortNotes } from './judging.ts';
import { across, type Leakage } from './leakage.ts';
import type { CurveRow } from './rows.ts';
import { S2, S2_AGAIN } from './rules.ts';

const ARMS = { dial: 'none', constant: 'rl_constant', algorithm: 'rl_algorithm' } as const;
/** S2's again has no constant rule, which many characters are not taught in a run. */
const BOTH = { dial: ARMS.dial, algorithm: ARMS.algorithm } as const;
const GROUPS = ['near', 'far', 'other', 'noname', 'novel'] as const;

const main = 'algorithm − dial, other';

/** The arms at the effect on the characters that have it under all of them, and their differences by group. */
function compared(rows: readonly CurveRow[], kinds: Readonly<Record<string, string>>) {
  const own = rows.filter((row) => row.asked === 'dial' && row.adapter === undefined);
  const arms = Object.entries(kinds).map(([kind, arm]) => ({ kind, ...atEffect(own, (row) => row.arm === arm) }));
  const isShared = (one: Leakage) =>
    arms.every(({ reached }) => reached.some(({ row }) => row.a.name === one.row.a.name));
  const shared = arms.map(({ kind, reached }) => ({ kind, reached: reached.filter(isShared) }));
  const differences = shared.flatMap((later, i) =>
    shared
      .slice(0, i)
      .flatMap((earlier) =>
        GROUPS.map((group) =>
          ofPairs(`${later.kind} − ${earlier.kind}, ${group}`, across(later.reached, earlier.reached, group)),
        ),
      ),
  );
  const means = shared.flatMap(({ kind, reached }) =>
    GROUPS.map((group) =>
      over(
        `${kind}, ${group}`,
        reached.map(({ logit }) => logit[group]),
      ),
    ),
  );
  const first = differences.find(({ name }) => name === main)!;
  return {
    n: shared[0].reached.length,
    asked: askedUnder(arms),
    main: first,
    named: (name: string) => differences.find((figure) => figure.name === name)?.mean ?? 0,
    figures: [first, ...differences.filter((figure) => figure !== first), ...means],
    notes: arms.flatMap((arm) => shortNotes(arm.kind, arm)),
  };
}

export function s2(rows: readonly CurveRow[]): Judged {
  const { n, asked, main, named, figures, notes } = compared(rows, ARMS);
  const estimates = {
    main: { ...judgeable(main, asked), n },
    low: meanOnly(named('constant − dial, other')),
    high: meanOnly(named('algorithm − constant, other')),
  };
  return { verdict: verdictText(judge(S2.rule, estimates)), figures, notes };
}

export function s2again(rows: readonly CurveRow[]): Judged {
  const { n, asked, main, figures, notes } = compared(rows, BOTH);
  const verdict = verdictText(judge(S2_AGAIN.rule, { main: { ...judgeable(main, asked), n } }));
  return { verdict, figures, notes };
}
