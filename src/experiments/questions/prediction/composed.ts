// P9 and P10: can methods be told apart where a trusted tenth of the problems shows only some of the skills, or of the misconceptions? The
// rule is the arena's (../../arena/composed.ts), written before its runs.

import { COMPOSED, MISCONCEIVED } from '../../../environments/code/types.ts';
import { two } from '../../../lib/numbers.ts';
import {
  COMPOSED_DRAWS,
  COMPOSED_NAMES,
  COMPOSED_RULE,
  type ComposedKey,
  composedCells,
  composedEstimates,
  SHORT,
} from '../../arena/composed.ts';
import { ratesOf } from '../../arena/narrow.ts';
import { dotChart, eachLine, madeOf, shown } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import type { Judgement } from '../../judge/types.ts';
import type { RunRecord } from '../../records/events.ts';
import { namedRuns, sharesTable } from './shares.ts';

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

interface Asked extends Pick<Question<readonly RunRecord[], ComposedKey>, 'id' | 'title' | 'hypothesis' | 'says'> {
  environment: string;
  /** Of the rows. */
  file: string;
  /** What its base was pretrained on, and how it is trained. */
  base: string;
  training: string;
  /** Runs of P9's base under the same training, in some of the draws. */
  control?: string;
}

const question = ({
  environment,
  file,
  base,
  training,
  control,
  ...texts
}: Asked): Question<readonly RunRecord[], ComposedKey> => ({
  ...texts,
  falsified: 'A gap below ten points, by an interval.',
  unit: 'draws',
  caveat: `One model of .85 M parameters, pretrained on ${base}; ${training}; one flawed grader (stdout_marker); one training seed in each of ${COMPOSED_DRAWS.length} draws of the problems.`,
  section: texts.title,
  files: [file, ...(control ? [control] : [])],
  commands: ['npm run lab -- findings --series prediction --dry'],
  read: (rows) => [...rows.runs(file), ...(control ? rows.runs(control) : [])],
  names: COMPOSED_NAMES,
  rule: COMPOSED_RULE,
  show: two,
  estimates: (runs) => (composedCells(runs, environment).length === 0 ? null : composedEstimates(runs, environment)),
  line: [...DIFFERENCES, ...SHARES],
  shown(runs, { estimates, verdict }): Pick<Judgement, 'tables' | 'chart' | 'made' | 'runs' | 'inDocs' | 'limits'> {
    const cells = composedCells(runs, environment);
    const own = cells.flat();
    const { gain, learnt, short, shortShown, shortUnshown, 'kept:trusted': kept } = estimates;
    return {
      tables: [
        sharesTable(
          `${cells.length} draws`,
          MODELS.map(([label, arm, model]) => [label, ratesOf(cells, arm, model)] as const).filter(([, rates]) =>
            rates.some((one) => one !== null),
          ),
        ),
      ],
      chart: dotChart(
        'Differences in honest solve, a dot a draw',
        'difference in honest solve',
        DIFFERENCES.flatMap((key) => estimates[key] ?? []),
        'trusted-only',
      ),
      made: madeOf(own),
      runs: () => namedRuns(own),
      limits: [
        ...(gain?.interval && learnt?.interval
          ? [
              `Repaired graders gain ${shown(gain, two)} over the untrained model${(gain.mean ?? 1) < 0.2 ? ', so that ten points are most of it' : ''}; RL on the trusted problems alone gains ${shown(learnt, two)}${kept ? `, a share of ${shown(kept, two)}` : ''}.`,
            ]
          : []),
        ...(shortShown?.interval && shortUnshown?.interval
          ? [
              `The gap is ${shown(shortShown, two)} where the trusted problems show both parts, and ${shown(shortUnshown, two)} elsewhere.`,
            ]
          : []),
        ...(control ? controlled(runs) : []),
        'Pretraining had every part and every family. Shown means shown by the trusted problems, not in pretraining.',
      ],
      inDocs: [`**${texts.id}: ${verdict.status}`, ...(short ? [eachLine(short, two)] : [])],
    };
  },
});

/** What the control says beside P10; nothing where it is not run, or does not fall short. */
function controlled(runs: readonly RunRecord[]): string[] {
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
