// S1 (docs/lab-book/characters.md): does SDF leak less than RL of an existing dial, at the same effect on A? From rows alone. The rules were
// written down before the first run that they judge. The unit is the trained character.
import type { GroupId } from '../../environments/characters/task.ts';
import type { PairedT } from '../../stats/index.ts';
import { judge, verdictText } from '../judge/rule.ts';
import {
  askedUnder,
  atEffect,
  type BoundedEstimate,
  estimateText,
  isAbove,
  judgeable,
  LEAST,
  meanOnly,
  NONE_WITHIN,
  ofPairs,
  over,
} from './judging.ts';
import { difference, movedBy } from './leakage.ts';
import type { CurveRow } from './rows.ts';
import { S1 } from './rules.ts';

export { LEAST, NONE_WITHIN };

export interface GroupVerdict {
  group: GroupId;
  /** RL − SDF, log-odds leakage. */
  pairs: readonly { name: string; difference: number }[];
  paired: PairedT | null;
}

export interface S1Verdict {
  effect: number;
  verdict: string;
  groups: readonly GroupVerdict[];
  /** Arms that never had the effect, by character. */
  short: readonly { arm: string; name: string; most: number }[];
  /** Placebos that moved the target. */
  moved: readonly { arm: string; name: string; moved: number }[];
  /** Characters asked, and those that have the effect, by arm. */
  effects: readonly { arm: 'sdf' | 'none'; n: number; of: number }[];
  /** Under documents, at the effect: the rise of the belief about others in log-odds, of A's. */
  beliefs: BoundedEstimate;
}

const PLACEBOS = ['sdf_placebo', 'rl_random'];

export function s1(rows: readonly CurveRow[], effect: number): S1Verdict {
  const own = rows.filter(({ teaches }) => teaches === 'dial');
  const [sdf, rl] = ['sdf', 'none'].map((arm) => atEffect(own, (row) => row.arm === arm, effect));
  const groups = (['near', 'far', 'other'] as const).map((group) => ({
    group,
    ...difference(rl.reached, sdf.reached, group),
  }));
  const short = [...sdf.short, ...rl.short].map(({ row, most }) => ({ arm: row.arm, name: row.a.name, most }));
  const moved = movedBy(own.filter(({ arm }) => PLACEBOS.includes(arm)));
  const beliefs = over(
    'SDF: rise of the belief about others / about A, log-odds',
    // Of a belief that does not rise there is no share.
    sdf.reached.map(({ beliefRise: { a, others } }) => (a > 0 ? others / a : undefined)),
  );
  const effects = (['sdf', 'none'] as const).map((arm, i) => {
    const { reached, short } = [sdf, rl][i];
    return { arm, n: reached.length, of: reached.length + short.length };
  });
  return {
    effect,
    groups,
    short,
    moved,
    effects,
    beliefs,
    verdict: verdictOf(
      groups,
      moved,
      askedUnder([sdf, rl], ({ character }) => character),
    ),
  };
}

/** On whom it rests, and what documents about one do to beliefs about the others: S1 is of behaviour. */
export function limitsOf({ effects: [sdf, rl], beliefs }: Pick<S1Verdict, 'effects' | 'beliefs'>): string[] {
  const rests =
    sdf.n < sdf.of || rl.n < rl.of
      ? [`Documents have the effect on ${sdf.n} of ${sdf.of} characters, RL on ${rl.n} of ${rl.of}.`]
      : [];
  if (!isAbove(beliefs)) return rests;
  return [
    ...rests,
    `That is of behaviour. Documents about A raise what documents tell of the others too, by ${estimateText(beliefs)} of A’s rise in log-odds.`,
  ];
}

function verdictOf(groups: readonly GroupVerdict[], moved: S1Verdict['moved'], asked: number): string {
  const [near, far] = groups.map(({ group, ...of }) => ofPairs(group, of));
  // A placebo of documents that moves A would make SDF's own effect on A, to which all is related, not the documents' content.
  const placebos = moved.filter(({ arm }) => arm === 'sdf_placebo').map((one) => Math.abs(one.moved));
  const placebo = placebos.length === 0 ? undefined : { ...meanOnly(null), each: placebos.map((value) => ({ value })) };
  return verdictText(judge(S1.rule, { near: judgeable(near, asked), far: judgeable(far), placebo }));
}
