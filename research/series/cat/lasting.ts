// C17: with a long training rewarded by references, does a policy lose accuracy while its reward rises? The references come from its own
// attempts, so wrong answers can come to agree. The effect was seen in C16's runs and is tested on fresh seeds. Tables:
// docs/lab-book/cat.md.

import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import { above, below, type Rule } from '../../../src/experiments/judge/rule.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import type { RunRecord, StepRow } from '../../../src/experiments/records/events.ts';
import { two } from '../../../src/lib/numbers.ts';
import { dotChart } from '../../judge/estimates.ts';
import { inSeedOrder, type Question, runsToOpen } from '../../judge/question.ts';
import { type CatData, readOf } from './data.ts';
import { ELSEWHERE } from './passing.ts';
import {
  belowUntrained,
  differenceOrNull,
  gainOf,
  meanBefore,
  runsEstimate,
  STEPS,
  solveOf,
  solveOfStep,
} from './runs.ts';

const SEEDS = 5;
const LENGTH = 120;
/** C16's runs were best near the ten steps that end here. */
const EARLY = 30;

export const LASTING_RUNS = [
  `npm run lab -- run --environment arithmetic --arms cat --seeds 51,52,53,54,55 --steps ${LENGTH} --set evalEvery=0 --set finalEvalProblems=400 --set checkpointEvery=0 --set adapter=lora --set lr=0.001 --json FILE`,
];

const NAMES = {
  reward: `reward, last ${STEPS} steps − first ${STEPS}`,
  truth: 'solve of held-out problems, trained − untrained',
  fall: `solve of training problems, last ${STEPS} steps − steps ${EARLY - STEPS + 1} to ${EARLY}`,
};
type Key = keyof typeof NAMES;
const RULE: Rule<Key> = {
  needs: [{ of: ['reward', 'truth'], least: SEEDS, what: 'training seeds' }],
  cases: [
    { status: 'holds', when: { all: [above('reward'), below('truth')] } },
    { status: 'in part', because: 'the truth falls from its best', when: { all: [above('reward'), below('fall')] } },
    { status: 'fails', when: above('truth') },
    { status: 'open' },
  ],
};

const catRuns = (runs: readonly RunRecord[]) => inSeedOrder(runs.filter(({ spec }) => spec.arm === 'cat'));
const rewardOf = ({ reward }: StepRow) => reward;

export const lasting = (file: string): Question<CatData, Key> => ({
  id: 'C17',
  title: 'Trained long on its own references, does a policy solve less while its reward rises?',
  hypothesis:
    'After 120 steps CaT’s reward is above that of the first ten, and its policy solves less than the untrained model.',
  falsified: 'The policy solves more than the untrained model.',
  unit: 'training seeds',
  caveat:
    'Seen on seeds 41 to 45 of two bases, and asked of fresh seeds. One adapter and one rate. With C2’s adapter, rate and thirty steps the policy ends above the untrained model. The anchor is frozen; the attempts that it reads are the policy’s.',
  section: ELSEWHERE,
  files: [file],
  commands: LASTING_RUNS,
  says: {
    holds: 'Paid by its own references for long, the policy ends below the untrained model while its reward rises.',
    'in part: the truth falls from its best':
      'Paid by its own references for long, the policy solves less than it did on the way while its reward rises.',
    fails: 'Paid by its own references for long, the policy still ends above the untrained model.',
    open: 'Whether a policy that is paid by its own references for long loses the truth is open.',
  },
  names: NAMES,
  rule: RULE,
  read: readOf({ runs: [file] }),
  estimates({ runs }) {
    const all = catRuns(runs);
    if (all.length === 0) return null;
    return {
      reward: runsEstimate(NAMES.reward, all, (run) =>
        differenceOrNull(meanBefore(run, run.rows.length, rewardOf), meanBefore(run, STEPS, rewardOf)),
      ),
      truth: runsEstimate(NAMES.truth, all, (run) => gainOf(run)),
      fall: runsEstimate(NAMES.fall, all, (run) =>
        differenceOrNull(meanBefore(run, run.rows.length, solveOfStep), meanBefore(run, EARLY, solveOfStep)),
      ),
    };
  },
  shown({ runs }, { verdict, figures }) {
    const ends = [STEPS, EARLY, 60, 90, LENGTH];
    const columns = [
      ['reward', rewardOf],
      ['solve', solveOfStep],
    ] as const;
    return {
      tables: [
        tableOf(
          `Training, means of the ${STEPS} steps before; each seed`,
          catRuns(runs),
          [
            ['seed', ({ spec }) => String(spec.seed)],
            ...columns.flatMap(([name, of]) =>
              ends.map((end) => [`${name}, step ${end}`, (run: RunRecord) => meanBefore(run, end, of)] as const),
            ),
            ['held out', solveOf],
          ],
          two,
        ),
      ],
      chart: dotChart('Reward and truth, against the beginning', 'difference', figures, 'cat'),
      beside: [belowUntrained(catRuns(runs))],
      runs: () => runsToOpen(runs, ['cat']),
      inDocs: [`**C17: ${verdict.status}`, ...figures.map((figure) => intervalText(figure))],
    };
  },
});

export const LASTING: readonly Question<CatData>[] = [lasting('cat/lasting.json.gz') as Question<CatData>];
