// G1: does the verifier's reward alone teach the embedded agent? Tables: docs/lab-book/agents.md.

import { eachLine } from '../../../src/experiments/judge/estimate.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { finalRow } from '../../../src/experiments/records/metrics.ts';
import { three } from '../../../src/lib/numbers.ts';
import { differenceOf, dotChart, isKnown, seedsEstimate, ZERO } from '../../judge/estimates.ts';
import { inSeedOrder, type Question, runsToOpen } from '../../judge/question.ts';
import { solveOf } from './estimates.ts';

const FILE = 'agents/g1.json.gz';
const UNIT = 'training seeds';
const GAINS_AT_LEAST = 0.1;
const SPLITS = { words: 'other universes', templates: 'held-out templates' } as const;

interface Gained {
  runs: readonly RunRecord[];
  seeds: readonly number[];
  /** `other universes, base` → one value per seed. */
  solve: Readonly<Record<string, readonly number[]>>;
}

/** Reads the runs that were rewarded only by the verifier. */
function read(all: readonly RunRecord[]): Gained {
  const runs = inSeedOrder(all.filter(({ spec }) => spec.arm === 'none' && spec.softJudge === 'verifier'));
  const of = (model: string, split: string) => runs.map((run) => solveOf(finalRow(run, model), split));
  const solve = Object.entries(SPLITS).flatMap(([split, name]) => [
    [`${name}, base`, of('base', split)] as const,
    [name, of('total', split)] as const,
  ]);
  return {
    runs,
    seeds: runs.map(({ spec }) => spec.seed),
    solve: Object.fromEntries(solve.filter(([, values]) => isKnown(values))),
  };
}

export const G1: Question<readonly RunRecord[], 'gain'> = {
  id: 'G1',
  title: 'Does a verifier alone teach the embedded agent?',
  hypothesis: 'Forty steps of GRPO, paid 1 where the verifier passes, raise solving in other universes by ten points.',
  falsified: 'A seed in which it is not above the untrained base’s.',
  says: {
    holds: 'Paid by the verifier alone, the agent solves ten points more in other universes, in every seed.',
    'in part': 'Paid by the verifier alone, the agent solves more in other universes, by ten points on average.',
    fails: 'A verifier’s pay alone is not shown to teach the agent ten points.',
  },
  unit: UNIT,
  caveat:
    'Other universes use the templates of training; the table shows held-out templates separately. The base’s figure is one draw of episodes, the same for every seed, and no interval includes its scatter.',
  section: 'What the runs say',
  files: [FILE],
  commands: [
    'npm run lab -- run --environment agents --arms none --steps 40 --set adapter=lora --set lr=1e-3 --set promptsPerStep=8 --set evalEvery=0 --set finalEvalProblems=224 --seeds 51,52,53,54,55 --json FILE',
    `npm run research -- tables agents public/results/${FILE}`,
  ],
  read: (rows) => rows.runs(FILE),
  names: { gain: 'gain in other universes' },
  rule: {
    cases: [
      { status: 'holds', when: { every: 'gain', atLeast: GAINS_AT_LEAST } },
      {
        status: 'in part',
        when: {
          all: [
            { every: 'gain', moreThan: 0 },
            { mean: 'gain', atLeast: GAINS_AT_LEAST },
          ],
        },
      },
      { status: 'fails' },
    ],
  },
  estimates(all) {
    const { seeds, solve } = read(all);
    const gain = differenceOf(this.names.gain, seeds, solve[SPLITS.words], solve[`${SPLITS.words}, base`]);
    return gain ? { gain } : null;
  },
  shown(all, { verdict, figures }) {
    const { runs, seeds, solve } = read(all);
    const solved = Object.entries(solve);
    return {
      tables: [
        tableOf('Solving, mean ± sd over seeds', solved, [
          ['of', ([name]) => name],
          ['n', () => String(seeds.length)],
          ['solve', ([, values]) => values],
        ]),
      ],
      chart: dotChart(
        'Solving in other universes',
        'share solved',
        [...solved.map(([name, values]) => seedsEstimate(`solve, ${name}`, seeds, values)), ...figures],
        'none',
        [ZERO, { at: GAINS_AT_LEAST, label: three(GAINS_AT_LEAST) }],
      ),
      runs: () => runsToOpen(runs, ['none']),
      inDocs: [`**G1: ${verdict.status}**`, eachLine(figures[0])],
    };
  },
};
