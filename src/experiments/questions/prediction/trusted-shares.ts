// P12: where RL on a trusted tenth ends twenty points below repaired graders, how much of that do more trusted problems close? The rule is the
// arena's (../../arena/trusted-shares.ts), written before its runs.

import { two } from '../../../lib/numbers.ts';
import { COMPOSED_DRAWS } from '../../arena/composed.ts';
import { ratesOf } from '../../arena/narrow.ts';
import { nameOfCell } from '../../arena/published.ts';
import {
  MORE_TRUSTED,
  TRUSTED_SHARES_NAMES,
  TRUSTED_SHARES_RULE,
  type TrustedSharesKey,
  trustedShareCells,
  trustedSharesEstimates,
} from '../../arena/trusted-shares.ts';
import { dotChart, eachLine, madeOf, shown } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import type { Judgement } from '../../judge/types.ts';
import type { RunRecord } from '../../records/events.ts';
import { namedRuns, sharesTable } from './shares.ts';

/** P11's rows: vanilla, repaired graders and RL on the trusted tenth among them. */
const BESIDE = 'arena/apart.runs.json.gz';
/** RL on more trusted problems. */
const FILE = 'arena/trusted-shares.runs.json.gz';
const OWN = 'trusted-only';
const DIFFERENCES = ['half', 'gain', 'lack', 'overVanilla'] as const;

export const MORE_TRUST: Question<readonly RunRecord[], TrustedSharesKey> = {
  id: 'P12',
  title: 'Do more trusted problems close what a trusted tenth leaves?',
  hypothesis:
    'RL on a trusted tenth of the honest problems alone ends 20 points of honest solve below repaired graders here (P10). With two tenths trusted, as many steps and as many rollouts, it closes more than half of that gap.',
  falsified: 'With four tenths trusted, more than half of the gap is left, by an interval.',
  unit: 'draws',
  caveat: `One model of .85 M parameters, 200 steps of a LoRA, one training seed in each of ${COMPOSED_DRAWS.length} draws of the problems. The rows of the trusted tenth and of repaired graders (P10) and vanilla’s (P11) were known in these draws; P10’s were run on the CPU kind that fuses.`,
  section: 'Do more trusted problems close what a trusted tenth leaves?',
  files: [BESIDE, FILE],
  commands: ['npm run lab -- findings --series prediction --dry'],
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
  names: TRUSTED_SHARES_NAMES,
  rule: TRUSTED_SHARES_RULE,
  show: two,
  estimates: (runs) => {
    const { twice, fourTimes } = trustedShareCells(runs).beside;
    return [...twice, ...fourTimes].some((cell) => cell.length > 0) ? trustedSharesEstimates(runs) : null;
  },
  shown(runs, { estimates, verdict }): Pick<Judgement, 'tables' | 'chart' | 'made' | 'runs' | 'inDocs' | 'limits'> {
    const { cells, beside } = trustedShareCells(runs);
    const known = cells.map((cell) => cell.filter(({ spec }) => ['none', 'repaired', OWN].includes(spec.arm)));
    const more = [...beside.twice, ...beside.fourTimes].flat();
    const own = [...known.flat(), ...more];
    const shareText = (share: number) => `${100 * share}% trusted`;
    const { 'half:twice': half, 'lack:fourTimes': lack, 'overVanilla:twice': overVanilla } = estimates;
    return {
      tables: [
        sharesTable(`${cells.length} draws`, [
          ['untrained', ratesOf(known, 'none', 'base')],
          ['vanilla', ratesOf(known, 'none', 'total')],
          [`trusted only, ${shareText(0.1)}`, ratesOf(known, OWN, 'total')],
          [`trusted only, ${shareText(MORE_TRUSTED.twice)}`, ratesOf(beside.twice, OWN, 'total')],
          [`trusted only, ${shareText(MORE_TRUSTED.fourTimes)}`, ratesOf(beside.fourTimes, OWN, 'total')],
          ['repaired graders', ratesOf(known, 'repaired', 'total')],
        ]),
      ],
      chart: dotChart(
        'RL on more trusted problems against others, a dot a draw',
        'difference in honest solve',
        DIFFERENCES.flatMap((kind) => [estimates[`${kind}:twice`] ?? [], estimates[`${kind}:fourTimes`] ?? []].flat()),
        OWN,
      ),
      made: madeOf(own),
      runs: () => [
        ...namedRuns(known.flat()),
        ...namedRuns(more, (run) => `${nameOfCell(run)}, ${shareText(run.spec.trustedShare ?? 0.1)}`),
      ],
      limits: [
        ...(overVanilla
          ? [`With two tenths honest solve above vanilla’s, which hacks: ${shown(overVanilla, two)}.`]
          : []),
        ...(lack ? [`With four tenths repaired graders still solve ${shown(lack, two)} more.`] : []),
        'A share is of the honest problems, chosen at random; a smaller one lies within a larger one.',
      ],
      inDocs: [`**P12: ${verdict.status}`, ...(half ? [eachLine(half, two)] : [])],
    };
  },
};
