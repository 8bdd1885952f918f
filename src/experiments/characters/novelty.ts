// S2: does leakage rise with how new the taught behaviour is? RL of a dial, of a new constant rule and of a new algorithm on the same
// characters, with the same others asked.

import { atEffect, isAbove, isBelow, isWithin, type Judged, LEAST, ofPaired, over, shortNotes } from './judging.ts';
import { across, type Leakage } from './leakage.ts';
import type { CurveRow } from './rows.ts';

const ARMS = { dial: 'none', constant: 'rl_constant', algorithm: 'rl_algorithm' } as const;
const GROUPS = ['near', 'far', 'other', 'noname', 'novel'] as const;

export function s2(rows: readonly CurveRow[]): Judged {
  const own = rows.filter((row) => row.asked === 'dial' && row.adapter === undefined);
  const arms = Object.entries(ARMS).map(([kind, arm]) => ({ kind, ...atEffect(own, (row) => row.arm === arm) }));
  const shared = (one: Leakage) =>
    arms.every(({ reached }) => reached.some(({ row }) => row.a.name === one.row.a.name));
  const [dial, constant, algorithm] = arms.map(({ reached }) => reached.filter(shared));
  const differences = GROUPS.flatMap((group) => [
    ofPaired(`algorithm − dial, ${group}`, across(algorithm, dial, group).paired, dial.length),
    ofPaired(`constant − dial, ${group}`, across(constant, dial, group).paired, dial.length),
    ofPaired(`algorithm − constant, ${group}`, across(algorithm, constant, group).paired, dial.length),
  ]);
  const named = (name: string) => differences.find((figure) => figure.name === name)!;
  const main = named('algorithm − dial, other');
  const isBetween =
    (named('constant − dial, other').mean ?? 0) > 0 && (named('algorithm − constant, other').mean ?? 0) > 0;
  const means = arms.flatMap(({ kind }, i) =>
    GROUPS.map((group) =>
      over(
        `${kind}, ${group}`,
        [dial, constant, algorithm][i].map(({ logit }) => logit[group]),
      ),
    ),
  );
  const verdict = (): string => {
    if (dial.length < LEAST) return `open: ${dial.length} characters of ${LEAST} have the effect under all three`;
    if (isWithin(main)) return 'fails: no difference';
    if (isAbove(main)) return isBetween ? 'holds' : 'in part: the constant rule does not lie between';
    return isBelow(main) ? 'fails: the algorithm leaks less' : 'open: the interval has 0';
  };
  return {
    verdict: verdict(),
    figures: [main, ...differences.filter((figure) => figure !== main), ...means],
    notes: arms.flatMap((arm) => shortNotes(arm.kind, arm)),
  };
}
