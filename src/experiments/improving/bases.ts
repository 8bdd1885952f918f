// E1 on other bases (docs/exit.md): the same rule on each, and what they say together. The base is the unit there, since seeds of one
// base share whatever that base is like.
import { mean, type PairedT, pairedT } from '../../stats/index.ts';
import { basesOf, type ImproveRow } from './rows.ts';
import { costVerdict, type ExitVerdict } from './verdicts.ts';

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
  const judged = bases.filter(({ base }) => base !== null).map(({ of }) => of);
  if (judged.length === 0) return null;
  const over = (of: (one: ExitVerdict) => readonly number[]) => pairedT(bases.map((one) => mean(of(one.of)) ?? 0));
  return {
    verdict: judged.every(({ verdict }) => verdict === 'holds')
      ? 'holds on both'
      : judged.every(({ last }) => last.every((x) => x > 0))
        ? 'in part'
        : 'fails',
    ...{ bases, first: over(({ first }) => first), last: over(({ last }) => last) },
  };
}
