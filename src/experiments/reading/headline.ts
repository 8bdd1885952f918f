// The one sentence at the end of an experiment, from its table alone: what vanilla came to, what the arms came to, and how much that
// is worth. It says no more than the rows do.
import type { Cell, TableRow } from '../records/events.ts';
import type { MetricInfo } from '../worlds/metric.ts';
import { headlinesOf } from '../worlds/of-run.ts';
import { nameOf, standsForVanilla } from './names.ts';

/** A row's final evaluation: of what is deployed where that is another model than the one in training. */
export const finalCell = (row: TableRow, metric: string): Cell | null =>
  row.deployed[metric] ?? row.trained[metric] ?? null;

/** Arms that the sentence names; the others are in the table. */
const MOST = 2;

/** Null for a table that has nothing to compare with the base or with vanilla. */
export function headlineOf(table: readonly TableRow[], environment: string): string | null {
  const metrics = headlinesOf(environment);
  if (metrics.length === 0) return null;
  const arms = table.map(({ arm }) => arm);
  const main = table.filter(({ model }) => model === 'total' || model === 'deployed');
  const vanilla = main.find(({ arm, model }) => model === 'total' && standsForVanilla(arm, arms));
  const base = table.find(({ model }) => model === 'base');
  const others = main.filter((row) => row !== vanilla);
  // Alone, vanilla is set against where it began.
  const reference = vanilla && others.length > 0 ? vanilla : base;
  const compared = others.length > 0 ? others : vanilla ? [vanilla] : [];
  if (!reference || compared.length === 0) return null;
  const named = compared.slice(0, MOST);
  const said = metrics.flatMap((info, i) => {
    const from = finalCell(reference, info.id);
    const to = named.map((row) => finalCell(row, info.id));
    if (!from || to.some((cell) => cell === null)) return [];
    // A capital within (K = 16) is a name.
    const label = info.label[0].toLowerCase() + info.label.slice(1);
    const figures = to.map(
      (cell, at) => `${i === 0 || named.length > 1 ? `${shortName(named[at], compared)} ` : ''}${figure(cell!, info)}`,
    );
    return i === 0
      ? [`${capital(shortName(reference, compared))} ${figure(from, info)} ${label} → ${figures.join(', ')}`]
      : [`${label} ${figure(from, info)} → ${figures.join(', ')}`];
  });
  if (said.length === 0) return null;
  const more = compared.length - named.length;
  const rest = more > 0 ? [`${more} more in the table`] : [];
  return [...said, ...rest, worth(named)].join('; ');
}

/** One seed is a pointer; of several, the table's own judgement. */
function worth(rows: readonly TableRow[]): string {
  const least = Math.min(...rows.map(({ n }) => n));
  if (least === 1) return 'one seed: a pointer, not a result';
  const [{ verdict }] = rows;
  const seeds = `mean of ${least} seeds`;
  return rows.length === 1 && verdict !== '' && !verdict.startsWith('what ') ? `${seeds}: ${verdict}` : seeds;
}

function shortName(row: TableRow, compared: readonly TableRow[]): string {
  if (row.model === 'base') return 'base';
  const arms = compared.map(({ arm }) => arm);
  const alone = compared.filter(({ model }) => model === 'deployed').length === 1;
  return row.model === 'deployed' && alone ? 'deployed' : nameOf(row.arm, row.model, arms);
}

const figure = ({ mean }: Cell, { unit }: MetricInfo): string =>
  unit === 'share' ? `${(100 * mean).toFixed(0)}%` : String(Number(mean.toPrecision(3)));

const capital = (text: string): string => text[0].toUpperCase() + text.slice(1);
