// The front of the findings: ten sentences, a row for each question with its bases in columns, and the page on whether a basis of one hack
// stops another. All of it is made of the rows and of the sheets, which are judged from rows.

import type { AskedQuestion, Elsewhere, EntryVerdict, Front } from '../../src/findings/front.ts';
import { percent } from '../../src/findings/headline.ts';
import { openKindOf } from '../../src/findings/open-kind.ts';
import { SERIES_IDS, type SeriesId } from '../../src/findings/series.ts';
import type { SeriesSheet, ShownQuestion } from '../../src/findings/sheet.ts';
import { type Stem, stemsOf } from '../../src/findings/stems.ts';
import { inBrackets, percent as percentOf, points } from '../../src/lib/numbers.ts';
import { mean } from '../../src/stats/index.ts';
import { cellsOf, type Part } from '../series/prediction/formula.ts';
import type { PredictionRow } from '../series/prediction/rows.ts';
import { reaches } from '../series/study/questions/held-out.ts';
import { PREDICTED } from './look-up.ts';
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

/** Columns of the table, with the part of an entry's id that names its base: without one it is the base that the question was asked of first.
 *  */
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

export const columnTitles = (): string[] => COLUMNS.map(({ title }) => title);

const rowOf = (series: SeriesId, { id, entries }: Stem): AskedQuestion => ({
  series,
  id,
  title: entries[0].title,
  cells: COLUMNS.map((_, i) => entries.filter((entry) => columnOf(entry.id) === i).map(verdictOf)),
});

/** A row for each question, in the order of the series. */
export const askedQuestions = (sheets: ReadonlyMap<SeriesId, SeriesSheet>): AskedQuestion[] =>
  SERIES_IDS.flatMap((series) => stemsOf(sheets.get(series)?.questions ?? []).map((stem) => rowOf(series, stem)));

// ---- a basis of one hack against another -------------------------------------------------------------------------------

/** Mean of what routing removes in the judged draws, of the flaw that the pairs show or of another, by the spelling of the pairs. */
function removedBy(sources: Sources, part: Part, isOwnSpelling: boolean): number {
  const cells = cellsOf(sources.lines<PredictionRow>(PREDICTED), part);
  const own = cells.filter(
    ({ form }) => (form.set === 'prog_wide') === isOwnSpelling && !form.set.includes('untested'),
  );
  return mean(own.map(({ removed }) => removed))!;
}

export interface ElsewhereTold {
  page: Elsewhere;
  said: readonly SourcedSentence[];
}

const whole = (share: number | null | undefined): string => (share == null ? '–' : percentOf(share, 0));

export function elsewhereOf(sources: Sources): ElsewhereTold {
  const { figures } = sources.question('Q14');
  const modes = reaches(figures).toSorted((a, b) => (b.removed ?? 0) - (a.removed ?? 0));
  const print = figuresFrom(PREDICTED);
  const removed = (part: Part, isOwn: boolean, name: string) => print(name, percent(removedBy(sources, part, isOwn)));
  const draws = new Set(sources.lines<PredictionRow>(PREDICTED).map(({ dataSeed }) => dataSeed)).size;
  const other = estimateOf(sources.entry('I2'), 'hack, deployed, other pairs − whole');
  const reached = modes.filter((one) => one.reached === true);
  requireShown(reached.length < modes.length, 'some flaw is not reached');
  const arena = sources
    .arena('others')
    .points.filter(({ arm, model }) =>
      ['erase total', 'route deployed', 'route-update deployed'].includes(`${arm} ${model}`),
    );
  const shares = arena.map((point) => point.removed.ratio!).toSorted((a, b) => a - b);
  const said = [
    sourced`Mostly no. Over ${print('draws', draws)} draws pairs that show one flaw, in the hack’s own spelling, remove ${removed('shown', true, 'removed of the flaw that the pairs show')} of that flaw’s hack and ${removed('unseen', true, 'removed of another flaw')} of another’s; in other spellings ${removed('shown', false, 'removed of the flaw that the pairs show, other spellings')} and ${removed('unseen', false, 'removed of another flaw, other spellings')}.`,
    sourced`With every other flaw among the pairs, routing reaches ${figuresFrom('q14.json.gz')('flaws reached', reached.length)} of ${figuresFrom('q14.json.gz')('flaws', modes.length)} flaws that no pair shows; of ${figuresFrom('q14.json.gz')('flaws reached mostly by the asserts', reached.filter(({ asserts }) => asserts === true).length)} of these most is done by pairs that only write the asserts.`,
    sourced`In the arena, along pairs of another hack, erasing and routing remove ${figuresFrom('arena/others.runs.json.gz')('hack removed along pairs of another hack', `${whole(shares[0]).replace('%', '')} to ${whole(shares.at(-1))}`)}.`,
    sourced`On the model from elsewhere, pairs of claims change the hack by mere form by ${figuresFrom('instructions/shown.json.gz')('hack, other pairs − whole', points(other.mean) + inBrackets(other.interval, points, ' '))} points.`,
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
    said,
    page: {
      title: 'Does a basis of hack A stop hack B?',
      said: said.map(({ text }) => text),
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

export interface FrontTold {
  front: Front;
  ten: readonly TenSentence[];
  elsewhere: ElsewhereTold;
}

export function frontOf(sources: Sources, sheets: ReadonlyMap<SeriesId, SeriesSheet>): FrontTold {
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
    front: { sentences, columns: columnTitles(), questions: askedQuestions(sheets), elsewhere: elsewhere.page },
  };
}
