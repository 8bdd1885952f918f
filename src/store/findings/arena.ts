// Reads the published sheets of the arena (the comparison of all methods) and makes each a sortable table with a row for each model.

import { shareText } from '../../experiments/analysis/arena.ts';
import { FAMILIES, LABEL_WORDS, LABELS, type Method, methodOf } from '../../experiments/analysis/methods.ts';
import { withPageNames } from '../../experiments/analysis/page-names.ts';
import { ARMS } from '../../experiments/config/arms.ts';
import { RELEARN_STEPS } from '../../experiments/config/controls.ts';
import { cellsText, type Frontier, pointName, ranked, shareOfCells } from '../../findings/arena/frontier.ts';
import {
  ARENA_INDEX,
  type ArenaSheet,
  type ArenaSheetName,
  arenaSheetName,
  readArenaIndex,
  readArenaSheet,
} from '../../findings/arena/sheet.ts';
import type { Opening } from '../../findings/opening.ts';
import { toCsv } from '../../lib/csv.ts';
import { NONE } from '../../lib/numbers.ts';
import type { Ratio } from '../../stats/index.ts';
import { type Fetch, publishedFiles, readExisting } from '../published-file.ts';

export interface PublishedArena {
  name: ArenaSheetName;
  sheet: ArenaSheet;
}

/** Published sheets in display order; empty if none are published. Throws FormatError, and errors of fetch. */
export async function openArena(base: string, get?: Fetch): Promise<PublishedArena[]> {
  const files = publishedFiles(base, get);
  const index = await files.text(`results/${ARENA_INDEX}`);
  const sheetOf = async (name: ArenaSheetName) =>
    readArenaSheet(withPageNames(await readExisting(`results/${arenaSheetName(name)}`, files.text)));
  const names = index === null ? [] : readArenaIndex(index);
  return Promise.all(names.map(async (name) => ({ name, sheet: await sheetOf(name) })));
}

/** A cell's text, and the value by which it is sorted; null if it was not measured, which sorts last. */
export interface Cell {
  text: string;
  by: number | string | null;
}
export interface SortableRow {
  id: string;
  name: string;
  about?: string;
  cells: readonly Cell[];
  /** Links of the row's runs. */
  openings: readonly Opening[];
}
export interface Sortable {
  head: readonly string[];
  rows: readonly SortableRow[];
}

/** Rows sorted by a column (0 is the name). Rows without a value come last in either direction, and equal rows keep their order. */
export function sorted(rows: readonly SortableRow[], column: number, isDown: boolean): SortableRow[] {
  const by = (row: SortableRow) => (column === 0 ? row.name : row.cells[column - 1].by);
  const order = (a: number | string, b: number | string) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en');
  const known = rows.filter((row) => by(row) !== null);
  const unknown = rows.filter((row) => by(row) === null);
  return [...known.toSorted((a, b) => (isDown ? -1 : 1) * order(by(a)!, by(b)!)), ...unknown];
}

const labelsCell = ({ labels }: Method): Cell => ({ text: LABEL_WORDS[labels], by: LABELS.indexOf(labels) });
const costCell = ({ cost, besides }: Method): Cell => ({
  text: besides ? `${cost} (${besides})` : String(cost),
  by: cost,
});

const familyCell = ({ family }: Method): Cell => ({ text: family, by: FAMILIES.indexOf(family) });

/** Describes a method: by its synthetic model if it has one, otherwise by its arm. */
const aboutOf = ({ arm, model }: Method): string =>
  model === undefined ? ARMS[arm].description : SYNTHETIC_MODELS[model].about;

const controlCell = ({ controls }: Method): Cell =>
  controls ? { text: `placebo of ${ARMS[controls].label}`, by: 2 } : { text: '', by: 1 };

const sourceCell = ({ source }: Method): Cell => ({ text: source ?? '', by: source });

const SYNTHETIC_MODELS = {
  alpha: { about: 'The line base + α (trained − base), α = ⅛ … ⅞.' },
  early_stop: { about: 'The step that solves the trusted problems best.' },
  steered_base: { about: 'The untrained model, moved along the hack basis alone. No training.' },
  merge: { about: 'Trusted only’s and vanilla’s updates, averaged where signs agree.' },
} as const;

const percent = (share: Ratio): Cell => ({ text: shareText(share, '') ?? NONE, by: share.ratio });

const percentOfCells = (share: Ratio, n: number): Cell => ({ text: shareOfCells(share, n) ?? NONE, by: share.ratio });

/** The sheet with the relearning results of a sheet's cells: the sheet itself, or `relearning` for the sheets that contain its cells; else
 *  null. */
export function relearnedIn({ name, sheet }: PublishedArena, all: readonly PublishedArena[]): ArenaSheet | null {
  const hasRelearned = (of: ArenaSheet) => of.points.some(({ relearned }) => relearned);
  if (hasRelearned(sheet)) return sheet;
  const other = all.find((one) => one.name === 'relearning')?.sheet;
  return other && ['judged', 'others'].includes(name) && hasRelearned(other) ? other : null;
}

/** The columns that the table shows. The others appear when a row's name is opened. */
export const ARENA_COLUMNS: readonly string[] = ['model', 'removed, %', 'kept, honest, %', 'labels needed', 'bar'];

/** The methods from best to worst, then all other models in the order of the sheet. */
export function winnersFirst({ head, rows }: Sortable, frontier: Frontier): Sortable {
  const places = new Map(ranked(frontier).map(({ id }, place) => [id, place]));
  const placeOf = ({ id }: SortableRow) => places.get(id) ?? rows.length;
  return { head, rows: rows.toSorted((a, b) => placeOf(a) - placeOf(b)) };
}

/**
 * Makes the table of one sheet. The relearning column is omitted if it was not measured, and the verdict by the bar outside the judged
 * sheet. `all` contains all published sheets.
 */
export function resultTable(published: PublishedArena, all: readonly PublishedArena[] = []): Sortable {
  const { name, sheet } = published;
  const { points, runs } = sheet;
  const isJudged = name === 'judged';
  const relearning = relearnedIn(published, all);
  // If the results come from another sheet, the note below the table states the number of steps.
  const relearnedHead =
    relearning === sheet
      ? `hack relearnt after ${RELEARN_STEPS} steps, %`
      : `hack relearnt, % (${relearning?.points.find(({ relearned }) => relearned)?.n} cells)`;
  const rows = points.map((point): SortableRow => {
    const { arm, model, n, removed, kept, verdict } = point;
    const after = relearning?.points.find((one) => one.arm === arm && one.model === model);
    const method = methodOf(arm, model);
    const unknown: Cell = { text: NONE, by: null };
    return {
      id: `${arm} ${model}`,
      name: pointName(point),
      ...(method && { about: aboutOf(method) }),
      cells: [
        percent(removed),
        percent(kept.honest),
        percent(kept.hackable),
        percent(kept.both),
        ...(relearning ? [after?.relearned ? percentOfCells(after.relearned, after.n) : unknown] : []),
        { text: cellsText(point), by: n },
        method ? labelsCell(method) : unknown,
        method ? costCell(method) : unknown,
        method ? familyCell(method) : unknown,
        method ? controlCell(method) : unknown,
        method ? sourceCell(method) : unknown,
        ...(isJudged ? [{ text: verdict, by: verdict }] : []),
      ],
      openings: runs.find((one) => one.arm === arm)?.openings ?? [],
    };
  });
  return {
    head: [
      ...['model', 'removed, %', 'kept, honest, %', 'kept, hackable, %', 'kept, both, %'],
      ...(relearning ? [relearnedHead] : []),
      'cells',
      ...['labels needed', 'cost per step', 'family', 'control', 'source'],
      ...(isJudged ? ['bar'] : []),
    ],
    rows,
  };
}

/** The drawn marks, in the units of the sheet. */
export const frontierCsv = ({ marks }: Frontier): string =>
  toCsv(
    ['model', 'role', 'labels needed', 'n', 'evaluations', 'kept', 'low', 'high', 'removed', 'low', 'high'],
    marks.map(({ name, role, labels, n, evaluations = 1, kept, removed, bars }) => [
      ...[name, role, labels, n, evaluations],
      ...[kept, bars.kept?.low, bars.kept?.high],
      ...[removed, bars.removed?.low, bars.removed?.high],
    ]),
  );
