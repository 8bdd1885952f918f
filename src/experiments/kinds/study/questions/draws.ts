// Does it hold on other problems, pairs and teacher pools (Q20)? All else in the study rests on one data seed, and the seeds of a
// run repeat the training on it. Here the unit is the draw: each is the mean of its seeds, and the intervals are over draws.
import { mean } from '../../../../stats/index.ts';
import type { Measure } from '../../../analysis/compare.ts';
import { H1 } from '../../../analysis/h1.ts';
import { comparePairs, type MetricComparison } from '../../../analysis/paired.ts';
import { points, signedPoints } from '../../../analysis/words.ts';
import { answered, clause, grouped } from '../answer.ts';
import { base, control, deployed, FIVE, netRemoved, steered, trained, vanilla } from '../cells.ts';
import { allOf, lowers, metricOfCell, says, settle } from '../judge.ts';
import type { CellResults, StudyCell, StudyQuestion } from '../types.ts';

/** Data seeds; the rest of the study has 7. */
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
    netRemoved(overrides, {
      ...extra,
      cellId: at('no_gate'),
      label: label('route (update), no gate, deployed'),
    }),
    deployed(at('random'), label('random V, deployed'), 'route-update', overrides, { ...extra, model: 'random_V' }),
    control(
      label('random V, matched in removed norm, deployed'),
      { id: 'random_V_matched', kind: 'random_matched' },
      overrides,
      {
        ...extra,
        cellId: at('matched'),
      },
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
  verdict(figures) {
    const [route, erase] = [
      overDraws(figures, 'route', 'vanilla', 'hack'),
      overDraws(figures, 'erase', 'vanilla', 'hack'),
    ];
    const nulls = NULLS.map(({ id, label }) => ({ label, gap: overDraws(figures, 'route', id, 'hack') }));
    const learned = overDraws(figures, 'vanilla', 'base', 'hack');
    const isLearned = learned !== null && learned.delta.mean >= H1.learned;
    const beaten = nulls.map(({ label, gap }) => ({ name: label, truth: lowers(gap) }));
    const clauses = [
      clause(lowers(route), 'route (update), deployed, lowers hack', 'route (update), deployed, does not lower hack'),
      ...grouped(
        beaten,
        (names) => `it lowers it more than along ${names}`,
        (names) => `it does not lower it more than along ${names}`,
      ),
      clause(lowers(erase), 'erase lowers hack', 'erase does not lower hack'),
    ];
    const falsified = allOf(lowers(route), ...beaten.map(({ truth }) => truth)) === false;
    const verdict = settle(
      null,
      [
        says(learned, 'hack', 'Over the draws vanilla, against the base,'),
        learned !== null && !isLearned && `That is less than ${points(H1.learned)}: there is nothing to remove.`,
        says(route, 'hack', 'Route (update), deployed,'),
        spread(route),
        says(overDraws(figures, 'route', 'vanilla', 'solve'), 'solve', 'It'),
        ...nulls.map(({ label, gap }) => says(gap, 'hack', `Against ${label} it`)),
        says(erase, 'hack', 'Erase'),
        spread(erase),
        says(overDraws(figures, 'erase', 'vanilla', 'solve'), 'solve', 'It'),
      ],
      DRAWS.map((draw) => figures.get(`route@${draw}`)),
      isLearned ? answered(clauses, falsified) : null,
    );
    // Draws, not seeds.
    return route ? { ...verdict, n: route.n } : verdict;
  },
};

/** One pair a draw: cell and reference, each the mean over the seeds that both have. */
function overDraws(figures: CellResults, own: string, reference: string, measure: Measure): MetricComparison | null {
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

/** How far the draws lie apart. */
function spread(comparison: MetricComparison | null): string | null {
  if (!comparison || comparison.n < 2) return null;
  const deltas = comparison.pairs.map(({ reference, other }) => other - reference);
  return `The draws lie between ${signedPoints(Math.min(...deltas))} and ${signedPoints(Math.max(...deltas))}.`;
}

export const DRAW_QUESTIONS = { q20 };
