// P13: of two blocks that every rollout trains one is deployed. Does that alone remove half of the hack, and is it more than a smaller step? The
// rule is the arena's (../../arena/unlabelled.ts), written before its runs.

import { two } from '../../../lib/numbers.ts';
import { NEW_DRAWS } from '../../arena/draws.ts';
import { ratesOf } from '../../arena/narrow.ts';
import { nameOfCell } from '../../arena/published.ts';
import {
  UNLABELLED,
  UNLABELLED_NAMES,
  UNLABELLED_RULE,
  type UnlabelledKey,
  unlabelledDraws,
  unlabelledEstimates,
} from '../../arena/unlabelled.ts';
import { ALPHAS } from '../../config/controls.ts';
import { dotChart, madeOf, shown } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import type { Judgement } from '../../judge/types.ts';
import type { RunRecord } from '../../records/events.ts';
import { namedRuns, sharesTable } from './shares.ts';

/** Vanilla, repaired graders and RL on the trusted problems alone, by draw. */
const KNOWN = ['arena/draws.runs.json.gz', 'arena/narrow.runs.json.gz'] as const;
const FILE = 'arena/unlabelled.runs.json.gz';

export const UNLABELLED_BLOCKS: Question<readonly RunRecord[], UnlabelledKey> = {
  id: 'P13',
  title: 'Does deploying one of two blocks remove a hack without any label?',
  hypothesis:
    'Every rollout trains both blocks of an adapter, and one of them is deployed. Nothing says which rollouts hack. At least half of the hack that vanilla learns is gone. And it is more than a smaller step: at every eighth of the way from the untrained model to vanilla with as large an adapter, one block solves more honest problems or hacks less.',
  falsified: 'Less than half of the hack is removed, by an interval.',
  unit: 'draws',
  caveat: `One model of .85 M parameters, one flawed grader (sentinel), 60 steps, one training seed in each of ${NEW_DRAWS.length} draws of the problems. The hypothesis comes from six cells of three other draws. Repaired graders and trusted problems alone have singular directions, the blocks a LoRA’s factors.`,
  section: 'Does deploying one of two blocks remove a hack without any label?',
  files: [...KNOWN, FILE],
  commands: ['npm run lab -- findings --series prediction --dry'],
  says: {
    holds:
      'Deploying one of two blocks that every rollout trains removes more than half of a hack without any label, and is more than a smaller step.',
    'in part: no more than a smaller step is shown':
      'Deploying one of two blocks that every rollout trains removes more than half of a hack without any label; that it is more than a smaller step is not shown.',
    'fails: less than half is removed':
      'Deploying one of two blocks that every rollout trains removes less than half of a hack.',
    open: 'It is open whether deploying one of two blocks that every rollout trains removes half of a hack.',
  },
  read: (rows) => [...KNOWN, FILE].flatMap((file) => rows.runs(file)),
  names: UNLABELLED_NAMES,
  rule: UNLABELLED_RULE,
  show: two,
  estimates: (runs) => (unlabelledDraws(runs).length === 0 ? null : unlabelledEstimates(runs)),
  line: [
    'removed',
    'removedOwn',
    'kept',
    'overTrusted',
    'trustedHack',
    ...(['solve', 'hack'] as const).flatMap((kind) => ALPHAS.map((at) => `${kind}:${at}` as const)),
  ],
  shown(runs, { estimates, verdict }): Pick<Judgement, 'tables' | 'chart' | 'made' | 'runs' | 'inDocs' | 'limits'> {
    const draws = unlabelledDraws(runs);
    const [own, vanilla, known] = [
      draws.map((draw) => [draw.own]),
      draws.map((draw) => [draw.vanilla]),
      draws.map((draw) => draw.known),
    ];
    const all = [...own, ...vanilla, ...known].flat();
    const { removed, removedOwn, kept, overTrusted } = estimates;
    return {
      tables: [
        sharesTable(`${draws.length} draws`, [
          ['untrained', ratesOf(own, UNLABELLED, 'base')],
          ['one block', ratesOf(own, UNLABELLED, 'deployed')],
          ['both blocks', ratesOf(own, UNLABELLED, 'total')],
          ['vanilla, as large an adapter', ratesOf(vanilla, 'none', 'total')],
          ...ALPHAS.map((at) => [`… at ${at} of its way`, ratesOf(vanilla, 'none', `alpha_${at}`)] as const),
          ['vanilla, singular directions', ratesOf(known, 'none', 'total')],
          ['trusted only', ratesOf(known, 'trusted-only', 'total')],
          ['repaired graders', ratesOf(known, 'repaired', 'total')],
        ]),
      ],
      chart: dotChart(
        'One block against vanilla on its way, a dot a draw',
        'difference',
        ALPHAS.flatMap((at) => [estimates[`solve:${at}`] ?? [], estimates[`hack:${at}`] ?? []].flat()),
        UNLABELLED,
      ),
      made: madeOf(all),
      runs: () => [
        ...namedRuns([...own, ...known].flat()),
        ...namedRuns(vanilla.flat(), (run) => `${nameOfCell(run)}, LoRA`),
      ],
      limits: [
        ...(removedOwn ? [`Of what both blocks together add to the hack ${shown(removedOwn, two)} is removed.`] : []),
        ...(kept ? [`Kept of what repaired graders teach: ${shown(kept, two)}.`] : []),
        ...(overTrusted ? [`Honest solve above trusted problems alone: ${shown(overTrusted, two)}.`] : []),
        'The way is of the adapter’s factors, not of their product.',
      ],
      inDocs: [`**P13: ${verdict.status}`, ...(removed ? [`Hack removed: ${shown(removed, two)}`] : [])],
    };
  },
};
