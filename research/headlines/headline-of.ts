// Builds the finding of every environment from one value per unit, its question's verdict, and the words of its claim, in one function, so
// that no finding claims more than its rows show or another verdict than its question's.

import { verdictText } from '../../src/experiments/judge/rule.ts';
import {
  type EnvironmentHeadline,
  type HeadlineEstimate,
  type MeanEstimate,
  percent,
} from '../../src/findings/headline.ts';
import type { ShownQuestion } from '../../src/findings/sheet.ts';
import { areApart, crossedMean, mean, shareInterval, withinDifferences } from '../../src/stats/index.ts';
import { judgedAgain } from '../draws/judged.ts';
import { type Again, drawsOfLines, drawsOfRuns, rowsAgain } from '../draws/rows.ts';
import { presentEstimates } from '../judge/estimates.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { questionOf } from '../series/questions.ts';
import type { PrintedFigure, SourcedSentence } from './sourced-sentence.ts';
import type { Sources } from './sources.ts';

/** Shares measured for one unit of replication (a seed or a character). */
export interface UnitValues {
  of: string;
  from: number;
  to: number;
  /** Another measure of the same two models. */
  second?: { from: number; to: number };
  /** The measure of a third condition. */
  beside?: number;
  /** Further shares of the same unit, by the keys of the claim's `others`. */
  others?: Readonly<Record<string, number>>;
}

/** Returns a claim's figure as printed in its words, by a key of `unitValue` or of `others`. */
export type Shares = (key: string) => PrintedFigure;

export interface Words {
  sentence: SourcedSentence;
  /** Controls and limits that accompany the sentence everywhere. */
  beside: readonly SourcedSentence[];
}

export interface Claim extends Pick<EnvironmentHeadline, 'environment' | 'asked' | 'unit' | 'inDemo'> {
  /** Verdict that the sentence states in words: with another one it is refused. */
  written: string | null;
  /** Names of the question's estimates that are printed beside the verdict. */
  judged: readonly string[];
  /** Published file that the units' values are read from. */
  source: string;
  /** Set if the measure is a ratio that may leave [0, 1], not a share of a whole. */
  isRatio?: true;
  /** Names of the two conditions, and of their measure. */
  from: string;
  to: string;
  measure: string;
  /** Name of the second measure, and of the third condition. */
  second?: string;
  beside?: string;
  /** Names of the further figures: `another condition: measure`. */
  others?: Readonly<Record<string, string>>;
  /** Training runs of the evaluated models, if the rows are no evaluations of runs. */
  trained?: readonly { file: string; arms: readonly string[] }[];
  /** Returns only units with complete rows. */
  read(rows: HeadlineRows): UnitValues[];
  words(of: Shares, sources: Sources, units: readonly UnitValues[]): Words;
}

export interface SourcedHeadline {
  headline: EnvironmentHeadline;
  /** The headline's sentences with the source of each figure. */
  said: readonly SourcedSentence[];
}

/** Names of a claim's figures by their keys, in published order. */
function namesOf({ from, to, measure, second, beside, others = {} }: Claim): Record<string, string> {
  return {
    from: `${from}: ${measure}`,
    to: `${to}: ${measure}`,
    ...(beside ? { beside: `${beside}: ${measure}` } : {}),
    ...(second ? { secondFrom: `${from}: ${second}`, secondTo: `${to}: ${second}` } : {}),
    ...others,
  };
}

/** A unit's value by the figure's key. Throws RangeError if the unit lacks it. */
function unitValue({ of, from, to, second, beside, others }: UnitValues, key: string): number {
  const own: Record<string, number | undefined> = { from, to, beside, secondFrom: second?.from, secondTo: second?.to };
  const value = own[key] ?? others?.[key];
  if (value === undefined) throw new RangeError(`${of}: no value of “${key}”`);
  return value;
}

/** A claim's units: their means over the evaluation draws, and for each draw. */
export interface Drawn {
  units: readonly UnitValues[];
  byDraw: readonly (readonly UnitValues[])[];
}

/** Only the published draw, unless every unit was evaluated again. */
export function drawnOf({ read }: Claim, sources: Sources): Drawn {
  const { again, more } = sources.redrawn;
  const units = read(sources);
  const unitsOf = (kept: Again) => read(rowsAgain(sources, kept)).length;
  // Units that need no run come from other rows, which have no draws of runs.
  const isFullyRepeated = unitsOf(again) === units.length && unitsOf(new Map()) === 0;
  const draws = drawsOfLines(read, sources, more) ?? (isFullyRepeated ? drawsOfRuns(sources, again) : null);
  return draws ? { units: read(draws.whole), byDraw: draws.byDraw.map(read) } : { units, byDraw: [units] };
}

/** Values of one figure, as [units, draws]. */
export const tableOf = ({ units, byDraw }: Drawn, of: (unit: UnitValues) => number): number[][] =>
  units.map((_, i) => byDraw.map((one) => of(one[i])));

/** The question's answer over seeds and draws if its runs were repeated, else that of its sheet. */
function judgedBy(asked: NonNullable<Claim['asked']>, sources: Sources): Judged {
  const { entry } = sources.entry(asked.question);
  const question = questionOf(asked);
  const again = question && judgedAgain(question, sources, sources.redrawn);
  if (!again) return { standing: entry.standing, word: entry.word, figures: entry.figures };
  const figures = presentEstimates(again.estimates, Object.keys(question.names));
  return { standing: again.verdict.status, word: verdictText(again.verdict), figures };
}

type Judged = Pick<ShownQuestion, 'standing' | 'word' | 'figures'>;

/** Throws RangeError for fewer than two units, which give no interval, and for words that state another verdict than the question's. */
export function sourcedHeadlineOf(claim: Claim, sources: Sources): SourcedHeadline {
  const { environment, unit, inDemo, written, source, isRatio, asked } = claim;
  const drawn = drawnOf(claim, sources);
  const { units, byDraw } = drawn;
  if (units.length < 2) throw new RangeError(`${environment}: a finding of ${units.length} ${unit}`);
  const by = asked && judgedBy(asked, sources);
  const word = by?.word ?? null;
  if (word !== written)
    throw new RangeError(`${environment}: its sentence says “${written}”, ${asked?.question} is judged “${word}”`);
  const valuesOf = (key: string) => units.map((one) => unitValue(one, key));
  const names = namesOf(claim);
  const [from, to, ...others] = Object.entries(names).map(([key, name]): HeadlineEstimate => {
    const table = tableOf(drawn, (unit) => unitValue(unit, key));
    return { name, ...overBoth(table, isRatio ? 'ratio' : 'share') };
  });
  const differences = tableOf(drawn, (one) => one.to - one.from);
  const difference = { name: 'difference', ...overBoth(differences, isRatio ? 'ratio' : 'difference') };
  const of: Shares = (key) => ({ name: names[key], text: percent(mean(valuesOf(key))!), source });
  const { sentence, beside } = claim.words(of, sources, units);
  const judged = by ? claim.judged.map((name) => judgedEstimate(by, name, Boolean(isRatio))) : [];
  return {
    headline: {
      environment,
      asked,
      verdict: by && { standing: by.standing, word: by.word, judged },
      unit,
      inDemo,
      sentence: sentence.text,
      beside: beside.map(({ text }) => text),
      n: units.length,
      ...(byDraw.length > 1 && { draws: byDraw.length }),
      figures: [from, to, difference, ...others],
    },
    said: [sentence, ...beside],
  };
}

/** The question's estimate; a share unit by unit if its units differ too widely. Throws RangeError for an unknown name. */
function judgedEstimate({ figures }: Judged, name: string, isRatio: boolean): HeadlineEstimate {
  const found = figures.find((figure) => figure.name === name);
  if (!found || found.mean === null) throw new RangeError(`there is no estimate “${name}” with a mean`);
  const { mean: centre, interval, each } = found;
  const estimate = { mean: centre, interval };
  return {
    name,
    ...(isRatio
      ? estimate
      : apart(
          estimate,
          each.map(({ value }) => value),
        )),
  };
}

/** Replaces an interval by the units if they differ too widely for it. */
function apart({ mean: centre, interval }: MeanEstimate, each: readonly number[]): MeanEstimate {
  return areApart(interval) && each.length > 0 ? { mean: centre, interval: null, each } : { mean: centre, interval };
}

/** Shares are within [0, 1], their differences within [−1, 1]; ratios have no bounds. */
type Quantity = 'share' | 'difference' | 'ratio';

/** Mean and 95 % interval over units and draws; for one draw Student's over units. @param values [units, draws] */
export function overBoth(values: readonly (readonly number[])[], quantity: Quantity): MeanEstimate {
  const each = values.map((row) => mean(row)!);
  const crossed = crossedMean(values);
  const centre = mean(each)!;
  if (!crossed || crossed.sem === 0) return { mean: centre, interval: null };
  if (quantity === 'ratio') return { mean: centre, interval: crossed.interval };
  // A mean of equal shares can exceed 1 by a rounding error.
  const { sem, df } = crossed;
  const interval =
    quantity === 'share' ? shareInterval({ mean: Math.min(1, centre), sem, df }) : withinDifferences(crossed.interval);
  return apart({ mean: centre, interval }, each);
}

const oneDraw = (values: readonly number[]) => values.map((value) => [value]);

/** Mean of shares, with an interval within 0 and 1. */
export const shareOf = (values: readonly number[]): MeanEstimate => overBoth(oneDraw(values), 'share');

/** Mean difference of two shares, with an interval within −1 and 1. */
export const differenceOf = (values: readonly number[]): MeanEstimate => overBoth(oneDraw(values), 'difference');

/** Mean and Student's 95 % interval. Needs at least one value. */
export const meanOf = (values: readonly number[]): MeanEstimate => overBoth(oneDraw(values), 'ratio');
