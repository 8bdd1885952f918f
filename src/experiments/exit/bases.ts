// E1 on other bases (docs/lab-book/exit.md): the same rule on each, and what they say together. The base is the unit there, since seeds of one
// base share whatever that base is like.
import { mean, type PairedT, pairedT } from '../../stats/index.ts';
import { judge, verdictText } from '../judge/rule.ts';
import { basesOf, type ImproveRow } from './rows.ts';
import { onEachBase } from './rules.ts';
import { costVerdict, type ExitVerdict, ofDifferences } from './verdicts.ts';

/** What was pretrained is one of them too, but known when the rule was written: it is beside them and judges nothing. */
export interface BasesVerdict {
  verdict: string;
  bases: readonly { base: string | null; of: ExitVerdict }[];
  /** Over the means of all bases, the known one among them; null below two. */
  first: PairedT | null;
  last: PairedT | null;
}

/** Null where no other base has both arms. */
export function basesVerdict(rows: readonly ImproveRow[], arm: string): BasesVerdict | null {
  const bases = [...basesOf(rows)].flatMap(([base, own]) => {
    const of = costVerdict(own, arm);
    return of ? [{ base, of }] : [];
  });
  const judged = bases.flatMap(({ base, of }) => (base === null ? [] : [{ base, of }]));
  if (judged.length === 0) return null;
  const ends = Object.fromEntries(
    judged.flatMap(({ base, of: { first, last } }) => [
      [`last: ${base}`, ofDifferences(last)],
      [`first: ${base}`, ofDifferences(first)],
    ]),
  );
  const over = (of: (one: ExitVerdict) => readonly number[]) => pairedT(bases.map((one) => mean(of(one.of)) ?? 0));
  return {
    verdict: verdictText(judge(onEachBase(judged.map(({ base }) => base)).rule, ends)),
    ...{ bases, first: over(({ first }) => first), last: over(({ last }) => last) },
  };
}
