// The one sentence at the end of an experiment, from its table alone. Its arrow has one meaning: from the untrained base to after
// training; vanilla is the first of those it names. It says no more than the rows do.
import type { Cell, TableRow } from '../records/events.ts';
import { ARMS, type Arm } from '../spec/arms.ts';
import type { MetricInfo } from '../worlds/metric.ts';
import { headlinesOf } from '../worlds/of-run.ts';
import { nameOf } from './names.ts';
import { standsForVanilla } from './vanilla.ts';
import { NO_CHANGE, uncapital } from './words.ts';

/** A row's final evaluation: of what is deployed where that is another model than the one in training. */
export const finalCell = (row: TableRow, metric: string): Cell | null =>
  row.deployed[metric] ?? row.trained[metric] ?? null;

/** Arms beside vanilla that the sentence names; the others are in the table. */
const MOST = 2;

/** `Solve: base 53% → vanilla 76%, CaT without labels 70%; …`; null for a table without a base or without an arm. */
export function headlineOf(table: readonly TableRow[], environment: string): string | null {
  const base = table.find(({ model }) => model === 'base');
  const main = table.filter(({ model }) => model === 'total' || model === 'deployed');
  const arms = table.map(({ arm }) => arm);
  const vanilla = main.find(({ arm, model }) => model === 'total' && standsForVanilla(arm, arms));
  const others = main.filter((row) => row !== vanilla);
  const named = [...(vanilla ? [vanilla] : []), ...others.slice(0, MOST)];
  if (!base || named.length === 0) return null;
  const names = named.map((row) => shortName(row, main));
  const said = headlinesOf(environment).flatMap((info, i) => {
    const from = finalCell(base, info.id);
    const to = named.map((row) => finalCell(row, info.id));
    if (!from || to.some((cell) => cell === null)) return [];
    const isNoise = named.map((row) => row.unchanged?.includes(info.id) ?? false);
    const isAllNoise = isNoise.every((noise) => noise);
    const figures = to.map((cell, at) => {
      const labels = i === 0 && isUnlabelled(named[at]) ? ' without labels' : '';
      const note = isNoise[at] && !isAllNoise ? ` (${NO_CHANGE})` : '';
      return `${names[at]}${labels} ${figure(cell!, info)}${note}`;
    });
    const label = i === 0 ? info.label : uncapital(info.label);
    return [`${label}: base ${figure(from, info)} → ${figures.join(', ')}${isAllNoise ? `: ${NO_CHANGE}` : ''}`];
  });
  if (said.length === 0) return null;
  const more = others.length - MOST;
  return [...said, ...(more > 0 ? [`${more} more in the table`] : []), worth(named, others)].join('; ');
}

/** One seed is a pointer; of several, the table's own judgement where one row alone has a difference from vanilla. */
function worth(named: readonly TableRow[], others: readonly TableRow[]): string {
  const least = Math.min(...named.map(({ n }) => n));
  if (least === 1) return 'one seed: a pointer, not a result';
  const seeds = `mean of ${least} seeds`;
  const [only] = others;
  const isJudged = others.length === 1 && Object.values(only.delta).some((cell) => cell !== null);
  return isJudged ? `${seeds}: ${only.verdict}` : seeds;
}

const isUnlabelled = ({ arm }: TableRow): boolean => (ARMS as Record<string, Arm>)[arm]?.unlabelled === true;

function shortName(row: TableRow, main: readonly TableRow[]): string {
  const alone = main.filter(({ model }) => model === 'deployed').length === 1;
  const arms = main.map(({ arm }) => arm);
  return row.model === 'deployed' && alone ? 'deployed' : nameOf(row.arm, row.model, arms);
}

const figure = ({ mean }: Cell, { unit }: MetricInfo): string =>
  unit === 'share' ? `${(100 * mean).toFixed(0)}%` : String(Number(mean.toPrecision(3)));
