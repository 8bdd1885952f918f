// S1 (docs/characters.md): does SDF leak less than RL of an existing dial, at the same effect on A? From rows alone. The rules were
// written down before the first run that they judge. The unit is the trained character.
import type { GroupId } from '../../environments/characters/groups.ts';
import type { PairedT } from '../../stats/index.ts';
import { LEAST, NONE_WITHIN } from './judging.ts';
import { difference, isShort, type Leakage, leakageAt, movedBy } from './leakage.ts';
import type { CurveRow } from './rows.ts';

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
}

const PLACEBOS = ['sdf_placebo', 'rl_random'];

export function s1(rows: readonly CurveRow[], effect: number): S1Verdict {
  const own = rows.filter(({ teaches }) => teaches === 'dial');
  const arms = (arm: string) => own.filter((row) => row.arm === arm).map((row) => leakageAt(row, effect));
  const [sdf, rl] = [arms('sdf'), arms('none')];
  const reached = (all: readonly ReturnType<typeof leakageAt>[]) => all.filter((one): one is Leakage => !isShort(one));
  const groups = (['near', 'far', 'other'] as const).map((group) => ({
    group,
    ...difference(reached(rl), reached(sdf), group),
  }));
  const short = [...sdf, ...rl].filter(isShort).map(({ row, most }) => ({ arm: row.arm, name: row.a.name, most }));
  const moved = movedBy(own.filter(({ arm }) => PLACEBOS.includes(arm)));
  return { effect, groups, short, moved, verdict: verdictOf(groups, moved) };
}

function verdictOf(groups: readonly GroupVerdict[], moved: S1Verdict['moved']): string {
  const [near, far] = groups;
  if (!near.paired || near.paired.n < LEAST)
    return `open: ${near.pairs.length} characters of ${LEAST} have the effect under both`;
  const [{ interval }, other] = [near.paired, far.paired];
  // A placebo of documents that moves A would make SDF's own effect on A, to which all is related, not the documents' content.
  const isPlain = !moved.some(({ arm }) => arm === 'sdf_placebo');
  if (interval.low >= -NONE_WITHIN && interval.high <= NONE_WITHIN) return 'fails: no difference';
  if (interval.low > 0 && (other?.mean ?? 0) > 0) return isPlain ? 'holds' : 'in part: placebo documents move A too';
  if (interval.high < 0) return 'fails: SDF leaks more';
  return 'open: the interval has 0';
}
