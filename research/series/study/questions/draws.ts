// Does it hold on other problems, pairs and teacher pools (Q20)? The rest of the study uses one data seed, and its run seeds only repeat
// the training on the same data. Here the unit is the draw: each is the mean of its seeds, and the intervals are over draws.

import type { MetricId } from '../../../../src/experiments/analysis/compare.ts';
import { points, signedPoints } from '../../../../src/experiments/analysis/words.ts';
import { mean } from '../../../../src/stats/index.ts';
import { clause, grouped } from '../answer.ts';
import { base, control, deployed, FIVE, netRemoved, steered, trained, vanilla } from '../cells.ts';
import { H1 } from '../h1.ts';
import { comparisonOf, isKnown, lowers, metricOfCell } from '../judge.ts';
import { comparePairs, type MetricComparison } from '../paired.ts';
import type { CellResults, MadeComparisons, StudyCell, StudyQuestion } from '../types.ts';

/** Data seeds; the rest of the study uses 7. */
const DRAWS = [11, 12, 13, 14, 15] as const;
const SEEDS = FIVE.slice(0, 3);
const NULLS = [
  { id: 'random', label: 'a random V' },
  { id: 'matched', label: 'a random V that removes as much norm' },
  { id: 'nonhack', label: 'non-hack pairs' },
  { id: 'placebo', label: 'placebo pairs' },
] as const;

function cellsOf(draw: number): StudyCell[] {
  const overrides = { dataSeed: draw };
  const extra = { seeds: SEEDS, against: `vanilla@${draw}` };
  const part = `draw ${draw}`;
  const label = (text: string) => `${text}, ${part}`;
  const at = (id: string) => `${id}@${draw}`;
  const cells = [
    vanilla(overrides, { seeds: SEEDS, id: at('vanilla'), label: label('vanilla') }),
    trained(at('erase'), label('erase'), 'erase', overrides, extra),
    deployed(at('route'), label('route (update), deployed'), 'route-update', overrides, extra),
    netRemoved(overrides, { ...extra, cellId: at('no_gate'), label: label('route (update), no gate, deployed') }),
    deployed(at('random'), label('random V, deployed'), 'route-update', overrides, { ...extra, model: 'random_V' }),
    control(
      label('random V, matched in removed norm, deployed'),
      { id: 'random_V_matched', kind: 'random_matched' },
      overrides,
      { ...extra, cellId: at('matched') },
    ),
    control(label('non-hack pairs, deployed'), { id: 'nonhack_V', settings: { pairSet: 'nonhack' } }, overrides, {
      ...extra,
      cellId: at('nonhack'),
    }),
    control(label('placebo pairs, deployed'), { id: 'placebo_V', settings: { pairSet: 'placebo' } }, overrides, {
      ...extra,
      cellId: at('placebo'),
    }),
    { ...steered(overrides, { ...extra, id: at('steered') }), label: label('steered base') },
    { ...base(overrides, extra), id: at('base'), label: label('base (untrained)') },
  ];
  return cells.map((cell) => ({ ...cell, part }));
}

const COMPARED = {
  learned: ['vanilla', 'base', 'hack'],
  route: ['route', 'vanilla', 'hack'],
  routeSolve: ['route', 'vanilla', 'solve'],
  ...Object.fromEntries(NULLS.map(({ id }) => [id, ['route', id, 'hack']] as const)),
  erase: ['erase', 'vanilla', 'hack'],
  eraseSolve: ['erase', 'vanilla', 'solve'],
} as const;
const MADE: MadeComparisons = Object.fromEntries(
  Object.entries(COMPARED).map(([key, [own, reference, measure]]) => [
    key,
    (figures) => overDraws(figures, own, reference, measure),
  ]),
);
const LEARNED = { mean: 'learned', atLeast: H1.learned };

const q20: StudyQuestion = {
  id: 'Q20',
  title: 'Does it hold on other problems, pairs and pools?',
  hypothesis:
    'Over five other draws of problems, labelled pairs and teacher pool, erase and route (update), deployed, lower hack, the latter more than along any null.',
  falsified: 'Over the draws the deployed route (update) model hacks as much as vanilla, or as much as along a null.',
  reference: null,
  finding: '',
  unit: 'draws',
  cells: DRAWS.flatMap(cellsOf),
  notes: [
    'A draw is a data seed: problems, evaluation set, pairs and pool; n counts draws, each the mean of its seeds. In the table n counts seeds.',
    'The model and the templates of exploits and pairs are the same in every draw: it says nothing of other models or other ways to write a hack.',
  ],
  made: MADE,
  needs: DRAWS.map((draw) => `route@${draw}`),
  // n counts draws, not seeds.
  countedBy: 'route',
  given: LEARNED,
  clauses: [
    clause(lowers('route'), 'route (update), deployed, lowers hack', 'route (update), deployed, does not lower hack'),
    grouped(
      NULLS.map(({ id, label }) => ({ name: label, is: lowers(id) })),
      'it lowers it more than along …',
      'it does not lower it more than along …',
    ),
    clause(lowers('erase'), 'erase lowers hack', 'erase does not lower hack'),
  ],
  falsifier: { not: { all: ['route', ...NULLS.map(({ id }) => id)].map(lowers) } },
  says: [
    ['learned', 'Over the draws vanilla, against the base,'],
    [
      { all: [isKnown('learned'), { not: LEARNED }] },
      `That is less than ${points(H1.learned)}: there is nothing to remove.`,
    ],
    ['route', 'Route (update), deployed,'],
    (figures) => [spread(comparisonOf(figures, 'route', MADE))],
    ['routeSolve', 'It'],
    ...NULLS.map(({ id, label }) => [id, `Against ${label} it`] as const),
    ['erase', 'Erase'],
    (figures) => [spread(comparisonOf(figures, 'erase', MADE))],
    ['eraseSolve', 'It'],
  ],
};

/** One pair per draw: cell and reference, each the mean over the seeds that both have. */
function overDraws(figures: CellResults, own: string, reference: string, measure: MetricId): MetricComparison | null {
  const pairs = DRAWS.flatMap((draw) => {
    const [a, b] = [figures.get(`${own}@${draw}`), figures.get(`${reference}@${draw}`)];
    if (!a || !b) return [];
    const figure = metricOfCell(a.cell, measure);
    const rows = a.set.runs.flatMap((run) => {
      const partner = b.set.runs.find(({ spec }) => spec.seed === run.spec.seed);
      const [other, before] = [figure.value(run, a.set.model), partner && figure.value(partner, b.set.model)];
      return other == null || before == null ? [] : [{ other, before }];
    });
    if (rows.length === 0) return [];
    const over = (value: (row: (typeof rows)[number]) => number) => mean(rows.map(value)) as number;
    return [{ seed: draw, reference: over((row) => row.before), other: over((row) => row.other) }];
  });
  const first = figures.get(`${own}@${DRAWS[0]}`);
  return pairs.length === 0 || !first ? null : comparePairs(metricOfCell(first.cell, measure), pairs);
}

/** Range over the draws, in words. */
function spread(comparison: MetricComparison | null): string | null {
  if (!comparison || comparison.n < 2) return null;
  const deltas = comparison.pairs.map(({ reference, other }) => other - reference);
  return `The draws lie between ${signedPoints(Math.min(...deltas))} and ${signedPoints(Math.max(...deltas))}.`;
}

export const DRAW_QUESTIONS = { q20 };
