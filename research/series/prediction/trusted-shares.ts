// P12: RL on a trusted tenth ends twenty points below repaired graders (composed.ts, P10). How much of that gap do more trusted problems close?
// P10's and P11's runs were known; the rule was written before any run with another share. The unit is a draw of the problems; in each draw a
// smaller share lies within a larger one.

import { MISCONCEIVED } from '../../../src/environments/code/types.ts';
import { arenaRows } from '../../../src/experiments/analysis/arena.ts';
import { withDefaults } from '../../../src/experiments/config/spec.ts';
import type { Estimate, Estimates } from '../../../src/experiments/judge/estimate.ts';
import { eachLine, intervalText } from '../../../src/experiments/judge/estimate.ts';
import type { Rule } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { two } from '../../../src/lib/numbers.ts';
import { dotChart, presentEstimates, rowProvenance } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import { apartCells } from './apart.ts';
import { referencesOf } from './arena/by-setting.ts';
import {
  drawOf,
  drawsDifference,
  hackIn,
  honestIn,
  meanRate,
  type RateIn,
  rateBeside,
  ratesOf,
  ratioEstimate,
} from './arena/estimates.ts';
import { nameOfCell } from './arena/published.ts';
import { COMPOSED_DRAWS, composedCells } from './composed.ts';
import { namedRuns, sharesTable } from './shares.ts';

/** Shares of the honest problems that are trusted, beside the tenth. */
const MORE_TRUSTED = { twice: 0.2, fourTimes: 0.4 } as const;
type More = keyof typeof MORE_TRUSTED;
const MORE = Object.keys(MORE_TRUSTED) as More[];

type Key = `${'half' | 'gain' | 'lack' | 'overVanilla' | 'hack' | 'kept'}:${More}`;

const WORDS: Readonly<Record<More, string>> = { twice: 'two tenths', fourTimes: 'four tenths' };
const namesByShare = (name: (words: string) => string) => (more: More) => name(WORDS[more]);
const NAME_OF = {
  half: namesByShare((share) => `${share} above halfway from a tenth to repaired graders, honest solve`),
  gain: namesByShare((share) => `${share} − a tenth, honest solve`),
  lack: namesByShare((share) => `repaired graders − ${share}, honest solve`),
  overVanilla: namesByShare((share) => `${share} − vanilla, honest solve`),
  hack: namesByShare((share) => `${share}, hack of hackable prompts above repaired graders’`),
  kept: namesByShare((share) => `${share}, kept of what repaired graders teach`),
} as const;

const NAMES = Object.fromEntries(
  Object.entries(NAME_OF).flatMap(([kind, nameOf]) => MORE.map((more) => [`${kind}:${more}`, nameOf(more)])),
) as Record<Key, string>;

export const TRUSTED_SHARES_RULE: Rule<Key> = {
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
  /** P11's cells, one per draw, with vanilla, repaired graders and RL on the trusted tenth. */
  cells: RunRecord[][];
  /** RL on more trusted problems in the same draws; empty where a draw lacks it. */
  further: Record<More, RunRecord[][]>;
}

/** Throws RangeError where a draw has two cells of one share, or an arm twice. */
export function trustedShareCells(runs: readonly RunRecord[]): Shares {
  const isOf = (share: number) => (run: RunRecord) => withDefaults(run.spec).trustedShare === share;
  const { cells } = apartCells(runs.filter(isOf(0.1)));
  const of = (more: More) => {
    const own = composedCells(runs.filter(isOf(MORE_TRUSTED[more])), MISCONCEIVED);
    return cells.map((cell) => {
      const [found, again] = own.filter((other) => drawOf(other) === drawOf(cell));
      if (again || (found?.length ?? 0) > 1) throw new RangeError(`draw ${drawOf(cell)} has a share twice`);
      return found ?? [];
    });
  };
  return { cells, further: { twice: of('twice'), fourTimes: of('fourTimes') } };
}

export function trustedSharesEstimates(runs: readonly RunRecord[]): Estimates<Key> {
  const { cells, further } = trustedShareCells(runs);
  const [trusted, repaired, vanilla] = ['trusted-only', 'repaired', 'none'].map(honestIn);
  const estimates: Partial<Record<Key, Estimate>> = {};
  for (const more of MORE) {
    const group = further[more];
    const inGroup = rateBeside(cells, group);
    const own = inGroup(trusted);
    const over = (kind: keyof typeof NAME_OF, one: RateIn, other: RateIn) => {
      estimates[`${kind}:${more}`] = drawsDifference(NAME_OF[kind](more), cells, one, other);
    };
    over('half', own, meanRate(trusted, repaired));
    over('gain', own, trusted);
    over('lack', repaired, own);
    over('overVanilla', own, vanilla);
    over('hack', inGroup(hackIn('trusted-only')), hackIn('repaired'));
    const joined = [...referencesOf(cells.flat(), group.flat()), ...group.flat()];
    const row = arenaRows(joined).find(({ arm, model }) => arm === 'trusted-only' && model === 'total');
    if (row) estimates[`kept:${more}`] = ratioEstimate(NAME_OF.kept(more), row.kept.honest);
  }
  return estimates;
}

/** P11's runs, among them vanilla, repaired graders and RL on the trusted tenth. */
const BESIDE = 'arena/apart.runs.json.gz';
/** RL on more trusted problems. */
const FILE = 'arena/trusted-shares.runs.json.gz';
const OWN = 'trusted-only';
const DIFFERENCES = ['half', 'gain', 'lack', 'overVanilla'] as const;

export const MORE_TRUST: Question<readonly RunRecord[], Key> = {
  id: 'P12',
  title: 'Do more trusted problems close what a trusted tenth leaves?',
  hypothesis:
    'RL on a trusted tenth of the honest problems alone ends 20 points of honest solve below repaired graders here (P10). With two tenths trusted, as many steps and as many rollouts, it closes more than half of that gap.',
  falsified: 'With four tenths trusted, more than half of the gap is left, by an interval.',
  unit: 'draws',
  caveat: `One model of .85 M parameters, 200 steps of a LoRA, one training seed in each of ${COMPOSED_DRAWS.length} draws of the problems. The rows of the trusted tenth and of repaired graders (P10) and vanilla’s (P11) were known in these draws; P10’s were run on the CPU kind that fuses.`,
  section: 'Do more trusted problems close what a trusted tenth leaves?',
  files: [BESIDE, FILE],
  commands: ['npm run research -- judge --series prediction'],
  says: {
    holds:
      'Where a trusted tenth alone ends twenty points short, twice as many trusted problems close more than half of the gap.',
    'in part: four times as many close more than half':
      'Where a trusted tenth alone ends twenty points short, four times as many trusted problems close more than half of the gap; that twice as many do is not shown.',
    'fails: four times as many leave more than half':
      'Where a trusted tenth alone ends twenty points short, four times as many trusted problems leave more than half of the gap.',
    open: 'Where a trusted tenth alone ends twenty points short, it is open whether four times as many trusted problems close half of the gap.',
  },
  read: (rows) => [...rows.runs(BESIDE), ...rows.runs(FILE)],
  names: NAMES,
  rule: TRUSTED_SHARES_RULE,
  show: two,
  estimates: (runs) => {
    const { twice, fourTimes } = trustedShareCells(runs).further;
    return [...twice, ...fourTimes].some((cell) => cell.length > 0) ? trustedSharesEstimates(runs) : null;
  },
  shown(runs, { estimates, verdict }) {
    const { cells, further } = trustedShareCells(runs);
    const known = cells.map((cell) => cell.filter(({ spec }) => ['none', 'repaired', OWN].includes(spec.arm)));
    const more = [...further.twice, ...further.fourTimes].flat();
    const own = [...known.flat(), ...more];
    const shareText = (share: number) => `${100 * share}% trusted`;
    const { 'half:twice': half, 'lack:fourTimes': lack, 'overVanilla:twice': overVanilla } = estimates;
    return {
      tables: [
        sharesTable(`${cells.length} draws`, [
          ['untrained', ratesOf(known, 'none', 'base')],
          ['vanilla', ratesOf(known, 'none', 'total')],
          [`trusted only, ${shareText(0.1)}`, ratesOf(known, OWN, 'total')],
          [`trusted only, ${shareText(MORE_TRUSTED.twice)}`, ratesOf(further.twice, OWN, 'total')],
          [`trusted only, ${shareText(MORE_TRUSTED.fourTimes)}`, ratesOf(further.fourTimes, OWN, 'total')],
          ['repaired graders', ratesOf(known, 'repaired', 'total')],
        ]),
      ],
      chart: dotChart(
        'RL on more trusted problems against others, a dot a draw',
        'difference in honest solve',
        presentEstimates(
          estimates,
          DIFFERENCES.flatMap((kind) => MORE.map((more) => `${kind}:${more}` as const)),
        ),
        OWN,
      ),
      made: rowProvenance(own),
      runs: () => [
        ...namedRuns(known.flat()),
        ...namedRuns(more, (run) => `${nameOfCell(run)}, ${shareText(run.spec.trustedShare ?? 0.1)}`),
      ],
      limits: [
        ...(overVanilla
          ? [`With two tenths honest solve above vanilla’s, which hacks: ${intervalText(overVanilla, two)}.`]
          : []),
        ...(lack ? [`With four tenths repaired graders still solve ${intervalText(lack, two)} more.`] : []),
        'A share is of the honest problems, chosen at random; a smaller one lies within a larger one.',
      ],
      inDocs: [`**P12: ${verdict.status}`, ...(half ? [eachLine(half, two)] : [])],
    };
  },
};
