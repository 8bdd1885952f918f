// C13: does the adapter limit the training? The arms, steps and seeds of C2's runs with three adapters, each with its own learning rate,
// chosen on a pilot seed that is not judged. Tables: docs/lab-book/cat.md.

import { correctness, shareOfRows } from '../../../src/experiments/cat/summary.ts';
import type { Estimates } from '../../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import { above, type Rule } from '../../../src/experiments/judge/rule.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { dotChart, meanAndInterval } from '../../judge/estimates.ts';
import { inSeedOrder, type Question, runsToOpen } from '../../judge/question.ts';
import { type CatData, readOf } from './data.ts';
import { differenceOrNull, lessOfSeed, runsEstimate, solveOf } from './runs.ts';

const FILE = 'cat/adapters.json.gz';
const TEACHERS = 'cat/inference-2.jsonl.gz';
/** C2's runs, of the SVD adapter at its first rate. */
const SLOWER = 'cat/training-2.json.gz';
/** Margin within which two adapters count as equal. */
const ALIKE = 0.03;
const SEEDS = 5;
/** Each adapter at its own rate; also the SVD adapter at C2's rate, which the rule does not use. */
const ADAPTERS = {
  slower: { adapter: 'svd', lr: 0.03, name: 'SVD adapter at .03' },
  svd: { adapter: 'svd', lr: 0.06, name: 'SVD adapter' },
  lora: { adapter: 'lora', lr: 0.001, name: 'LoRA, rank 8' },
  full: { adapter: 'full', lr: 0.0003, name: 'all weights' },
} as const;
type Adapter = keyof typeof ADAPTERS;
const ARMS = ['cat', 'oracle'] as const;
type ArmOf = (typeof ARMS)[number];

const NAMES = {
  lora: 'oracle: solve, LoRA − SVD adapter',
  full: 'oracle: solve, all weights − SVD adapter',
  catLora: 'CaT: solve, LoRA − SVD adapter',
  catFull: 'CaT: solve, all weights − SVD adapter',
  teacherLora: 'CaT with LoRA: solve − first teacher',
  teacherFull: 'CaT with all weights: solve − first teacher',
  loraSlower: 'oracle: solve, LoRA − SVD adapter at .03',
  fullSlower: 'oracle: solve, all weights − SVD adapter at .03',
};
type Key = keyof typeof NAMES;

const RULE: Rule<Key> = {
  needs: [{ of: ['lora', 'full'], least: SEEDS, what: 'training seeds' }],
  cases: [
    { status: 'holds', when: { all: [above('lora'), above('full')] } },
    { status: 'in part', because: 'one of the two', when: { any: [above('lora'), above('full')] } },
    {
      status: 'fails',
      when: {
        all: [
          { within: 'lora', margin: ALIKE },
          { within: 'full', margin: ALIKE },
        ],
      },
    },
    { status: 'open' },
  ],
};

const runsOf = (runs: readonly RunRecord[], adapter: Adapter, arm: ArmOf): RunRecord[] => {
  const { adapter: kind, lr } = ADAPTERS[adapter];
  return inSeedOrder(runs.filter(({ spec }) => spec.adapter === kind && spec.lr === lr && spec.arm === arm));
};
const solvesOf = (runs: readonly RunRecord[], adapter: Adapter, arm: ArmOf): number[] =>
  runsOf(runs, adapter, arm).flatMap((run) => solveOf(run) ?? []);

function estimatesOf({ rows, runs }: CatData): Estimates<Key> | null {
  const against = (key: Key, adapter: Adapter, arm: ArmOf, other: Adapter = 'svd') =>
    runsEstimate(NAMES[key], runsOf(runs, adapter, arm), lessOfSeed(runsOf(runs, other, arm), solveOf));
  const teacher = shareOfRows(rows, (row) => correctness(row, 8, 'synthesis')).mean;
  const beyond = (key: Key, adapter: Adapter) =>
    runsEstimate(NAMES[key], runsOf(runs, adapter, 'cat'), (run) => differenceOrNull(solveOf(run), teacher));
  const lora = against('lora', 'lora', 'oracle');
  if (!lora) return null;
  return {
    lora,
    full: against('full', 'full', 'oracle'),
    catLora: against('catLora', 'lora', 'cat'),
    catFull: against('catFull', 'full', 'cat'),
    teacherLora: beyond('teacherLora', 'lora'),
    teacherFull: beyond('teacherFull', 'full'),
    loraSlower: against('loraSlower', 'lora', 'oracle', 'slower'),
    fullSlower: against('fullSlower', 'full', 'oracle', 'slower'),
  };
}

const command = (settings: string) =>
  `npm run lab -- run --environment arithmetic --arms cat,oracle --seeds 41,42,43,44,45 --steps 30 --set evalEvery=0 --set finalEvalProblems=400 --set checkpointEvery=0 ${settings} --json FILE`;

export const ADAPTER_RUNS: readonly string[] = [
  command('--set lr=0.06'),
  command('--set adapter=lora --set lr=0.001'),
  command('--set adapter=full --set lr=0.0003'),
];

export const C13: Question<CatData, Key> = {
  id: 'C13',
  title: 'Is it the adapter that holds training back?',
  hypothesis:
    'Paid by the truth for the same thirty steps, LoRA and all weights end higher than one adapter parameter a singular direction does.',
  falsified: `Both within ± ${ALIKE} of it.`,
  unit: 'training seeds',
  caveat:
    'A rate for each adapter, chosen on a pilot seed of the oracle alone (46): LoRA .001 of .001 and .003; all weights .0003 of .0001, .0003 and .001; SVD adapter .06 of .03 (which C2’s runs have), .06 and .12. One environment.',
  section: 'Training',
  files: [FILE, TEACHERS, SLOWER],
  commands: ADAPTER_RUNS,
  says: {
    holds: 'Paid by the truth, LoRA and all weights end higher than the SVD adapter, at the rates of one pilot.',
    'in part: one of the two': 'One of LoRA and all weights ends higher than the SVD adapter.',
    fails: 'LoRA and all weights end where the SVD adapter does.',
    open: 'Whether the adapter holds training back is open.',
  },
  names: NAMES,
  rule: RULE,
  read: readOf({ rows: [TEACHERS], runs: [FILE, SLOWER] }),
  estimates: estimatesOf,
  shown: ({ runs }, { verdict, figures }) => ({
    tables: [
      tableOf(
        'Solve of the final evaluation, means over seeds [95 %]',
        (Object.keys(ADAPTERS) as Adapter[]).flatMap((adapter) => ARMS.map((arm) => ({ adapter, arm }))),
        [
          ['adapter', ({ adapter, arm }) => `${ADAPTERS[adapter].name}, ${arm}`],
          ['n', ({ adapter, arm }) => String(solvesOf(runs, adapter, arm).length)],
          ['solve', ({ adapter, arm }) => meanAndInterval(solvesOf(runs, adapter, arm))],
        ],
      ),
    ],
    chart: dotChart(
      'Solve against the SVD adapter, and against the first teacher',
      'difference in solve',
      figures,
      ({ name }) => (name.startsWith('oracle') ? 'oracle' : 'cat'),
    ),
    runs: () =>
      runsToOpen(
        runs.filter(({ spec }) => spec.adapter !== 'svd' || spec.lr === ADAPTERS.svd.lr),
        ARMS,
      ),
    inDocs: [`**C13: ${verdict.status}`, ...figures.map((figure) => intervalText(figure))],
  }),
};

export const ADAPTER: readonly Question<CatData>[] = [C13];
