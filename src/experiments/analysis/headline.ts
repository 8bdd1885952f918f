// The outcome of an experiment in a few words, from its table alone: each metric of vanilla first, of the arms beside it, and of the
// untrained base behind them. It says no more than the rows do.

import type { MetricInfo } from '../../environments/metric-info.ts';
import { ARMS, type Arm } from '../config/arms.ts';
import { askedOf, headlinesOf, splitsOf } from '../environments/registry.ts';
import type { Cell, TableRow } from '../records/events.ts';
import { nameOf } from './names.ts';
import { isVanillaEquivalent } from './vanilla.ts';
import { NO_CHANGE, NO_CHANGE_OF_ONE, percent, shortNumber, uncapital } from './words.ts';

/** A row's final evaluation: the deployed model's where that differs from the one in training. */
export const finalCell = (row: TableRow, metric: string): Cell | null =>
  row.deployed[metric] ?? row.trained[metric] ?? null;

/** Arms beside vanilla that the sentence names; the others are in the table. */
const MOST = 2;

/** The outcome, and how far it can be trusted. */
export interface HeadlineParts {
  /** `Solve: vanilla 76%, CaT without labels 70%; untrained 53%. …` */
  figures: string;
  /** Metrics that show no change, or cannot, and the number of seeds. */
  notes: string;
}

/** Both parts as one text; null as headlineParts. */
export function headlineOf(table: readonly TableRow[], environment: string): string | null {
  const parts = headlineParts(table, environment);
  return parts && `${parts.figures} ${parts.notes}`;
}

/** Null for a table without a base or without an arm. */
export function headlineParts(table: readonly TableRow[], environment: string): HeadlineParts | null {
  const base = table.find(({ model }) => model === 'base');
  const main = table.filter(({ model }) => model === 'total' || model === 'deployed');
  const arms = table.map(({ arm }) => arm);
  const vanilla = main.find(({ arm, model }) => model === 'total' && isVanillaEquivalent(arm, arms));
  const others = main.filter((row) => row !== vanilla);
  const named = [...(vanilla ? [vanilla] : []), ...others.slice(0, MOST)];
  if (!base || named.length === 0) return null;
  const names = named.map((row) => shortName(row, main));
  const unchanged: string[] = [];
  const sentences = headlinesOf(environment).flatMap((info, i) => {
    const from = finalCell(base, info.id);
    const to = named.map((row) => finalCell(row, info.id));
    if (!from || to.some((cell) => cell === null)) return [];
    const figures = to.map((cell, at) => {
      const labels = i === 0 && isUnlabelled(named[at]) ? ' without labels' : '';
      return `${names[at]}${labels} ${figure(cell!, info)}`;
    });
    const still = names.filter((_, at) => named[at].unchanged?.includes(info.id));
    if (still.length > 0) unchanged.push(`${uncapital(info.label)} of ${still.join(', ')}`);
    return [`${info.label}: ${figures.join(', ')}; untrained ${figure(from, info)}.`];
  });
  if (sentences.length === 0) return null;
  const more = others.length - MOST;
  const still = leastSeeds(named) === 1 ? NO_CHANGE_OF_ONE : NO_CHANGE;
  const notes = [
    ...(unchanged.length > 0 ? [`Against untrained, ${still} in ${unchanged.join('; ')}.`] : []),
    ...(more > 0 ? [`${more} more in the table.`] : []),
    `${capital(evidenceNote(named, others))}.`,
  ];
  return { figures: [...sentences, ...evaluatedOn(environment)].join(' '), notes: notes.join(' ') };
}

/** The parts on which the metrics are measured, since a finding may be about one of them alone. With groups of questions, each metric
 *  belongs to its own group. */
function evaluatedOn(environment: string): string[] {
  const parts = askedOf(environment).length > 0 ? [] : splitsOf(environment).map(({ label }) => label);
  return parts.length > 1 ? [`Evaluated on ${parts.join(' and ')} together.`] : [];
}

/** One seed is a pointer; for several, the table's own judgement where one row alone has a difference from vanilla. */
function evidenceNote(named: readonly TableRow[], others: readonly TableRow[]): string {
  const least = leastSeeds(named);
  if (least === 1) return 'one seed: suggestive, not a result';
  const seeds = `mean of ${least} seeds`;
  const [only] = others;
  const isJudged = others.length === 1 && Object.values(only.delta).some((cell) => cell !== null);
  return isJudged ? `${seeds}: ${only.verdict}` : seeds;
}

const leastSeeds = (rows: readonly TableRow[]): number => Math.min(...rows.map(({ n }) => n));

const isUnlabelled = ({ arm }: TableRow): boolean => (ARMS as Record<string, Arm>)[arm]?.unlabelled === true;

function shortName(row: TableRow, main: readonly TableRow[]): string {
  const alone = main.filter(({ model }) => model === 'deployed').length === 1;
  const arms = main.map(({ arm }) => arm);
  return row.model === 'deployed' && alone ? 'deployed' : nameOf(row.arm, row.model, arms);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const figure = ({ mean }: Cell, { unit }: MetricInfo): string => (unit === 'share' ? percent(mean) : shortNumber(mean));
