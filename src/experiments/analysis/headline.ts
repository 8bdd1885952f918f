// The end of a run in words, made only from its table: a sentence for each compared arm, how far it can be trusted, and what it does not show. The
// page and the command line print the same text, which claims no more than the rows show.

import type { MetricInfo } from '../../environments/metric-info.ts';
import { percent } from '../../lib/numbers.ts';
import { wilson } from '../../stats/index.ts';
import { ARMS, type Arm } from '../config/arms.ts';
import { modelLabel } from '../config/controls.ts';
import { askedOf, headlinesOf, splitsOf } from '../environments/registry.ts';
import type { Cell, ExperimentResult, RunRecord, TableRow } from '../records/events.ts';
import { finalRow } from '../records/metrics.ts';
import { finalCell } from './final-cell.ts';
import { LEARNED } from './held-out.ts';
import { armLabel, nameOf } from './names.ts';
import { problemCount } from './noise.ts';
import { sinceForkSentence } from './since-fork.ts';
import { isVanillaEquivalent } from './vanilla.ts';
import { NO_CHANGE, NO_CHANGE_OF_ONE, plural, points, rate, shortNumber, uncapital } from './words.ts';

/** Arms that the sentence names beside plain RL; the others are in the table. */
const MOST = 2;
/** Shares that differ by less look equal when printed. */
const LEAST = 0.01;

/** One metric before training and after it, for each main row of the table. */
export interface BeforeAfter {
  info: MetricInfo;
  before: Cell;
  after: { row: TableRow; name: string; cell: Cell }[];
}

export interface Headline {
  /** `Route (update) cut hack from vanilla’s 51% to 2%; it solves 50% (vanilla 42%).` */
  sentence: string;
  /** Number of seeds, their agreement, and what the untrained model does. */
  evidence: string;
  /** Controls, cases left out and losses that limit the sentence; empty if the table has none. */
  limits: string;
  metrics: BeforeAfter[];
}

/** A finished experiment; its runs give the number of problems behind a share. */
interface Ended {
  table: readonly TableRow[];
  runs: readonly Evaluated[];
}

type Evaluated = Pick<RunRecord, 'spec' | 'evals'>;

/** The headline as one text; null as for headlineParts. A fork is also compared with its parent if that has ended. */
export function headlineOf(
  result: Pick<ExperimentResult, 'table' | 'runs'>,
  environment: string,
  parent: RunRecord | null = null,
): string | null {
  const parts = headlineParts(result, environment);
  if (!parts) return null;
  const since = parent && sinceForkSentence(parent, result.runs, headlinesOf(environment));
  return [since ?? parts.sentence, parts.evidence, parts.limits].filter((part) => part !== '').join(' ');
}

/** Null for a table without a base or without an arm. */
export function headlineParts({ table, runs }: Ended, environment: string): Headline | null {
  const base = table.find(({ model }) => model === 'base');
  const main = table.filter(({ model }) => model === 'total' || model === 'deployed');
  const arms = table.map(({ arm }) => arm);
  const vanilla = main.find(({ arm, model }) => model === 'total' && isVanillaEquivalent(arm, arms));
  const others = main.filter((row) => row !== vanilla);
  const named = others.length > 0 ? others.slice(0, MOST) : main;
  if (!base || named.length === 0) return null;
  const metrics = headlinesOf(environment).flatMap((info): BeforeAfter[] => {
    const before = finalCell(base, info.id);
    const after = [...(vanilla ? [vanilla] : []), ...others].flatMap((row) => {
      const cell = finalCell(row, info.id);
      return cell ? [{ row, name: nameOf(row.arm, row.model, arms), cell }] : [];
    });
    return before && after.length > 0 ? [{ info, before, after }] : [];
  });
  const [judged, ...rest] = metrics;
  if (!judged) return null;
  const reference = others.length > 0 && vanilla ? vanilla : null;
  const sentence = named.flatMap((row) => armSentence(row, reference, judged, rest)).join(' ');
  if (sentence === '') return null;
  const shown = reference ? [reference, ...named] : named;
  return {
    sentence,
    evidence: [
      seedsText(shown, others, () => binomialText(shown[0], judged, runs)),
      `Untrained: ${metrics.map(({ info, before }) => `${uncapital(info.label)} ${value(before, info)}`).join(', ')}.`,
      ...(others.length > named.length ? [`${others.length - named.length} more in the table.`] : []),
      ...evaluatedOn(environment),
    ].join(' '),
    limits: [...controlLimits(named[0], reference, judged, table), ...unchanged(shown, arms, metrics)].join(' '),
    metrics,
  };
}

/** Empty for a row without the judged metric. */
function armSentence(
  row: TableRow,
  vanilla: TableRow | null,
  judged: BeforeAfter,
  rest: readonly BeforeAfter[],
): string[] {
  const isUnlabelled = (ARMS as Record<string, Arm>)[row.arm]?.unlabelled === true;
  const subject = `${capital(armLabel(row.arm))}${isUnlabelled ? ' without labels' : ''}`;
  const [first, ...beside] = [judged, ...rest].flatMap((metric) => {
    const own = cellIn(metric, row);
    const from = vanilla ? cellIn(metric, vanilla) : metric.before;
    return own && from ? [{ metric, own, from }] : metric === judged ? [null] : [];
  });
  if (!first) return [];
  const against = vanilla ? 'vanilla' : 'untrained';
  const changeText = ({ metric: { info }, own, from }: typeof first, has: string, verb = info.words?.verb) =>
    `${verb ?? `${has} ${uncapital(info.label)}`} ${value(own, info)} (${against} ${value(from, info)})`;
  const change = changeOf(row, vanilla, judged);
  const [a, b] = [value(first.from, judged.info), value(first.own, judged.info)];
  const head = change
    ? `${subject} ${change} ${uncapital(judged.info.label)} ${isNull(row) ? `(${b} against ${a})` : `from ${vanilla ? 'vanilla’s ' : ''}${a} to ${b}`}`
    : `${subject} ${changeText(first, 'has')}`;
  return [`${[head, ...beside.flatMap((one) => (one ? [`it ${changeText(one, 'has')}`] : []))].join('; ')}.`];
}

/** The verb, if the difference counts as a change in this table; null otherwise, and then the two values are listed. */
function changeOf(row: TableRow, vanilla: TableRow | null, judged: BeforeAfter): string | null {
  const { id, unit, better } = judged.info;
  const from = vanilla ? cellIn(judged, vanilla) : judged.before;
  const by = (cellIn(judged, row)?.mean ?? 0) - (from?.mean ?? 0);
  if (isNull(row)) return 'shows no difference from vanilla in';
  if (unit === 'share' && Math.abs(by) < LEAST) return null;
  // Only a hack below vanilla's was removed by the arm; a different skill may just come from another training.
  if (vanilla) return better === 'lower' && by < 0 && !learnedLittle(vanilla, judged) ? 'cut' : null;
  if (row.unchanged?.includes(id) || by === 0) return null;
  return by > 0 ? 'raised' : better === 'lower' ? 'cut' : 'lowered';
}

/** Whether vanilla has so little more than the untrained model that removing it means nothing. */
function learnedLittle(vanilla: TableRow, judged: BeforeAfter): boolean {
  const own = cellIn(judged, vanilla);
  return judged.info.better === 'lower' && own !== null && own.mean - judged.before.mean < LEARNED;
}

/** Whether the table judges the difference from vanilla to be inside the spread over seeds. */
const isNull = ({ verdict }: TableRow): boolean => verdict.startsWith('null');

/** A remark on one seed; for several, the table's judgement if exactly one row is compared with vanilla. */
function seedsText(shown: readonly TableRow[], others: readonly TableRow[], ofOne: () => string): string {
  const least = Math.min(...shown.map(({ n }) => n));
  if (least === 1) return `One seed: no spread to judge by${ofOne()}.`;
  const [only] = others;
  const isJudged = others.length === 1 && Object.values(only.delta).some((cell) => cell !== null);
  return `Mean of ${least} seeds ± their standard deviation${isJudged ? `: ${only.verdict}` : ''}.`;
}

/** The uncertainty of a share over the evaluated problems by Wilson's 95% interval (too wide where problems count in part):
 *  `; on 96 problems 51% is known to within 41% to 61%`. Empty for a metric that is not a share. */
function binomialText(row: TableRow, judged: BeforeAfter, runs: readonly Evaluated[]): string {
  const run = runs.find(({ spec }) => spec.arm === row.arm);
  const evaluated = run && finalRow(run, row.model);
  const cell = cellIn(judged, row);
  const { id, unit } = judged.info;
  if (!evaluated || !cell || unit !== 'share') return '';
  const count = problemCount(evaluated.all, id);
  const interval = wilson(Math.min(1, cell.mean) * count, count);
  if (!interval) return '';
  const [low, high] = [interval.low, interval.high].map((end) => percent(end, 0));
  return `; on ${plural(count, 'problem')} ${rate(cell)} is known to within ${low} to ${high}`;
}

/** Names of the evaluated splits, since a finding may hold for only one of them. Empty if each metric has its own group of questions. */
function evaluatedOn(environment: string): string[] {
  const parts = askedOf(environment).length > 0 ? [] : splitsOf(environment).map(({ label }) => label);
  return parts.length > 1 ? [`Evaluated on ${parts.join(' and ')} together.`] : [];
}

/** Controls that take the method's steps along other directions. If one removes as much as the method, it explains the effect. */
const DIRECTIONS = ['random_V', 'random_V_matched', 'permuted_V', 'flipped_V', 'nonhack_V', 'placebo_V'];
const LEFT_OUT = 'without_';

/** What the controls of the same run say about a projecting arm's claim; empty for other arms. */
function controlLimits(
  row: TableRow,
  vanilla: TableRow | null,
  judged: BeforeAfter,
  table: readonly TableRow[],
): string[] {
  const { arm } = row;
  const { info } = judged;
  const [from, own] = [vanilla && finalCell(vanilla, info.id), finalCell(row, info.id)];
  if (((ARMS as Record<string, Arm>)[arm]?.projection ?? 'none') === 'none' || !vanilla || !from || !own) return [];
  const removed = ({ mean }: Cell) => (info.better === 'lower' ? from.mean - mean : mean - from.mean);
  const beneath = table
    .flatMap((other) => {
      const cell = other.arm === arm ? finalCell(other, info.id) : null;
      return cell ? [{ model: other.model, cell }] : [];
    })
    .sort((a, b) => removed(b.cell) - removed(a.cell));
  const controls = beneath.filter(({ model }) => DIRECTIONS.includes(model));
  const weakest = beneath.findLast(({ model }) => model.startsWith(LEFT_OUT));
  const steered = beneath.find(({ model }) => model === 'steered_base');
  const [strongest] = controls;
  const label = uncapital(info.label);
  return [
    ...(learnedLittle(vanilla, judged)
      ? [`Vanilla has less than ${points(LEARNED)} more ${label} than untrained: there is little to take away.`]
      : []),
    strongest
      ? `Of ${plural(controls.length, 'control direction')} the strongest (${controlName(strongest.model)}) removed ${points(Math.max(0, removed(strongest.cell)))}, ${armLabel(arm)} ${points(removed(own))}.`
      : `${capital(armLabel(arm))} has no control directions here: nothing says that its own matter.`,
    ...(weakest
      ? [
          `With ${weakest.model.slice(LEFT_OUT.length)} left out of the pairs, ${label} is ${value(weakest.cell, info)}.`,
        ]
      : []),
    ...(steered
      ? [`The untrained model, steered along the same directions, has ${label} ${value(steered.cell, info)}.`]
      : []),
  ];
}

const controlName = (model: string): string => modelLabel(model).replace(/^deployed, /, '');

/** Names metrics whose difference from the untrained model is within the evaluation's noise. */
function unchanged(shown: readonly TableRow[], arms: readonly string[], metrics: readonly BeforeAfter[]): string[] {
  const parts = metrics.flatMap(({ info }) => {
    const names = shown
      .filter((row) => row.unchanged?.includes(info.id))
      .map((row) => nameOf(row.arm, row.model, arms));
    return names.length > 0 ? [`${uncapital(info.label)} of ${names.join(' and ')}`] : [];
  });
  const still = shown.some(({ n }) => n === 1) ? NO_CHANGE_OF_ONE : NO_CHANGE;
  return parts.length > 0 ? [`Against untrained, ${still} in ${parts.join('; ')}.`] : [];
}

const cellIn = ({ after }: BeforeAfter, row: TableRow): Cell | null =>
  after.find((one) => one.row === row)?.cell ?? null;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `50%`, over several seeds `50% ± 3`. */
const value = (cell: Cell, { unit }: MetricInfo): string => (unit === 'share' ? rate(cell) : shortNumber(cell.mean));
