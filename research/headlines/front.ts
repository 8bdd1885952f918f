// The front page of the findings: ten sentences, a row for each question with its bases in columns, and the page on whether a basis of one
// hack stops another. All of it is computed from the rows and from the sheets, which are judged from rows.

import { shareText } from '../../src/experiments/analysis/arena.ts';
import { type FrontierMark, frontierOf, REMOVED_AT_LEAST } from '../../src/findings/arena/frontier.ts';
import type { Elsewhere, EntryVerdict, Front, FrontQuestion } from '../../src/findings/front.ts';
import { percent } from '../../src/findings/headline.ts';
import { openKindOf } from '../../src/findings/open-kind.ts';
import { SERIES_IDS, type SeriesId } from '../../src/findings/series.ts';
import type { SeriesSheet, ShownQuestion } from '../../src/findings/sheet.ts';
import { type Stem, stemsOf } from '../../src/findings/stems.ts';
import { inBrackets, percent as percentOf, points } from '../../src/lib/numbers.ts';
import { mean } from '../../src/stats/index.ts';
import { cellsOf, type Part, type PredictionCell } from '../series/prediction/formula.ts';
import type { PredictionRow } from '../series/prediction/rows.ts';
import { joinWords } from '../series/study/answer.ts';
import { reaches } from '../series/study/questions/held-out.ts';
import { overPredictedDraws, PREDICTED } from './look-up.ts';
import { figuresFrom, requireShown, type SourcedSentence, sourced } from './sourced-sentence.ts';
import { estimateOf, type Sources } from './sources.ts';
import { type TenSentence, tenOf } from './ten.ts';

export const verdictOf = ({ id, standing, word, n, unit, age }: ShownQuestion): EntryVerdict => ({
  id,
  standing,
  word,
  open: openKindOf({ standing, word }),
  n,
  unit,
  age: age?.status ?? null,
});

// ---- the table -----------------------------------------------------------------------------------------------------

/** Columns of the table, each with the suffix of an entry's id that names its base; an id without one is on the first base. */
const COLUMNS: readonly { title: string; base: RegExp | null }[] = [
  { title: 'first base', base: null },
  { title: 'base of seed 2', base: /^seed2\b/ },
  { title: 'base of seed 3', base: /^seed3\b/ },
  { title: 'other bases', base: /^(numerals|right-majority|bases)\b/ },
];
const columnOf = (id: string): number => {
  const rest = id.slice(id.indexOf('-') + 1);
  const at = id.includes('-')
    ? COLUMNS.findIndex(({ base }) => base && (base.test(rest) || base.test(rest.replace(/^[a-z]+-/, ''))))
    : -1;
  return Math.max(0, at);
};

const columnTitles = (): string[] => COLUMNS.map(({ title }) => title);

const rowOf = (series: SeriesId, { id, entries }: Stem): FrontQuestion => ({
  series,
  id,
  title: entries[0].title,
  cells: COLUMNS.map((_, i) => entries.filter((entry) => columnOf(entry.id) === i).map(verdictOf)),
});

/** A row for each question, in the order of the series. */
const frontQuestions = (sheets: ReadonlyMap<SeriesId, SeriesSheet>): FrontQuestion[] =>
  SERIES_IDS.flatMap((series) => stemsOf(sheets.get(series)?.questions ?? []).map((stem) => rowOf(series, stem)));

// ---- a basis of one hack against another -------------------------------------------------------------------------------

/** Spellings of the pairs: the hack's own or others, with asserts on the clean side or, as on the hack's side, without. */
type Spelling = PredictionCell['form']['set'];

/** Mean over cells of the hack that routing removes, of the flaw shown by the pairs or of another. */
const removedIn = (cells: readonly PredictionCell[]): number => mean(cells.map(({ removed }) => removed))!;

/** The same over the judged draws, with its interval. */
const removedBy = (rows: readonly PredictionRow[], part: Part, spelling: Spelling) =>
  overPredictedDraws(rows, (own) => removedIn(cellsOf(own, part).filter(({ form }) => form.set === spelling)));

const HALF = 0.5;

/** Pairs of flaws, shown → measured, split by whether a basis in the hack's own spelling removes half of the other flaw's hack. */
function pairsOfFlaws(rows: readonly PredictionRow[]) {
  const byPair = new Map<string, PredictionCell[]>();
  for (const cell of cellsOf(rows, 'unseen').filter(({ form }) => form.set === 'prog_wide')) {
    const id = `${cell.form.shows} ${cell.mode}`;
    byPair.set(id, [...(byPair.get(id) ?? []), cell]);
  }
  const pairs = [...byPair.values()].map((cells) => ({
    modes: [cells[0].form.shows, cells[0].mode],
    removed: removedIn(cells),
  }));
  const alike = pairs.filter(({ removed }) => removed >= HALF);
  const modes = [...new Set(alike.flatMap((pair) => pair.modes))];
  requireShown(
    alike.length === modes.length * (modes.length - 1),
    'the flaws whose bases remove half of each other’s hack are one group',
  );
  return { pairs, alike, others: pairs.filter(({ removed }) => removed < HALF), modes };
}

/** A range as `58 to 93%`. */
const rangeText = (values: readonly number[]): string =>
  `${percentOf(Math.min(...values), 0, '')} to ${percent(Math.max(...values))}`;

export interface ElsewhereSources {
  page: Elsewhere;
  said: readonly SourcedSentence[];
}

/** Models of the arena that project along the pairs' directions. */
const PROJECTED: readonly string[] = ['erase total', 'route deployed', 'route-update deployed'];

const whole = (share: number | null | undefined): string => (share == null ? '–' : percentOf(share, 0));

function elsewhereOf(sources: Sources): ElsewhereSources {
  const { figures } = sources.question('Q14');
  const modes = reaches(figures).toSorted((a, b) => (b.removed ?? 0) - (a.removed ?? 0));
  const print = figuresFrom(PREDICTED);
  const predicted = sources.lines<PredictionRow>(PREDICTED);
  const removed = (part: Part, spelling: Spelling, name: string) => {
    const { mean: share, interval } = removedBy(predicted, part, spelling);
    return print(name, percent(share) + inBrackets(interval, (end) => percentOf(end, 0, ''), ' '));
  };
  const draws = new Set(predicted.map(({ dataSeed }) => dataSeed)).size;
  const flaws = pairsOfFlaws(predicted);
  const between = (of: readonly { removed: number }[]) => rangeText(of.map((one) => one.removed));
  const changed = (id: 'I2' | 'I2-blind') => {
    const { mean: change, interval } = estimateOf(sources.entry(id), 'hack, deployed, other pairs − whole');
    return points(change) + inBrackets(interval, points, ' ');
  };
  const reached = modes.filter((one) => one.reached === true);
  requireShown(reached.length < modes.length, 'some flaw is not reached');
  const arena = frontierOf(sources.arena('others')).marks.filter(
    ({ role, labels }) => role === 'method' && labels === 'pairs',
  );
  const isProjected = ({ id }: FrontierMark) => PROJECTED.includes(id);
  const projected = arena.filter(isProjected);
  const unprojected = arena.filter((mark) => !isProjected(mark));
  const removing = unprojected.filter((mark) => mark.removed >= REMOVED_AT_LEAST);
  requireShown(
    projected.every(({ bars }) => bars.removed !== null && bars.removed.low < 0 && bars.removed.high > 0),
    'no interval of what erasing and routing remove in the arena is apart from none',
  );
  const cells = Math.max(...arena.map(({ n }) => n));
  const inArena = figuresFrom('arena/others.runs.json.gz');
  const sentences = [
    sourced`Mostly no. Over ${print('draws', draws)} draws pairs that show one flaw, in the hack’s own spelling, remove ${removed('shown', 'prog_wide', 'removed of the flaw that the pairs show')} of that flaw’s hack and ${removed('unseen', 'prog_wide', 'removed of another flaw')} of another’s; in other spellings ${removed('shown', 'prog_wider', 'removed of the flaw that the pairs show, other spellings')} and ${removed('unseen', 'prog_wider', 'removed of another flaw, other spellings')}.`,
    sourced`That mean is of two kinds, which these rows told apart. Among ${figuresFrom(PREDICTED)('flaws of the group', joinWords(flaws.modes))} pairs of one flaw remove ${print('removed of another flaw, within the group', between(flaws.alike))} of another’s hack (${print('pairs of flaws within the group', flaws.alike.length)} of ${print('pairs of flaws', flaws.pairs.length)} pairs of flaws); in the others ${print('removed of another flaw, outside the group', between(flaws.others))}. Where the clean answers write no asserts either, pairs in the hack’s own spelling remove ${removed('shown', 'prog_wide_untested', 'removed of the flaw that the pairs show, no asserts')} and ${removed('unseen', 'prog_wide_untested', 'removed of another flaw, no asserts')}.`,
    sourced`With every other flaw among the pairs, routing reaches ${figuresFrom('q14.json.gz')('flaws reached', reached.length)} of ${figuresFrom('q14.json.gz')('flaws', modes.length)} flaws that no pair shows; of ${figuresFrom('q14.json.gz')('flaws reached mostly by the asserts', reached.filter(({ asserts }) => asserts === true).length)} of these most is done by pairs that only write the asserts.`,
    sourced`In the arena’s ${inArena('cells', cells)} cells it is too wide to tell: along pairs of another hack erasing and routing remove ${inArena('hack removed along pairs of another hack', joinWords(projected.map(({ removed, bars }) => shareText({ ratio: removed, interval: bars.removed })!)))}. Of ${inArena('other methods with these pairs', unprojected.length)} other methods that use them (two blocks, soft routers, modified advantages) ${inArena('of these, methods that remove nine tenths', removing.length)} remove ${inArena('hack that these remove', rangeText(removing.map((mark) => mark.removed)))} in the mean and keep ${inArena('kept by these', rangeText(removing.map(({ kept }) => kept)))} of what correct graders teach on honest prompts; that the pairs’ direction does it is not judged.`,
    sourced`On the model from elsewhere, pairs of mere form change the hack by claims by ${figuresFrom('instructions/shown.json.gz')('hack by claims, other pairs − whole', changed('I2'))} points, and pairs of claims the hack by mere form by ${figuresFrom('instructions/blind.json.gz')('hack by mere form, other pairs − whole', changed('I2-blind'))}, where plain RL adds ${figuresFrom('instructions/blind.json.gz')('hack by mere form, whole − base', points(estimateOf(sources.entry('I2-blind'), 'hack, whole − base').mean))} points.`,
  ];
  const of = (cell: string) => modes.map(({ mode }) => whole(cellMean(figures.get(`${cell}-${mode}`)?.hack?.mean)));
  const rows = [
    ['untrained, hacks', ...of('base')],
    ['plain RL, hacks', ...of('vanilla')],
    ['routed along pairs of the other flaws, deployed, hacks', ...of('route')],
    ['along random directions', ...of('random')],
    ['along pairs that only write the asserts', ...of('no_tests')],
    ['untrained, steered alike', ...of('steered')],
    ['gone, of what plain RL added', ...modes.map((one) => whole(one.removed))],
    ['at least half?', ...modes.map((one) => word(one.reached === false ? false : one.half))],
    ['reached, by the rule?', ...modes.map((one) => word(one.reached))],
    ['seeds in which plain RL hacks it', ...modes.map((one) => `${one.seeds} of ${one.of}`)],
  ];
  return {
    said: sentences,
    page: {
      title: 'Does a basis of hack A stop hack B?',
      said: sentences.map(({ text }) => text),
      head: ['flaw that no pair shows', ...modes.map(({ mode }) => mode)],
      rows,
      notes: [sources.entry('Q14').entry.said, sources.entry('Q14').entry.caveat],
      by: ['Q14', 'P2', 'I2', 'I2-blind', 'Q8-added'].map((id) => verdictOf(sources.entry(id).entry)),
    },
  };
}

const cellMean = (value: number | undefined): number | null => value ?? null;
const word = (truth: boolean | null): string => (truth === null ? 'open' : truth ? 'yes' : 'no');

// ---- all of it -------------------------------------------------------------------------------------------------------

export interface FrontSources {
  front: Front;
  ten: readonly TenSentence[];
  elsewhere: ElsewhereSources;
}

export function frontOf(sources: Sources, sheets: ReadonlyMap<SeriesId, SeriesSheet>): FrontSources {
  const ten = tenOf(sources);
  const elsewhere = elsewhereOf(sources);
  const sentences = ten.map(({ said, isNegative, counted, series, by, picture }) => ({
    text: said.text,
    isNegative,
    counted,
    series,
    by: by.map((id) => verdictOf(sources.entry(id).entry)),
    picture,
  }));
  return {
    ten,
    elsewhere,
    front: { sentences, columns: columnTitles(), questions: frontQuestions(sheets), elsewhere: elsewhere.page },
  };
}
