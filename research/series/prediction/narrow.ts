// P4: trusted problems that are not a random sample (docs/arena.md): all of them take a string, and most of the others do not. Does RL on them
// alone end clearly below repaired graders then, and do the untrusted problems make up for it without their hack? The rule was written before its
// runs. The unit is a draw of the problems, since the draw decides which problems are trusted.

import { arenaRows, cellKey, cellsOf } from '../../../src/experiments/analysis/arena.ts';
import { withDefaults } from '../../../src/experiments/config/spec.ts';
import type { Estimate, Estimates } from '../../../src/experiments/judge/estimate.ts';
import { eachLine, intervalText } from '../../../src/experiments/judge/estimate.ts';
import type { Rule } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { three, two } from '../../../src/lib/numbers.ts';
import { dotChart, presentEstimates, rowProvenance } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import {
  drawOf,
  drawsDifference,
  honestIn,
  honestOf,
  honestOn,
  type RateIn,
  ratesOf,
  removedBy,
} from './arena/estimates.ts';
import { labelledRows, namedRuns, sharesTable } from './shares.ts';

/** Draws of the problems, none of them a pilot's or a judged cell's. */
export const NARROW_DRAWS = [37, 47, 57, 67, 77, 87, 97, 107] as const;
/** Honest solve by which trusted problems alone are to fall short: ten points. */
const SHORT = 0.1;

/** Models that learn from more than the trusted strings, each as [arm, model]. */
const KNOWING_MORE = {
  merge: ['trusted-only', 'merge'],
  curriculum: ['curriculum', 'total'],
  agree: ['agree', 'total'],
  agree_random: ['agree_random', 'total'],
} as const;
type Method = keyof typeof KNOWING_MORE;
const METHODS = Object.keys(KNOWING_MORE) as Method[];
/** Arms that P4 compares; the sheet has more. */
export const NARROW_ARMS: readonly string[] = ['none', 'repaired', ...Object.values(KNOWING_MORE).map(([arm]) => arm)];
type Key = 'short' | 'narrowing' | `over:${Method}` | `removed:${Method}`;

const WORDS: Record<Method, string> = {
  merge: 'merged with vanilla',
  curriculum: 'curriculum',
  agree: 'agreement',
  agree_random: 'agreement’s placebo',
};

const NAMES = {
  short: 'repaired graders − RL on trusted strings, honest solve',
  narrowing: 'RL on any trusted problems − on trusted strings, honest solve',
  ...Object.fromEntries(
    METHODS.map((name) => [`over:${name}`, `${WORDS[name]} − RL on trusted strings, honest solve`]),
  ),
  ...Object.fromEntries(METHODS.map((name) => [`removed:${name}`, `${WORDS[name]}, hack removed`])),
} as Record<Key, string>;

const IS_SHORT = { above: 'short', bound: SHORT } as const;
const MAKES_UP = { all: [{ above: 'over:merge' }, { mean: 'removed:merge', atLeast: 0.9 }] } as const;

export const NARROW_RULE: Rule<Key> = {
  needs: [{ of: ['short', 'over:merge'], least: NARROW_DRAWS.length, what: 'draws' }],
  cases: [
    { status: 'holds', when: { all: [IS_SHORT, MAKES_UP] } },
    { status: 'in part', because: 'ten points short, merging is not shown to make up for it', when: IS_SHORT },
    { status: 'in part', because: 'merging helps, ten points are not shown to lack', when: MAKES_UP },
    { status: 'fails', because: 'less than ten points lack', when: { below: 'short', bound: SHORT } },
    { status: 'open' },
  ],
  after: 'Merging is judged, the other methods are not.',
};

/** The cells whose trusted problems all take strings, by draw; the plan has one per draw. */
export const narrowCells = (runs: readonly RunRecord[]): RunRecord[][] =>
  cellsOf(runs)
    .filter(([{ spec }]) => withDefaults(spec).trustedArguments.join() === 'string')
    .toSorted((a, b) => drawOf(a) - drawOf(b));

export function narrowEstimates(runs: readonly RunRecord[]): Estimates<Key> {
  const cells = narrowCells(runs);
  const rows = arenaRows(cells.flat());
  const over = (key: Key, one: RateIn) => drawsDifference(NAMES[key], cells, one, honestIn('trusted-only'));
  const estimates: Partial<Record<Key, Estimate>> = {
    short: over('short', honestIn('repaired')),
    narrowing: over('narrowing', ([{ spec }]) => honestOf(anyTrusted(runs, spec), 'trusted-only', 'total')),
  };
  for (const method of METHODS) {
    const [arm, model] = KNOWING_MORE[method];
    estimates[`over:${method}`] = over(`over:${method}`, honestOn(model)(arm));
    const removed = removedBy(NAMES[`removed:${method}`], rows, arm, model);
    if (removed) estimates[`removed:${method}`] = removed;
  }
  return estimates;
}

/** Runs on the same problems in which problems of any kind may be trusted. */
export function anyTrusted(runs: readonly RunRecord[], of: RunRecord['spec']): RunRecord[] {
  const key = cellKey({ ...withDefaults(of), trustedArguments: [] });
  return runs.filter(({ spec }) => cellKey(withDefaults(spec)) === key);
}

const FILE = 'arena/narrow.runs.json.gz';

/** Rows of the table: cells that trust strings alone. */
const MODELS = [
  ['untrained', 'none', 'base'],
  ['vanilla', 'none', 'total'],
  ['RL on trusted strings', 'trusted-only', 'total'],
  ['merged with vanilla', ...KNOWING_MORE.merge],
  ['curriculum', ...KNOWING_MORE.curriculum],
  ['agreement', ...KNOWING_MORE.agree],
  ['agreement’s placebo', ...KNOWING_MORE.agree_random],
  ['repaired graders', 'repaired', 'total'],
] as const;

const DIFFERENCES = [
  'short',
  'narrowing',
  'over:merge',
  'over:curriculum',
  'over:agree',
  'over:agree_random',
] as const satisfies readonly Key[];

export const NARROW_TRUST: Question<readonly RunRecord[], Key> = {
  id: 'P4',
  title: 'Do untrusted problems help where all trusted ones take strings?',
  hypothesis:
    'A tenth of the honest problems is trusted, and all of these take a string. RL on them alone ends more than ten points of honest solve below repaired graders. Merged with vanilla’s update where signs agree, it solves more, and at least 90% of the hack is removed.',
  falsified: 'A gap below ten points, by an interval. If merging adds nothing, the hypothesis holds in part.',
  unit: 'draws',
  caveat: `One model of .85 M parameters, one flawed grader (sentinel), one training seed in each of ${NARROW_DRAWS.length} draws of the problems. A pilot of one other draw chose strings among four kinds of arguments, since RL on those fell furthest short there; the three others fell no further short than any trusted problems.`,
  section: 'Do untrusted problems help where all trusted ones take strings?',
  files: [FILE],
  commands: ['npm run research -- arena public/results/arena/narrow.runs.json.gz'],
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
  names: NAMES,
  rule: NARROW_RULE,
  show: two,
  estimates: (runs) => (narrowCells(runs).length === 0 ? null : narrowEstimates(runs)),
  line: [...DIFFERENCES, 'removed:merge', 'removed:curriculum', 'removed:agree', 'removed:agree_random'],
  shown(runs, { estimates, verdict }) {
    const cells = narrowCells(runs);
    const any = cells.map(([{ spec }]) => anyTrusted(runs, spec));
    const [given, gap] = [estimates['over:merge']?.mean, estimates.short?.mean];
    const leaving = (['curriculum', 'agree', 'agree_random'] as const).flatMap((name) => {
      const [over, removed] = [estimates[`over:${name}`], estimates[`removed:${name}`]];
      if (!given || !over?.mean || over.mean <= given || !removed?.interval || removed.mean === null) return [];
      const { low, high } = removed.interval;
      const left = { mean: 1 - removed.mean, interval: { low: 1 - high, high: 1 - low } };
      return [`${WORDS[name]} ${intervalText(left, two)}`];
    });
    return {
      tables: [
        sharesTable(`${cells.length} draws`, [
          ...labelledRows(cells, MODELS),
          ['RL on any trusted problems', ratesOf(any, 'trusted-only', 'total')],
        ]),
      ],
      chart: dotChart(
        'Honest solve above that of RL on trusted strings, a dot a draw',
        'difference in honest solve',
        presentEstimates(estimates, DIFFERENCES),
        'trusted-only',
      ),
      made: rowProvenance(runs),
      runs: () => namedRuns(runs),
      limits: [
        ...(given && gap ? [`Merging closes ${three(given)} of a gap of ${three(gap)}.`] : []),
        ...(leaving.length > 0
          ? [`What solves more than merging leaves more of the hack, as a share of vanilla’s: ${leaving.join(', ')}.`]
          : []),
        'Merging’s controls are in P5. The line between the two models and twice the steps on trusted strings were not asked.',
      ],
      inDocs: [`**P4: ${verdict.status}`, ...presentEstimates(estimates, ['short']).map((one) => eachLine(one, two))],
    };
  },
};
