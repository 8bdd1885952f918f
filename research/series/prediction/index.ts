// Can labelled pairs be judged before training? A formula over three figures of the untrained model was fitted on pilot draws and committed; here
// it predicts what quarantines remove in other draws. Rules and margins were written before those runs.

import type { Estimate, Estimates } from '../../../src/experiments/judge/estimate.ts';
import { eachLine, intervalText, spreadOf } from '../../../src/experiments/judge/estimate.ts';
import { above, below, type Rule } from '../../../src/experiments/judge/rule.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import { three, two } from '../../../src/lib/numbers.ts';
import { mean, pairedT, spearman } from '../../../src/stats/index.ts';
import { presentEstimates, rowProvenance } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import { APART_VERIFIER } from './apart.ts';
import { JUDGED, SETS, SHOWN, SIZES } from './cells.ts';
import { COMPOSED_TRUST, MISCONCEIVED_TRUST } from './composed.ts';
import { NEW_DRAWS_VERIFIER } from './draws.ts';
import { EARLY_WARNING } from './early-warning.ts';
import {
  type ByMode,
  cellsOf,
  type Formula,
  HACKS_AT_LEAST,
  lookUp,
  type Part,
  type Piloted,
  type PredictionCell,
  prediction,
} from './formula.ts';
import { GAMED_MONITORS } from './gamed.ts';
import { MERGING } from './merging.ts';
import { NARROW_TRUST } from './narrow.ts';
import { PILOTED } from './piloted.ts';
import { pilotedCells } from './piloted-cells.ts';
import { RECONTEXTUALIZED } from './recontextualized.ts';
import type { PredictionRow } from './rows.ts';
import { MORE_TRUST } from './trusted-shares.ts';
import { UNLABELLED_BLOCKS } from './unlabelled.ts';
import { VERIFIED_NARROW, VERIFIED_REWARDS } from './verified.ts';

/** Rank correlation within a mode that a diagnostic must have to choose between bases. */
const RANKS_AT_LEAST = 0.5;
/** Largest distance of the calibration's slope from 1. */
const SLOPE_WITHIN = 0.3;

const NAMES = {
  skill: 'squared error saved, against the mode alone',
  rank: 'rank correlation within a mode',
  slope: 'slope of removed on predicted, less 1',
  spelled: 'rank correlation within a mode, pairs in the pool’s own spelling alone',
  cin: 'error saved by the overlap alone',
  separation: 'error saved by the separation alone',
  share: 'error saved by the shared skeletons alone',
  kind: 'error saved by a look-up of mode and kind of pairs',
  beyond: 'error saved of what that look-up leaves',
};
type Key = keyof typeof NAMES;

const RULE: Rule<Key> = {
  needs: [{ of: ['skill'], least: JUDGED.length, what: 'draws' }],
  cases: [
    {
      status: 'holds',
      when: { all: [above('skill'), above('rank', RANKS_AT_LEAST), { within: 'slope', margin: SLOPE_WITHIN }] },
    },
    {
      status: 'in part',
      because: 'saves error and ranks, not by every bar',
      when: { all: [above('skill'), above('rank')] },
    },
    { status: 'in part', because: 'ranks alone', when: above('rank') },
    { status: 'fails', because: 'worse than the mode alone', when: below('skill') },
    { status: 'open' },
  ],
  after: 'Intervals are jackknife intervals over draws.',
};

interface Scores {
  skill: number;
  rank: number;
  slope: number;
  /** Like rank, for pairs in the pool's own spelling only, which shows whether it tells more than spelling. Not
   *  judged. */
  spelled: number;
  singles: Record<'cin' | 'separation' | 'share', number>;
  /** `kind`: skill of the pilots' mean of a cell's mode and kind of pairs. `beyond`: share of that prediction's error that the formula saves. Not
   *  judged. */
  kind: number;
  beyond: number;
}

/** Null if vanilla hacks no mode enough. */
function scoresOf(rows: readonly PredictionRow[], part: Part): Scores | null {
  const cells = cellsOf(rows, part);
  if (cells.length < 3) return null;
  const { formula, singles, byMode } = PILOTED[part];
  const observed = cells.map(({ removed }) => removed);
  const predictions = cells.map((cell) => prediction(formula, cell));
  const rank = rankWithin(cells, formula);
  const spelled = rankWithin(
    cells.filter(({ form }) => form.set === 'prog_wide' || form.set === 'prog_wide_untested'),
    formula,
  );
  if (rank === null || spelled === null) return null;
  const skillOf = (one: Formula) => skill(cells, (cell) => prediction(one, cell), byMode);
  const byKind = lookUp(pilotedCells(part));
  return {
    skill: skillOf(formula),
    rank,
    slope: slopeOf(predictions, observed) - 1,
    spelled,
    singles: { cin: skillOf(singles.cin), separation: skillOf(singles.separation), share: skillOf(singles.share) },
    kind: skill(cells, byKind, byMode),
    beyond: 1 - squares(cells, (cell) => prediction(formula, cell)) / squares(cells, byKind),
  };
}

/** Spearman's correlation of predicted with removed over a mode's forms, mean over the modes that have one. */
const rankWithin = (cells: readonly PredictionCell[], formula: Formula): number | null =>
  mean(
    SHOWN.flatMap((mode) => {
      const own = cells.filter((cell) => cell.mode === mode);
      const rho = spearman(
        own.map((cell) => prediction(formula, cell)),
        own.map(({ removed }) => removed),
      );
      return rho === null ? [] : [rho];
    }),
  );

const squares = (cells: readonly PredictionCell[], of: (cell: PredictionCell) => number): number =>
  cells.reduce((sum, cell) => sum + (cell.removed - of(cell)) ** 2, 0);

/** 1 − Σ error² of the predictions / Σ error² of the mode alone. */
function skill(cells: readonly PredictionCell[], predicted: (cell: PredictionCell) => number, byMode: ByMode): number {
  // A mode without pilot cells gets the mean of the others.
  const known = mean(Object.values(byMode)) ?? 0;
  return 1 - squares(cells, predicted) / squares(cells, ({ mode }) => byMode[mode] ?? known);
}

function slopeOf(x: readonly number[], y: readonly number[]): number {
  const [mx, my] = [mean(x) as number, mean(y) as number];
  const xx = x.reduce((sum, value) => sum + (value - mx) ** 2, 0);
  return x.reduce((sum, value, i) => sum + (value - mx) * (y[i] - my), 0) / xx;
}

/** Data seeds, in order. */
const drawsOf = (rows: readonly PredictionRow[]): number[] =>
  [...new Set(rows.map(({ dataSeed }) => dataSeed))].sort((a, b) => a - b);

/** Jackknife over draws, since cells share forms, modes and draws, and only draws are independent: each draw's pseudo-value is
 *  n θ − (n − 1) θ₋, where θ₋ leaves the draw out. Returns the mean of the pseudo-values and Student's interval. */
function jackknife(rows: readonly PredictionRow[], part: Part): Estimates<Key> | null {
  const draws = drawsOf(rows);
  const n = draws.length;
  const all = scoresOf(rows, part);
  if (!all || n < 2) return null;
  const without = draws.map((draw) =>
    scoresOf(
      rows.filter(({ dataSeed }) => dataSeed !== draw),
      part,
    ),
  );
  const estimate = (key: Key, of: (scores: Scores) => number): Estimate => {
    const each = without.flatMap((scores, i) =>
      scores ? [{ of: `draw ${draws[i]}`, value: n * of(all) - (n - 1) * of(scores) }] : [],
    );
    const values = each.map(({ value }) => value);
    return {
      name: NAMES[key],
      word: null,
      n: values.length,
      mean: mean(values),
      interval: pairedT(values)?.interval ?? null,
      each,
    };
  };
  return {
    skill: estimate('skill', ({ skill }) => skill),
    rank: estimate('rank', ({ rank }) => rank),
    slope: estimate('slope', ({ slope }) => slope),
    spelled: estimate('spelled', ({ spelled }) => spelled),
    cin: estimate('cin', ({ singles }) => singles.cin),
    separation: estimate('separation', ({ singles }) => singles.separation),
    // Pairs that show another mode share no skeleton.
    ...(part === 'shown' && { share: estimate('share', ({ singles }) => singles.share) }),
    kind: estimate('kind', ({ kind }) => kind),
    beyond: estimate('beyond', ({ beyond }) => beyond),
  };
}

const FILE = 'prediction/judged.jsonl.gz';

const PREDICTORS = { cin: 'overlap', separation: 'separation', share: 'shared skeletons' } as const;

const formulaText = ({ constant, ...slopes }: Formula): string =>
  `removed = ${two(constant)}${Object.entries(slopes)
    .map(([name, slope]) => ` + ${two(slope)} ${PREDICTORS[name as keyof typeof PREDICTORS]}`)
    .join('')}`;

function question(
  part: Part,
  texts: Pick<Question, 'id' | 'title' | 'hypothesis' | 'says'>,
): Question<readonly PredictionRow[], Key> {
  const piloted: Piloted = PILOTED[part];
  return {
    ...texts,
    falsified: 'The formula’s squared error above that of the pilots’ mean of the mode, by an interval.',
    unit: 'draws',
    caveat: `One model of .85 M parameters. Quarantines of one run share its rollouts; a draw has its own problems, pairs, pool and training seed. Modes that vanilla raises by less than ${two(HACKS_AT_LEAST)} have no cells. The formula, from ${piloted.cells} pilot cells: ${formulaText(piloted.formula)}.`,
    section: 'What was found',
    files: [FILE],
    commands: ['npm run research -- predict --draws pilots', 'npm run research -- predict'],
    read: (rows) => rows.lines(FILE) as PredictionRow[],
    names: NAMES,
    rule: RULE,
    show: two,
    estimates: (rows) => jackknife(rows, part),
    shown(rows, { verdict, estimates }) {
      const cells = cellsOf(rows, part);
      const groups = SETS.flatMap((set) =>
        SIZES.map((pairs) => ({
          set,
          label: `${set}, ${pairs} pairs`,
          own: cells.filter(({ form }) => form.set === set && form.pairs === pairs),
        })),
      );
      const { share, spelled, kind, skill, beyond } = estimates;
      const formula = (cell: PredictionCell) => prediction(piloted.formula, cell);
      const table = tableOf('Predicted before training and removed after it, mean ± sd over modes', groups, [
        ['pairs', ({ label }) => label],
        ['overlap', ({ own }) => spreadOf(own.map(({ before }) => before.cin))],
        ['separation', ({ own }) => spreadOf(own.map(({ before }) => before.separation))],
        ['shared skeletons', ({ own }) => spreadOf(own.map(({ before }) => before.share))],
        ['predicted', ({ own }) => spreadOf(own.map(formula))],
        ['removed', ({ own }) => spreadOf(own.map(({ removed }) => removed))],
      ]);
      return {
        tables: [
          {
            ...table,
            marks: groups.map(({ set }) => ({
              look: { arm: 'route-update', model: 'deployed' } as const,
              part: set,
              tags: [],
            })),
          },
        ],
        chart: {
          kind: 'marks',
          isShared: true,
          panels: [
            {
              id: '',
              title: 'Predicted before training, removed after it',
              about:
                'A form of pairs each, mean over modes, each mode faint. Numbers are table rows. Right prediction lies on the diagonal.',
              x: { label: 'predicted', verb: 'is predicted to remove' },
              y: { label: 'removed', verb: 'removes' },
              marks: groups.flatMap(({ own }, i) =>
                own.length === 0
                  ? []
                  : [
                      {
                        row: i + 1,
                        n: drawsOf(rows).length,
                        x: mean(own.map(formula)) as number,
                        y: mean(own.map(({ removed }) => removed)) as number,
                        each: own.map((cell) => [formula(cell), cell.removed] as const),
                      },
                    ],
              ),
              line: [],
            },
          ],
        },
        made: rowProvenance(rows),
        runs: () => [],
        limits: [
          ...(kind && skill && beyond
            ? [
                part === 'shown'
                  ? `A look-up does as well, the pilots’ mean of a cell’s mode and kind of pairs: it saves ${intervalText(kind, two)} of the error, the formula ${intervalText(skill, two)}. That the formula tells more is asked in P2.`
                  : `A look-up, the pilots’ mean of the mode, the mode that the pairs show and their spelling, saves ${intervalText(kind, two)} of the error; of what it leaves the formula saves ${intervalText(beyond, two)}.`,
              ]
            : []),
          ...(share?.interval && share.interval.low > 0 && spelled
            ? [
                `Shared skeletons alone save error too (${intervalText(share, two)}). Of pairs in the pool’s own spelling alone the rank correlation within a mode is ${intervalText(spelled, two)}.`,
              ]
            : []),
          'The overlap is what the projection takes of such a gradient at the first step, so that some relation is no surprise.',
        ],
        inDocs: [
          `**${texts.id}: ${verdict.status}`,
          ...presentEstimates(estimates, ['skill']).map((one) => eachLine(one, three)),
        ],
      };
    },
  };
}

const SAYS = {
  holds: 'On the embedded model it can be told before training how much of the hack a basis will remove.',
  'in part: saves error and ranks, not by every bar':
    'On the embedded model bases can be ranked before training, and the error is below the mode’s own, but not by every bar of the rule.',
  'in part: ranks alone': 'Before training bases can be ranked, and no more.',
  'fails: worse than the mode alone': 'Knowing the mode alone predicts better than the formula does.',
  open: 'Too few draws, or too wide an interval, to say.',
};

// P2 is first: where pairs show the hack, a look-up by spelling does as well.
export const PREDICTION_QUESTIONS: readonly Question[] = [
  question('unseen', {
    id: 'P2',
    title: 'The same of a hack that its pairs do not show',
    hypothesis: 'As P1, where the pairs show one mode and another’s hack is counted.',
    says: SAYS,
  }),
  question('shown', {
    id: 'P1',
    title: 'Can one predict before training whether a basis will remove the hack that its pairs show?',
    hypothesis:
      'Overlap with the pool’s gradients, separation of hacks from right answers, and shared skeletons, measured at the untrained model, predict what the quarantine removes: by rank within a mode, better than the mode alone, and calibrated.',
    says: SAYS,
  }),
  EARLY_WARNING,
  NARROW_TRUST,
  MERGING,
  VERIFIED_REWARDS,
  VERIFIED_NARROW,
  NEW_DRAWS_VERIFIER,
  COMPOSED_TRUST,
  MISCONCEIVED_TRUST,
  APART_VERIFIER,
  MORE_TRUST,
  UNLABELLED_BLOCKS,
  RECONTEXTUALIZED,
  GAMED_MONITORS,
] as readonly Question[];
