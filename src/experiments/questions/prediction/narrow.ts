// P4: what becomes of training on trusted problems that are no fair sample. The rule is the arena's
// (../../arena/narrow.ts), written before its runs.

import { three, two } from '../../../lib/numbers.ts';
import {
  anyTrusted,
  NARROW_ARMS,
  NARROW_DRAWS,
  NARROW_MODELS,
  NARROW_NAMES,
  NARROW_RULE,
  NARROW_WORDS,
  type NarrowKey,
  narrowCells,
  narrowEstimates,
  ratesOf,
} from '../../arena/narrow.ts';
import { dotChart, eachLine, madeOf, shown } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import type { Judgement } from '../../judge/types.ts';
import type { RunRecord } from '../../records/events.ts';
import { namedRuns, sharesTable } from './shares.ts';

const FILE = 'arena/narrow.runs.json.gz';

/** As rows of the table: of cells that trust strings alone. */
const MODELS = [
  ['untrained', 'none', 'base'],
  ['vanilla', 'none', 'total'],
  ['RL on trusted strings', 'trusted-only', 'total'],
  ['merged with vanilla', ...NARROW_MODELS.merge],
  ['curriculum', ...NARROW_MODELS.curriculum],
  ['agreement', ...NARROW_MODELS.agree],
  ['agreement’s placebo', ...NARROW_MODELS.agree_random],
  ['repaired graders', 'repaired', 'total'],
] as const;

const DIFFERENCES = [
  'short',
  'narrowing',
  'over:merge',
  'over:curriculum',
  'over:agree',
  'over:agree_random',
] as const satisfies readonly NarrowKey[];

export const NARROW_TRUST: Question<readonly RunRecord[], NarrowKey> = {
  id: 'P4',
  title: 'Do untrusted problems help where all trusted ones take strings?',
  hypothesis:
    'A tenth of the honest problems is trusted, and all of these take a string. RL on them alone ends more than ten points of honest solve below repaired graders. Merged with vanilla’s update where signs agree, it solves more, and at least 90% of the hack is removed.',
  falsified: 'A gap below ten points, by an interval. If merging adds nothing, the hypothesis holds in part.',
  unit: 'draws',
  caveat: `One model of .85 M parameters, one flawed grader (sentinel), one training seed in each of ${NARROW_DRAWS.length} draws of the problems. A pilot of one other draw chose strings among four kinds of arguments, since RL on those fell furthest short there; the three others fell no further short than any trusted problems.`,
  section: 'Do untrusted problems help where all trusted ones take strings?',
  files: [FILE],
  commands: ['npm run lab -- arena public/results/arena/narrow.runs.json.gz'],
  says: {
    holds:
      'Where all trusted problems take strings, RL on them alone falls more than ten points short, and merging with vanilla’s update gives part of that back without the hack.',
    'in part: ten points short, merging is not shown to make up for it':
      'Where all trusted problems take strings, RL on them alone falls more than ten points short; merging with vanilla’s update is not shown to help.',
    'in part: merging helps, ten points are not shown to lack':
      'Where all trusted problems take strings, merging with vanilla’s update helps; a gap of ten points is not shown.',
    fails: 'Even where all trusted problems take strings, RL on them alone falls less than ten points short.',
    open: 'It is open whether untrusted problems help where all trusted ones take strings.',
  },
  read: (rows) => rows.runs(FILE).filter(({ spec }) => NARROW_ARMS.includes(spec.arm)),
  names: NARROW_NAMES,
  rule: NARROW_RULE,
  show: two,
  estimates: (runs) => (narrowCells(runs).length === 0 ? null : narrowEstimates(runs)),
  line: [...DIFFERENCES, 'removed:merge', 'removed:curriculum', 'removed:agree', 'removed:agree_random'],
  shown(runs, { estimates, verdict }): Pick<Judgement, 'tables' | 'chart' | 'made' | 'runs' | 'inDocs' | 'limits'> {
    const cells = narrowCells(runs);
    const any = cells.map(([{ spec }]) => anyTrusted(runs, spec));
    const [given, gap] = [estimates['over:merge']?.mean, estimates.short?.mean];
    const leaving = (['curriculum', 'agree', 'agree_random'] as const).flatMap((name) => {
      const [over, removed] = [estimates[`over:${name}`], estimates[`removed:${name}`]];
      if (!given || !over?.mean || over.mean <= given || !removed?.interval || removed.mean === null) return [];
      const { low, high } = removed.interval;
      const left = { mean: 1 - removed.mean, interval: { low: 1 - high, high: 1 - low } };
      return [`${NARROW_WORDS[name]} ${shown(left, two)}`];
    });
    const differences = DIFFERENCES.flatMap((key) => estimates[key] ?? []);
    return {
      tables: [
        sharesTable(`${cells.length} draws`, [
          ...MODELS.map(([label, arm, model]) => [label, ratesOf(cells, arm, model)] as const),
          ['RL on any trusted problems', ratesOf(any, 'trusted-only', 'total')],
        ]),
      ],
      chart: dotChart(
        'Honest solve above that of RL on trusted strings, a dot a draw',
        'difference in honest solve',
        differences,
        'trusted-only',
      ),
      made: madeOf(runs),
      runs: () => namedRuns(runs),
      limits: [
        ...(given && gap ? [`Merging closes ${three(given)} of a gap of ${three(gap)}.`] : []),
        ...(leaving.length > 0
          ? [`What solves more than merging leaves more of the hack, as a share of vanilla’s: ${leaving.join(', ')}.`]
          : []),
        'Merging’s controls are in P5. The line between the two models and twice the steps on trusted strings were not asked.',
      ],
      inDocs: [`**P4: ${verdict.status}`, ...(estimates.short ? [eachLine(estimates.short, two)] : [])],
    };
  },
};
