// L1: does a reward for correct answers alone teach a small model to call its tools? Tables: docs/lab-book/agents.md.

import { eachLine } from '../../../src/experiments/judge/estimate.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { finalRow } from '../../../src/experiments/records/metrics.ts';
import { three } from '../../../src/lib/numbers.ts';
import { differenceOf, dotChart, presentEstimates, seedsEstimate, ZERO } from '../../judge/estimates.ts';
import { inSeedOrder, type Question, runsToOpen } from '../../judge/question.ts';

const FILE = 'agents/lookup.json.gz';
const GAINS_AT_LEAST = 0.1;
const SEEDS_WANTED = 5;
/** Words for the measures of a final evaluation. */
const MEASURES = { solve: 'solves', asked: 'asks a tool', format: 'writes an answer that can be read' } as const;

interface ToolRuns {
  runs: readonly RunRecord[];
  seeds: readonly number[];
  of(model: 'base' | 'total', measure: keyof typeof MEASURES): number[];
}

function read(all: readonly RunRecord[]): ToolRuns {
  const runs = inSeedOrder(all.filter(({ spec }) => spec.environment === 'lookup' && spec.arm === 'none'));
  return {
    runs,
    seeds: runs.map(({ spec }) => spec.seed),
    of: (model, measure) => runs.map((run) => finalRow(run, model)?.all.figures[measure] ?? Number.NaN),
  };
}

export const L1: Question<readonly RunRecord[], 'gain' | 'asks'> = {
  id: 'L1',
  title: 'Does pay for right answers alone teach a model to ask its tools?',
  hypothesis:
    'Forty steps of GRPO on lookup, paid 1 for a right answer and nothing for a call, raise right answers to new questions by ten points or more, and the share of episodes that ask a tool.',
  falsified: 'An interval of the difference in right answers that includes 0, or lies below it.',
  says: {
    holds: 'Paid for right answers alone, the model gives ten points more of them, and asks its tools more.',
    'in part': 'Paid for right answers alone, the model gives more of them; ten points, or more calls, are not shown.',
    fails: 'Paid for right answers alone, the model is not shown to give more of them.',
    open: 'Too few seeds to say.',
  },
  unit: 'training seeds',
  caveat:
    'One embedded model of .84 M parameters. Five other seeds of the same settings were known when this was written (.41 → .61). No arm with rewards by chance stands beside it: the environment offers none. The base’s figure is one draw of episodes, the same for every seed.',
  section: 'Asking tools',
  files: [FILE],
  commands: [
    'npm run lab -- run --environment lookup --arms none --seeds 61,62,63,64,65 --set evalEvery=0 --set finalEvalProblems=256 --device cpu --out runs/lookup --json FILE',
  ],
  read: (rows) => rows.runs(FILE),
  names: { gain: 'right answers, trained − base', asks: 'asks a tool, trained − base' },
  rule: {
    needs: [{ of: ['gain', 'asks'], least: SEEDS_WANTED, what: 'training seeds' }],
    cases: [
      { status: 'holds', when: { all: [{ above: 'gain', bound: GAINS_AT_LEAST }, { above: 'asks' }] } },
      { status: 'in part', because: 'ten points, or more calls, are not shown', when: { above: 'gain' } },
      { status: 'fails' },
    ],
  },
  estimates(all) {
    const { seeds, of } = read(all);
    const gain = differenceOf(this.names.gain, seeds, of('total', 'solve'), of('base', 'solve'));
    const asks = differenceOf(this.names.asks, seeds, of('total', 'asked'), of('base', 'asked'));
    return gain && asks ? { gain, asks } : null;
  },
  shown(all, { verdict, estimates, figures }) {
    const { runs, seeds, of } = read(all);
    const measures = Object.keys(MEASURES) as (keyof typeof MEASURES)[];
    return {
      tables: [
        tableOf(
          'Final evaluation, mean ± sd over seeds',
          (['base', 'total'] as const).map((model) => ({ model })),
          [
            ['model', ({ model }) => (model === 'base' ? 'base' : 'trained')],
            ['n', () => String(seeds.length)],
            ...measures.map(
              (measure) => [MEASURES[measure], ({ model }: { model: 'base' | 'total' }) => of(model, measure)] as const,
            ),
          ],
        ),
      ],
      chart: dotChart(
        'What pay for right answers changes',
        'share of episodes',
        [
          seedsEstimate('right answers, base', seeds, of('base', 'solve')),
          seedsEstimate('right answers, trained', seeds, of('total', 'solve')),
          ...figures,
        ],
        'none',
        [ZERO, { at: GAINS_AT_LEAST, label: three(GAINS_AT_LEAST) }],
      ),
      runs: () => runsToOpen(runs, ['none']),
      inDocs: [`**L1: ${verdict.status}`, ...presentEstimates(estimates, ['gain', 'asks']).map((one) => eachLine(one))],
    };
  },
};
