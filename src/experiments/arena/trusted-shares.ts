// Where RL on a trusted tenth ends twenty points below repaired graders (composed.ts, P10): how much of that gap do more trusted problems close?
// P10's and P11's runs were known; the rule was written before any run with another share. A draw of the problems is a unit, and in each
// draw a smaller share lies within a larger one.
import { MISCONCEIVED } from '../../environments/code/types.ts';
import { arenaRows } from '../analysis/arena.ts';
import { withDefaults } from '../config/spec.ts';
import type { Rule } from '../judge/rule.ts';
import type { Estimate, Estimates } from '../judge/types.ts';
import type { RunRecord } from '../records/events.ts';
import { apartCells } from './apart.ts';
import { referencesOf } from './by-setting.ts';
import { COMPOSED_DRAWS, composedCells } from './composed.ts';
import { hackIn, honestIn, ofShare, overDraws, type RateIn } from './narrow.ts';

/** Of the honest problems, beside the tenth. */
export const MORE_TRUSTED = { twice: 0.2, fourTimes: 0.4 } as const;
type More = keyof typeof MORE_TRUSTED;
const MORE = Object.keys(MORE_TRUSTED) as More[];

export type TrustedSharesKey = `${'half' | 'gain' | 'lack' | 'overVanilla' | 'hack' | 'kept'}:${More}`;

const WORDS: Readonly<Record<More, string>> = { twice: 'two tenths', fourTimes: 'four tenths' };
const named = (name: (words: string) => string) => (more: More) => name(WORDS[more]);
const NAME_OF = {
  half: named((share) => `${share} above halfway from a tenth to repaired graders, honest solve`),
  gain: named((share) => `${share} − a tenth, honest solve`),
  lack: named((share) => `repaired graders − ${share}, honest solve`),
  overVanilla: named((share) => `${share} − vanilla, honest solve`),
  hack: named((share) => `${share}, hack of hackable prompts above repaired graders’`),
  kept: named((share) => `${share}, kept of what repaired graders teach`),
} as const;

export const TRUSTED_SHARES_NAMES = Object.fromEntries(
  Object.entries(NAME_OF).flatMap(([kind, nameOf]) => MORE.map((more) => [`${kind}:${more}`, nameOf(more)])),
) as Record<TrustedSharesKey, string>;

export const TRUSTED_SHARES_RULE: Rule<TrustedSharesKey> = {
  needs: [{ of: ['half:twice', 'half:fourTimes'], least: COMPOSED_DRAWS.length, what: 'draws' }],
  cases: [
    { status: 'holds', when: { above: 'half:twice' } },
    { status: 'in part', because: 'four times as many close more than half', when: { above: 'half:fourTimes' } },
    { status: 'fails', because: 'four times as many leave more than half', when: { below: 'half:fourTimes' } },
    { status: 'open' },
  ],
  after: 'Honest solve against repaired graders and vanilla is reported, not judged.',
};

interface Shares {
  /** P11's cells: a draw each, with vanilla, repaired graders and RL on the trusted tenth. */
  cells: RunRecord[][];
  /** RL on more trusted problems in the same draws; empty where a draw lacks it. */
  beside: Record<More, RunRecord[][]>;
}

/** Throws RangeError where a draw has two cells of one share, or an arm twice. */
export function trustedShareCells(runs: readonly RunRecord[]): Shares {
  const isOf = (share: number) => (run: RunRecord) => withDefaults(run.spec).trustedShare === share;
  const { cells } = apartCells(runs.filter(isOf(0.1)));
  const of = (more: More) => {
    const own = composedCells(runs.filter(isOf(MORE_TRUSTED[more])), MISCONCEIVED);
    return cells.map((cell) => {
      const [found, again] = own.filter((other) => dataSeedOf(other) === dataSeedOf(cell));
      if (again || (found?.length ?? 0) > 1) throw new RangeError(`draw ${dataSeedOf(cell)} has a share twice`);
      return found ?? [];
    });
  };
  return { cells, beside: { twice: of('twice'), fourTimes: of('fourTimes') } };
}

const dataSeedOf = ([{ spec }]: readonly RunRecord[]): number => withDefaults(spec).dataSeed;

export function trustedSharesEstimates(runs: readonly RunRecord[]): Estimates<TrustedSharesKey> {
  const { cells, beside } = trustedShareCells(runs);
  const [trusted, repaired, vanilla] = ['trusted-only', 'repaired', 'none'].map(honestIn);
  const half: RateIn = (cell) => {
    const [a, b] = [trusted(cell), repaired(cell)];
    return a === null || b === null ? null : (a + b) / 2;
  };
  const estimates: Partial<Record<TrustedSharesKey, Estimate>> = {};
  for (const more of MORE) {
    const group = beside[more];
    const within =
      (rate: RateIn): RateIn =>
      (cell) =>
        rate(group[cells.indexOf(cell as RunRecord[])]);
    const own = within(trusted);
    const over = (kind: keyof typeof NAME_OF, one: RateIn, other: RateIn) => {
      estimates[`${kind}:${more}`] = overDraws(NAME_OF[kind](more), cells, one, other);
    };
    over('half', own, half);
    over('gain', own, trusted);
    over('lack', repaired, own);
    over('overVanilla', own, vanilla);
    over('hack', within(hackIn('trusted-only')), hackIn('repaired'));
    const joined = [...referencesOf(cells.flat(), group.flat()), ...group.flat()];
    const row = arenaRows(joined).find(({ arm, model }) => arm === 'trusted-only' && model === 'total');
    if (row) estimates[`kept:${more}`] = ofShare(NAME_OF.kept(more), row.kept.honest);
  }
  return estimates;
}
