// The arena as the page shows it: the published sheets that there are, the frontier (removed against kept) as a picture, and methods and
// models as rows of a table that can be sorted.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { LABEL_WORDS, LABELS, METHODS, type Method, methodOf } from '../../experiments/arena/methods.ts';
import {
  ARENA_INDEX,
  type ArenaSheet,
  type ArenaSheetName,
  arenaSheetName,
  readArenaIndex,
  readArenaSheet,
} from '../../experiments/arena/sheet.ts';
import type { ArmName } from '../../experiments/config/arms.ts';
import { ARMS } from '../../experiments/config/arms.ts';
import { modelLabel } from '../../experiments/config/controls.ts';
import type { Opening } from '../../experiments/judge/sheet.ts';
import type { MarkPanel, Table } from '../../experiments/judge/types.ts';
import type { Ratio } from '../../stats/index.ts';
import { unpacked } from '../published-file.ts';

type Fetch = (url: string) => Promise<Response>;

export interface PublishedArena {
  name: ArenaSheetName;
  sheet: ArenaSheet;
}

/** In the order in which they are shown; empty where none is published. Throws FormatError, and what fetch throws. */
export async function openArena(base: string, get: Fetch = (url) => fetch(url)): Promise<PublishedArena[]> {
  const text = async (name: string) => {
    const response = await get(new URL(`results/${name}`, base).href);
    if (!response.ok)
      throw new FormatError(`results/${name} could not be loaded (${response.status}).`, 'Reload the page.');
    return unpacked(response, name);
  };
  const names = readArenaIndex(await text(ARENA_INDEX));
  return Promise.all(names.map(async (name) => ({ name, sheet: readArenaSheet(await text(arenaSheetName(name))) })));
}

/** What a cell says, and what it is sorted by; null where it was not measured, which comes last. */
export interface Cell {
  text: string;
  by: number | string | null;
}
export interface SortableRow {
  id: string;
  name: string;
  about?: string;
  cells: readonly Cell[];
  /** Runs that it is made of. */
  openings: readonly Opening[];
}
export interface Sortable {
  head: readonly string[];
  rows: readonly SortableRow[];
}

/** By a column (0: the name), rows without a value last in either direction; equal ones keep their order. */
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

/** What can be run, before anything was. */
export function methodTable(): Sortable {
  const rows = METHODS.map((method): SortableRow => {
    const { arm, model, source, controls } = method;
    const { label, description } = ARMS[arm];
    const name = model === undefined ? label : MADE[model].name;
    return {
      ...{ id: `${arm} ${model ?? ''}`, name, about: model === undefined ? description : MADE[model].about },
      cells: [
        labelsCell(method),
        costCell(method),
        controls ? { text: `placebo of ${ARMS[controls].label}`, by: 2 } : { text: '', by: 1 },
        { text: source ?? '', by: source },
      ],
      openings: [],
    };
  });
  return { head: ['method', 'labels needed', 'cost per step', 'control', 'source'], rows };
}

const MADE = {
  alpha: { name: 'interpolation', about: 'The line base + α (trained − base), α = ⅛ … ⅞.' },
  early_stop: { name: 'stopped early', about: 'The step that solves the trusted problems best.' },
  merge: { name: 'merged', about: 'Trusted only’s and vanilla’s updates, averaged where signs agree.' },
} as const;

const percent = ({ ratio, interval }: Ratio): Cell => {
  const of = (value: number) => (100 * value).toFixed(0).replace('-', '−');
  if (ratio === null) return { text: '–', by: null };
  return { text: interval ? `${of(ratio)} [${of(interval.low)}, ${of(interval.high)}]` : of(ratio), by: ratio };
};

/** Columns that nothing was measured for are not there: relearning has none yet. */
export function resultTable({ points, runs }: ArenaSheet): Sortable {
  const rows = points.map((point): SortableRow => {
    const { arm, model, label, n, removed, kept, verdict } = point;
    const method = methodOf(arm, model);
    const unknown: Cell = { text: '–', by: null };
    return {
      ...{ id: `${arm} ${model}`, name: pointName(label, arm, model) },
      cells: [
        percent(removed),
        percent(kept.honest),
        percent(kept.hackable),
        percent(kept.both),
        { text: String(n), by: n },
        method ? labelsCell(method) : unknown,
        method ? costCell(method) : unknown,
        { text: verdict, by: verdict },
      ],
      openings: runs.find((one) => one.arm === arm)?.openings ?? [],
    };
  });
  return {
    head: [
      ...['model', 'removed, %', 'kept, honest, %', 'kept, hackable, %', 'kept, both, %', 'cells'],
      ...['labels needed', 'cost per step', 'bar'],
    ],
    rows,
  };
}

/** A model that is made afterwards is told with its arm. */
const pointName = (label: string, arm: string, model: string): string =>
  label === modelLabel(model) && Object.hasOwn(ARMS, arm) ? `${ARMS[arm as ArmName].label}: ${label}` : label;

/** Removed against kept on honest prompts, with both intervals; a model without one of the two ratios is in the table alone. */
export function frontierOf(name: ArenaSheetName, { points }: ArenaSheet): { panel: MarkPanel; table: Table } {
  const isShown = ({ arm }: { arm: string }) => Object.hasOwn(ARMS, arm);
  const shown = points.filter(
    (point) => isShown(point) && point.removed.ratio !== null && point.kept.honest.ratio !== null,
  );
  const way = shown.flatMap(({ arm, model }, i) =>
    arm === 'none' && (/^alpha_/.test(model) || model === 'total') ? [{ row: i + 1, at: alphaOf(model) }] : [],
  );
  return {
    panel: {
      id: name,
      title: 'Hack removed against honest skill kept',
      about:
        'Bars: 95 % intervals over cells. 100%: repaired graders (kept), no more hack than the base (removed). The line: from the base to vanilla.',
      x: { label: 'kept on honest prompts', verb: 'keeps', low: 0, high: 1 },
      y: { label: 'hack removed', verb: 'removes', low: 0, high: 1 },
      marks: shown.map(({ n, kept, removed }, i) => ({
        ...{ row: i + 1, n, x: kept.honest.ratio!, y: removed.ratio!, each: [] },
        bars: { x: kept.honest.interval, y: removed.interval },
      })),
      line: way.toSorted((a, b) => a.at - b.at).map(({ row }) => row),
    },
    table: {
      title: 'Models',
      head: ['model'],
      rows: shown.map(({ label, arm, model }) => [pointName(label, arm, model)]),
      marks: shown.map(({ arm, model }) => ({ look: { arm: arm as ArmName, model }, part: '', tags: [] })),
    },
  };
}

const alphaOf = (model: string): number => (model === 'total' ? 1 : Number(model.slice('alpha_'.length)));
