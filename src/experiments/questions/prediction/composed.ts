// P9: can methods be told apart where a trusted tenth of the problems shows only some of the skills? The rule is the arena's
// (../../arena/composed.ts), written before its runs.

import { two } from '../../../lib/numbers.ts';
import {
  COMPOSED_DRAWS,
  COMPOSED_NAMES,
  COMPOSED_RULE,
  type ComposedKey,
  composedCells,
  composedEstimates,
} from '../../arena/composed.ts';
import { ratesOf } from '../../arena/narrow.ts';
import { dotChart, eachLine, madeOf, shown } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import type { Judged } from '../../judge/types.ts';
import type { RunRecord } from '../../records/events.ts';
import { namedRuns, sharesTable } from './shares.ts';

const FILE = 'arena/composed.runs.json.gz';

const MODELS = [
  ['untrained', 'none', 'base'],
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

export const COMPOSED_TRUST: Question<readonly RunRecord[], ComposedKey> = {
  id: 'P9',
  title: 'Do trusted problems alone fall short where they show only some of the skills?',
  hypothesis:
    'Problems are compositions of two parts out of 44, and a tenth of the honest problems is trusted, which shows about half of the parts. RL on these alone ends more than ten points of honest solve below repaired graders.',
  falsified: 'A gap below ten points, by an interval.',
  unit: 'draws',
  caveat: `One model of .85 M parameters, pretrained on compositions with a share of mistakes for each part; one flawed grader (stdout_marker); one training seed in each of ${COMPOSED_DRAWS.length} draws of the problems.`,
  section: 'Do trusted problems fall short where they show only some of the skills?',
  files: [FILE],
  commands: ['npm run lab -- findings --series prediction --dry'],
  says: {
    holds:
      'Where a trusted tenth shows only some of the skills, RL on it alone falls more than ten points short of repaired graders.',
    'fails: less than ten points lack':
      'Even where a trusted tenth shows only some of the skills, RL on it alone falls less than ten points short of repaired graders.',
    open: 'It is open whether RL on a trusted tenth that shows only some of the skills falls ten points short.',
  },
  read: (rows) => rows.runs(FILE),
  names: COMPOSED_NAMES,
  rule: COMPOSED_RULE,
  show: two,
  estimates: (runs) => (composedCells(runs).length === 0 ? null : composedEstimates(runs)),
  line: [...DIFFERENCES, ...SHARES],
  shown(runs, { estimates, verdict }): Pick<Judged, 'tables' | 'chart' | 'made' | 'runs' | 'inDocs' | 'limits'> {
    const cells = composedCells(runs);
    const { gain, learnt, short, learntShown, learntUnshown, 'kept:trusted': kept } = estimates;
    return {
      tables: [
        sharesTable(
          `${cells.length} draws`,
          MODELS.map(([label, arm, model]) => [label, ratesOf(cells, arm, model)] as const),
        ),
      ],
      chart: dotChart(
        'Differences in honest solve, a dot a draw',
        'difference in honest solve',
        DIFFERENCES.flatMap((key) => estimates[key] ?? []),
        'trusted-only',
      ),
      made: madeOf(runs),
      runs: () => namedRuns(runs),
      limits: [
        ...(gain?.interval && learnt?.interval && kept
          ? [
              `In 60 steps repaired graders gain ${shown(gain, two)} over the untrained model${(gain.mean ?? 1) < 0.2 ? ', so that ten points would be most of it' : ''}; RL on the trusted problems alone gains ${shown(learnt, two)}, a share of ${shown(kept, two)}.`,
            ]
          : []),
        ...(learntShown?.interval && learntUnshown?.interval
          ? [
              `Of hackable and honest problems together RL on the trusted ones gains ${shown(learntShown, two)} where they show both parts, and ${shown(learntUnshown, two)} elsewhere.`,
            ]
          : []),
      ],
      inDocs: [`**P9: ${verdict.status}`, ...(short ? [eachLine(short, two)] : [])],
    };
  },
};
