// One function makes the finding of every environment from one value per unit, its question's verdict, and the words that its claim has for
// them, so that none claims more than its rows show and none says another verdict than its question.

import {
  type EnvironmentHeadline,
  type HeadlineEstimate,
  type MeanEstimate,
  percent,
} from '../../src/findings/headline.ts';
import { areApart, mean, meanShareInterval, pairedT, withinDifferences } from '../../src/stats/index.ts';
import type { HeadlineRows } from '../judge/types.ts';
import type { PrintedFigure, SourcedSentence } from './sourced-sentence.ts';
import { estimateOf, type Sources } from './sources.ts';

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

/** Figures of a claim as its words print them, by the keys of `unitValue` and those of `others`. */
export type Shares = (key: string) => PrintedFigure;

export interface Words {
  sentence: SourcedSentence;
  /** Controls and limits that stand wherever the sentence does. */
  beside: readonly SourcedSentence[];
}

export interface Claim extends Pick<EnvironmentHeadline, 'environment' | 'asked' | 'unit' | 'inDemo'> {
  /** Verdict that the sentence says in words: with another one it may not stand. */
  written: string | null;
  /** Names of the question's estimates that are printed beside the verdict. */
  judged: readonly string[];
  /** Published file that the units' values are read from. */
  source: string;
  /** Set if the measure is a ratio that may leave [0, 1], not a share of a whole. */
  isRatio?: true;
  /** Names of the two conditions, and of what is measured of both. */
  from: string;
  to: string;
  measure: string;
  /** Name of the second measure, and of the third condition. */
  second?: string;
  beside?: string;
  /** Names of the further figures: `another condition: what is measured`. */
  others?: Readonly<Record<string, string>>;
  /** Only units whose rows are all there. */
  read(rows: HeadlineRows): UnitValues[];
  words(of: Shares, sources: Sources, units: readonly UnitValues[]): Words;
}

export interface SourcedHeadline {
  headline: EnvironmentHeadline;
  /** The headline's sentences with the source of each figure. */
  said: readonly SourcedSentence[];
}

/** Names of a claim's figures by their keys, in the order in which they are published. */
function namesOf({ from, to, measure, second, beside, others = {} }: Claim): Record<string, string> {
  return {
    from: `${from}: ${measure}`,
    to: `${to}: ${measure}`,
    ...(beside ? { beside: `${beside}: ${measure}` } : {}),
    ...(second ? { secondFrom: `${from}: ${second}`, secondTo: `${to}: ${second}` } : {}),
    ...others,
  };
}

/** A unit's value by the figure's key. Throws RangeError where the unit has none. */
function unitValue({ of, from, to, second, beside, others }: UnitValues, key: string): number {
  const own: Record<string, number | undefined> = { from, to, beside, secondFrom: second?.from, secondTo: second?.to };
  const value = own[key] ?? others?.[key];
  if (value === undefined) throw new RangeError(`${of}: no value of “${key}”`);
  return value;
}

/** Throws RangeError for fewer than two units, which give no interval, and for words that say another verdict than the question. */
export function sourcedHeadlineOf(claim: Claim, sources: Sources): SourcedHeadline {
  const { environment, unit, inDemo, written, source, isRatio, asked } = claim;
  const units = claim.read(sources);
  if (units.length < 2) throw new RangeError(`${environment}: a finding of ${units.length} ${unit}`);
  const by = asked && sources.entry(asked.question);
  const word = by?.entry.word ?? null;
  if (word !== written)
    throw new RangeError(`${environment}: its sentence says “${written}”, ${asked?.question} is judged “${word}”`);
  const valuesOf = (key: string) => units.map((one) => unitValue(one, key));
  const names = namesOf(claim);
  const [from, to, ...others] = Object.entries(names).map(
    ([key, name]): HeadlineEstimate => ({ name, ...(isRatio ? meanOf : shareOf)(valuesOf(key)) }),
  );
  const differences = units.map((one) => one.to - one.from);
  const difference = { name: 'difference', ...(isRatio ? meanOf : differenceOf)(differences) };
  const of: Shares = (key) => ({ name: names[key], text: percent(mean(valuesOf(key))!), source });
  const { sentence, beside } = claim.words(of, sources, units);
  const judged = by ? claim.judged.map((name) => (isRatio ? estimateOf : boundedDifference)(by, name)) : [];
  return {
    headline: {
      environment,
      asked,
      verdict: by && { standing: by.entry.standing, word: by.entry.word, judged },
      unit,
      inDemo,
      sentence: sentence.text,
      beside: beside.map(({ text }) => text),
      n: units.length,
      figures: [from, to, difference, ...others],
    },
    said: [sentence, ...beside],
  };
}

/** The question's estimate; unit by unit where its units differ too widely. */
function boundedDifference(by: ReturnType<Sources['entry']>, name: string): HeadlineEstimate {
  const estimate = estimateOf(by, name);
  const each = by.entry.figures.find((figure) => figure.name === name)!.each.map(({ value }) => value);
  return { name, ...apart(estimate, each) };
}

/** Units in the place of an interval that they differ too widely for. */
function apart({ mean: centre, interval }: MeanEstimate, each: readonly number[]): MeanEstimate {
  return areApart(interval) && each.length > 0 ? { mean: centre, interval: null, each } : { mean: centre, interval };
}

/** Mean of shares, with an interval within 0 and 1. */
export function shareOf(values: readonly number[]): MeanEstimate {
  const isOne = new Set(values).size === 1;
  return apart({ mean: mean(values)!, interval: isOne ? null : meanShareInterval(values) }, values);
}

/** Mean difference of two shares, with an interval within −1 and 1. */
export function differenceOf(values: readonly number[]): MeanEstimate {
  const { mean: centre, interval, each } = apart(meanOf(values), values);
  return { mean: centre, interval: interval && withinDifferences(interval), ...(each && { each }) };
}

/** Mean and Student's 95 % interval. Needs at least one value. */
export function meanOf(values: readonly number[]): MeanEstimate {
  const paired = pairedT(values);
  return { mean: mean(values)!, interval: paired?.t === null ? null : (paired?.interval ?? null) };
}
