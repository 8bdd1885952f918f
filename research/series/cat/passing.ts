// C16: where training can exceed the first teacher, does training on its references? C2's oracle ended below the teacher, so C2 could
// hardly hold. Here true rewards are known to exceed it (by a pilot seed, on the training templates). Tables: docs/lab-book/cat.md.

import { correctness, shareOfRows } from '../../../src/experiments/cat/summary.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import { above, below, type Rule } from '../../../src/experiments/judge/rule.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { two } from '../../../src/lib/numbers.ts';
import { dotChart } from '../../judge/estimates.ts';
import { inSeedOrder, type Question, runsToOpen } from '../../judge/question.ts';
import { type CatData, readOf } from './data.ts';
import {
  belowUntrained,
  differenceOrNull,
  lessOfSeed,
  meanBefore,
  runsEstimate,
  STEPS,
  solveOf,
  solveOfStep,
} from './runs.ts';

const ARMS = ['cat', 'oracle'] as const;
type ArmOf = (typeof ARMS)[number];
const SEEDS = 5;
/** Number of attempts of the teacher's references. */
const SIZE = 8;
const LENGTH = 120;
/** The pilot's CaT was best in the ten steps that end here. */
const BEST_AT = 60;

const PASSING_RUNS = [
  `npm run lab -- run --environment arithmetic --arms cat,oracle --seeds 41,42,43,44,45 --steps ${LENGTH} --set evalEvery=0 --set finalEvalProblems=400 --set checkpointEvery=0 --set adapter=lora --set lr=0.001 --json FILE`,
];

/** Heading of its section in docs/lab-book/cat.md. */
export const ELSEWHERE = 'On other bases, data and settings';

const NAMES = {
  cat: 'CaT: solve − first teacher',
  oracle: 'oracle: solve − first teacher',
  apart: 'solve, CaT − oracle',
  peak: `CaT: solve of training problems, last ${STEPS} steps − steps ${BEST_AT - STEPS + 1} to ${BEST_AT}`,
};
type Key = keyof typeof NAMES;
const RULE: Rule<Key> = {
  needs: [{ of: ['cat', 'oracle'], least: SEEDS, what: 'training seeds' }],
  cases: [
    { status: 'open', because: 'the oracle does not pass the teacher', when: { not: above('oracle') } },
    { status: 'holds', when: above('cat') },
    { status: 'fails', when: below('cat') },
    { status: 'open' },
  ],
};

/** Selects the pilot's setting. */
export const isPassing = ({ spec }: RunRecord) => spec.adapter === 'lora' && spec.steps === LENGTH;
const passingRuns = (runs: readonly RunRecord[], arm: ArmOf) =>
  inSeedOrder(runs.filter((run) => run.spec.arm === arm && isPassing(run)));
const solveAtEnd = (run: RunRecord, last: number): number | null => meanBefore(run, last, solveOfStep);

function estimatesOf({ rows, runs }: CatData) {
  const teacher = shareOfRows(rows, (row) => correctness(row, SIZE, 'synthesis')).mean;
  const [cat, oracle] = ARMS.map((arm) => passingRuns(runs, arm));
  if (teacher === null || cat.length === 0) return null;
  const beyond = (run: RunRecord) => differenceOrNull(solveOf(run), teacher);
  return {
    cat: runsEstimate(NAMES.cat, cat, beyond),
    oracle: runsEstimate(NAMES.oracle, oracle, beyond),
    apart: runsEstimate(NAMES.apart, cat, lessOfSeed(oracle, solveOf)),
    peak: runsEstimate(NAMES.peak, cat, (run) =>
      differenceOrNull(solveAtEnd(run, run.rows.length), solveAtEnd(run, BEST_AT)),
    ),
  };
}

/** @param teachers rows of references at inference on the same problems */
export const passing = (file: string, teachers: string): Question<CatData, Key> => ({
  id: 'C16',
  title: 'Where true rewards pass the first teacher, does CaT?',
  hypothesis:
    'After 120 steps of LoRA, in which the oracle’s policy solves more than the first teacher’s references are right, CaT’s does too.',
  falsified: 'CaT’s policy below its first teacher.',
  unit: 'training seeds',
  caveat:
    'Steps, adapter and rate were found on one pilot seed (46), by what training’s own templates say. The teacher is the synthesis of eight attempts of the untrained model; what CaT is paid by is made of the trained policy’s attempts, by the same frozen anchor.',
  section: ELSEWHERE,
  files: [file, teachers],
  commands: [
    ...PASSING_RUNS,
    `npm run research -- tables cat --rows public/results/${teachers} --runs public/results/${file}`,
  ],
  says: {
    holds: 'Where true rewards pass the first teacher, so does a policy paid by its references.',
    fails: 'Where true rewards pass the first teacher, a policy paid by its references stays below it.',
    'open: the oracle does not pass the teacher':
      'Whether CaT passes the first teacher is open: true rewards do not pass it either.',
    open: 'Where true rewards pass the first teacher, whether CaT does is open.',
  },
  names: NAMES,
  rule: RULE,
  read: readOf({ rows: [teachers], runs: [file] }),
  estimates: estimatesOf,
  shown({ runs }, { verdict, figures }) {
    const steps = [30, BEST_AT, 90, LENGTH];
    return {
      tables: [
        tableOf(
          `Solve of training problems, mean of the ${STEPS} steps before, and of the final evaluation; mean ± sd over seeds`,
          ARMS,
          [
            ['arm', (arm) => arm],
            ['n', (arm) => String(passingRuns(runs, arm).length)],
            ...steps.map(
              (step) =>
                [`step ${step}`, (arm: ArmOf) => passingRuns(runs, arm).map((run) => solveAtEnd(run, step))] as const,
            ),
            ['held out', (arm) => passingRuns(runs, arm).map(solveOf)],
          ],
          two,
        ),
      ],
      chart: dotChart('Against the first teacher', 'difference in solve', figures, ({ name }) =>
        name.startsWith('oracle') ? 'oracle' : 'cat',
      ),
      beside: [belowUntrained(passingRuns(runs, 'cat'))],
      runs: () => runsToOpen(runs, ARMS),
      inDocs: [`**C16: ${verdict.status}`, ...figures.map((figure) => intervalText(figure))],
    };
  },
});

export const PASSING: readonly Question<CatData>[] = [
  passing('cat/passing.json.gz', 'cat/inference-2.jsonl.gz') as Question<CatData>,
];
