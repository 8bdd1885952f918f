// P9 and P10: can methods be told apart if a trusted tenth of the problems shows only some of the skills, or of the misconceptions? Problems are
// compositions of two parts (environments/code/families/composed.ts); the question is whether RL on that tenth alone ends clearly below repaired
// graders. The rule was written before its runs. The unit is a draw of the problems, since the draw decides which problems are trusted.

import { COMPOSED, MISCONCEIVED } from '../../../src/environments/code/types.ts';
import { arenaRows, cellsOf, solveOn } from '../../../src/experiments/analysis/arena.ts';
import type { Estimate, Estimates } from '../../../src/experiments/judge/estimate.ts';
import { eachLine, intervalText } from '../../../src/experiments/judge/estimate.ts';
import type { Rule } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { finalRow } from '../../../src/experiments/records/metrics.ts';
import { two } from '../../../src/lib/numbers.ts';
import { dotChart, presentEstimates, rowProvenance } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import { allOverDraws, drawOf, honestOn, type RateIn, ratioEstimate } from './arena/estimates.ts';
import { isMeasured, labelledRows, namedRuns, sharesTable } from './shares.ts';

/** Draws of the problems, none of them the pilot's. */
export const COMPOSED_DRAWS = [37, 47, 57, 67, 77, 87, 97, 107] as const;
/** Honest solve by which trusted problems alone are to fall short: ten points. */
const SHORT = 0.1;

const NAMES = {
  short: 'repaired graders − trusted only, honest solve',
  gain: 'repaired graders − untrained, honest solve',
  learnt: 'trusted only − untrained, honest solve',
  shortShown: 'repaired graders − trusted only, both parts shown',
  shortUnshown: 'repaired graders − trusted only, a part not shown',
  learntShown: 'trusted only − untrained, both parts shown',
  learntUnshown: 'trusted only − untrained, a part not shown',
  gainShown: 'repaired graders − untrained, both parts shown',
  gainUnshown: 'repaired graders − untrained, a part not shown',
  vanillaShort: 'repaired graders − vanilla, honest solve',
  'over:merge': 'merged with vanilla − trusted only, honest solve',
  'over:average': 'plain average with vanilla − trusted only, honest solve',
  'kept:trusted': 'trusted only, kept of what repaired graders teach',
  'kept:vanilla': 'vanilla, kept of what repaired graders teach',
  'kept:average': 'plain average with vanilla, kept of what repaired graders teach',
  'removed:trusted': 'trusted only, hack removed',
  'removed:merge': 'merged with vanilla, hack removed',
  'removed:average': 'plain average with vanilla, hack removed',
};

type Key = keyof typeof NAMES;

export const COMPOSED_RULE: Rule<Key> = {
  needs: [{ of: ['short'], least: COMPOSED_DRAWS.length, what: 'draws' }],
  cases: [
    { status: 'holds', when: { above: 'short', bound: SHORT } },
    { status: 'fails', because: 'the gap is below ten points', when: { below: 'short', bound: SHORT } },
    { status: 'open' },
  ],
  after: 'The gap alone is judged. All else is reported, as far as it was run.',
};

/** The cells of the judged draws, by draw. `environment`: which of the two bases they begin with. */
export const composedCells = (runs: readonly RunRecord[], environment: string): RunRecord[][] =>
  cellsOf(runs.filter(({ spec }) => spec.environment === environment))
    .filter((cell) => COMPOSED_DRAWS.some((draw) => draw === drawOf(cell)))
    .toSorted((a, b) => drawOf(a) - drawOf(b));

export function composedEstimates(runs: readonly RunRecord[], environment: string): Estimates<Key> {
  const cells = composedCells(runs, environment);
  const rows = arenaRows(cells.flat());
  const honest = (arm: string, model = 'total'): RateIn => honestOn(model)(arm);
  const part =
    (arm: string, split: 'shown' | 'unshown', model = 'total'): RateIn =>
    (cell) => {
      const row = cell.flatMap((run) => (run.spec.arm === arm ? (finalRow(run, model) ?? []) : []))[0];
      return row?.splits[split] ? solveOn(row.splits[split], 'honest') : null;
    };
  const { short, ...over } = allOverDraws(NAMES, cells, {
    short: [honest('repaired'), honest('trusted-only')],
    gain: [honest('repaired'), honest('repaired', 'base')],
    learnt: [honest('trusted-only'), honest('trusted-only', 'base')],
    shortShown: [part('repaired', 'shown'), part('trusted-only', 'shown')],
    shortUnshown: [part('repaired', 'unshown'), part('trusted-only', 'unshown')],
    learntShown: [part('trusted-only', 'shown'), part('trusted-only', 'shown', 'base')],
    learntUnshown: [part('trusted-only', 'unshown'), part('trusted-only', 'unshown', 'base')],
    gainShown: [part('repaired', 'shown'), part('repaired', 'shown', 'base')],
    gainUnshown: [part('repaired', 'unshown'), part('repaired', 'unshown', 'base')],
    vanillaShort: [honest('repaired'), honest('none')],
    'over:merge': [honest('trusted-only', 'merge'), honest('trusted-only')],
    'over:average': [honest('trusted-only', 'merge_average'), honest('trusted-only')],
  });
  const shares = {
    'kept:trusted': ['kept', 'trusted-only', 'total'],
    'kept:vanilla': ['kept', 'none', 'total'],
    'kept:average': ['kept', 'trusted-only', 'merge_average'],
    'removed:trusted': ['removed', 'trusted-only', 'total'],
    'removed:merge': ['removed', 'trusted-only', 'merge'],
    'removed:average': ['removed', 'trusted-only', 'merge_average'],
  } as const;
  const estimates: Partial<Record<Key, Estimate>> = { short };
  // Vanilla, and models derived from its update, may be missing.
  for (const [key, one] of Object.entries(over)) if (one.n > 0) estimates[key as Key] = one;
  for (const [key, [what, arm, model]] of Object.entries(shares)) {
    const row = rows.find((one) => one.arm === arm && one.model === model);
    if (row) estimates[key as Key] = ratioEstimate(NAMES[key as Key], what === 'kept' ? row.kept.honest : row.removed);
  }
  return estimates;
}

const MODELS = [
  ['untrained', 'trusted-only', 'base'],
  ['vanilla', 'none', 'total'],
  ['trusted only', 'trusted-only', 'total'],
  ['merged with vanilla', 'trusted-only', 'merge'],
  ['plain average with vanilla', 'trusted-only', 'merge_average'],
  ['repaired graders', 'repaired', 'total'],
] as const;

const DIFFERENCES = [
  'short',
  'shortShown',
  'shortUnshown',
  'gain',
  'gainShown',
  'gainUnshown',
  'learnt',
  'learntShown',
  'learntUnshown',
  'vanillaShort',
  'over:merge',
  'over:average',
] as const;
const SHARES = [
  'kept:trusted',
  'kept:vanilla',
  'kept:average',
  'removed:trusted',
  'removed:merge',
  'removed:average',
] as const;

interface TrustQuestion extends Pick<Question<readonly RunRecord[], Key>, 'id' | 'title' | 'hypothesis' | 'says'> {
  environment: string;
  /** Name of the file of rows. */
  file: string;
  /** Pretraining data of its base, and its training. */
  base: string;
  training: string;
  /** File of runs of P9's base under the same training, in some of the draws. */
  control?: string;
}

const question = ({
  environment,
  file,
  base,
  training,
  control,
  ...texts
}: TrustQuestion): Question<readonly RunRecord[], Key> => ({
  ...texts,
  falsified: 'A gap below ten points, by an interval.',
  unit: 'draws',
  caveat: `One model of .85 M parameters, pretrained on ${base}; ${training}; one flawed grader (stdout_marker); one training seed in each of ${COMPOSED_DRAWS.length} draws of the problems.`,
  section: texts.title,
  files: [file, ...(control ? [control] : [])],
  commands: ['npm run research -- judge --series prediction'],
  read: (rows) => [...rows.runs(file), ...(control ? rows.runs(control) : [])],
  names: NAMES,
  rule: COMPOSED_RULE,
  show: two,
  estimates: (runs) => (composedCells(runs, environment).length === 0 ? null : composedEstimates(runs, environment)),
  line: [...DIFFERENCES, ...SHARES],
  shown(runs, { estimates, verdict }) {
    const cells = composedCells(runs, environment);
    const own = cells.flat();
    const { gain, learnt, shortShown, shortUnshown, 'kept:trusted': kept } = estimates;
    return {
      tables: [sharesTable(`${cells.length} draws`, labelledRows(cells, MODELS).filter(isMeasured))],
      chart: dotChart(
        'Differences in honest solve, a dot a draw',
        'difference in honest solve',
        presentEstimates(estimates, DIFFERENCES),
        'trusted-only',
      ),
      made: rowProvenance(own),
      runs: () => namedRuns(own),
      limits: [
        ...(gain?.interval && learnt?.interval
          ? [
              `Repaired graders gain ${intervalText(gain, two)} over the untrained model${(gain.mean ?? 1) < 0.2 ? ', so that ten points are most of it' : ''}; RL on the trusted problems alone gains ${intervalText(learnt, two)}${kept ? `, a share of ${intervalText(kept, two)}` : ''}.`,
            ]
          : []),
        ...(shortShown?.interval && shortUnshown?.interval
          ? [
              `The gap is ${intervalText(shortShown, two)} where the trusted problems show both parts, and ${intervalText(shortUnshown, two)} elsewhere.`,
            ]
          : []),
        ...(control ? controlNotes(runs) : []),
        'Pretraining had every part and every family. Shown means shown by the trusted problems, not in pretraining.',
      ],
      inDocs: [
        `**${texts.id}: ${verdict.status}`,
        ...presentEstimates(estimates, ['short']).map((one) => eachLine(one, two)),
      ],
    };
  },
});

/** The control's notes next to P10's; empty if it was not run or does not fall short. */
function controlNotes(runs: readonly RunRecord[]): string[] {
  const each = composedEstimates(runs, COMPOSED).short?.each ?? [];
  if (each.length === 0 || each.some(({ value }) => value < SHORT)) return [];
  return [
    `P9’s base under the same training falls as short in ${each.length} of the draws (${each.map(({ value }) => two(value)).join(' ')}): the misconceptions are not needed for the gap.`,
  ];
}

export const COMPOSED_TRUST = question({
  id: 'P9',
  environment: COMPOSED,
  file: 'arena/composed.runs.json.gz',
  base: 'compositions with a share of mistakes for each part',
  training: '60 steps of the SVD adapter',
  title: 'Do trusted problems fall short where they show only some of the skills?',
  hypothesis:
    'Problems are compositions of two parts out of 44, and a tenth of the honest problems is trusted, which shows about half of the parts. RL on these alone ends more than ten points of honest solve below repaired graders.',
  says: {
    holds:
      'Where a trusted tenth shows only some of the skills, RL on it alone falls more than ten points short of repaired graders.',
    'fails: the gap is below ten points':
      'Even where a trusted tenth shows only some of the skills, RL on it alone falls less than ten points short of repaired graders.',
    open: 'It is open whether RL on a trusted tenth that shows only some of the skills falls ten points short.',
  },
});

export const MISCONCEIVED_TRUST = question({
  id: 'P10',
  environment: MISCONCEIVED,
  file: 'arena/misconceived.runs.json.gz',
  base: 'compositions in which 15 of the parts are taken for another one seven times in ten',
  training: '200 steps of a LoRA',
  control: 'arena/longer.runs.json.gz',
  title: 'Do trusted problems fall short where they show only some of the misconceptions?',
  hypothesis:
    'The problems are those of P9. In the base’s corpus 15 of the 44 parts are mostly taken for another one: its misconceptions. RL on a trusted tenth, which shows about half of the parts, ends more than ten points of honest solve below repaired graders.',
  says: {
    holds:
      'Where a trusted tenth shows only some of a model’s misconceptions, RL on it alone falls more than ten points short of repaired graders.',
    'fails: the gap is below ten points':
      'Even where a trusted tenth shows only some of a model’s misconceptions, RL on it alone falls less than ten points short of repaired graders.',
    open: 'It is open whether RL on a trusted tenth that shows only some of a model’s misconceptions falls ten points short.',
  },
});
