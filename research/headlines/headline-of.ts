// One function makes the finding of every environment from one value per unit, its question's verdict, and the words that its claim has for
// them, so that none claims more than its rows show and none says another verdict than its question.

import {
  type EnvironmentHeadline,
  type HeadlineEstimate,
  type MeanEstimate,
  percent,
} from '../../src/findings/headline.ts';
import { mean, pairedT } from '../../src/stats/index.ts';
import type { Printed, Said } from './said.ts';
import { estimateOf, type Sources } from './sources.ts';

/** Shares measured for one unit of replication (a seed or a character). */
export interface UnitValues {
  of: string;
  from: number;
  to: number;
  /** Further shares of the same unit, by the keys of the claim's `others`. */
  others?: Readonly<Record<string, number>>;
}

/** Figures of a claim as its words print them, by the keys `from`, `to` and those of `others`. */
export type Shares = (key: string) => Printed;

export interface Words {
  sentence: Said;
  /** Controls and limits that stand wherever the sentence does. */
  beside: readonly Said[];
}

export interface Claim extends Pick<EnvironmentHeadline, 'environment' | 'unit' | 'inDemo'> {
  /** Question that judges the sentence; null where none was written down. */
  asked: string | null;
  /** Verdict that the sentence says in words: with another one it may not stand. */
  written: string | null;
  /** Names of the question's estimates that are printed beside the verdict. */
  judged: readonly string[];
  /** Where the units' values come from. */
  source: string;
  /** What is measured is a ratio that may be below 0 or above 1, not a share of a whole. */
  isRatio?: true;
  /** Names of the two conditions, and of what is measured of both. */
  from: string;
  to: string;
  measure: string;
  /** Names of the further figures: `another condition: what is measured`. */
  others?: Readonly<Record<string, string>>;
  read(sources: Sources): UnitValues[];
  words(of: Shares, sources: Sources, units: readonly UnitValues[]): Words;
}

export interface Told {
  headline: EnvironmentHeadline;
  /** What the headline says, figure by figure. */
  said: readonly Said[];
}

/** Throws RangeError for fewer than two units, which give no interval, and for words that say another verdict than the question. */
export function toldOf(claim: Claim, sources: Sources): Told {
  const { environment, unit, inDemo, written, source, from, to, measure, others = {}, isRatio } = claim;
  const units = claim.read(sources);
  if (units.length < 2) throw new RangeError(`${environment}: a finding of ${units.length} ${unit}`);
  const asked = claim.asked === null ? null : sources.entry(claim.asked);
  const word = asked?.entry.word ?? null;
  if (word !== written)
    throw new RangeError(`${environment}: its sentence says “${written}”, ${claim.asked} is judged “${word}”`);
  const valuesOf = (key: string) => units.map((one) => (key === 'from' || key === 'to' ? one[key] : one.others![key]));
  const names = { from: `${from}: ${measure}`, to: `${to}: ${measure}`, ...others };
  const figureOf = (key: keyof typeof names & string): HeadlineEstimate => ({
    name: names[key],
    ...(isRatio ? meanOf : shareOf)(valuesOf(key)),
  });
  const difference = {
    name: 'difference',
    ...(isRatio ? meanOf : differenceOf)(units.map((one) => one.to - one.from)),
  };
  const of: Shares = (key) => ({ name: names[key as keyof typeof names], text: percent(mean(valuesOf(key))!), source });
  const { sentence, beside } = claim.words(of, sources, units);
  const judged = asked ? claim.judged.map((name) => (isRatio ? estimateOf : boundedDifference)(asked, name)) : [];
  const verdict = asked && { standing: asked.entry.standing, word: asked.entry.word, judged };
  return {
    headline: {
      environment,
      asked: asked && { series: asked.series, question: asked.entry.id },
      verdict,
      unit,
      inDemo,
      sentence: sentence.text,
      beside: beside.map(({ text }) => text),
      n: units.length,
      figures: [
        figureOf('from'),
        figureOf('to'),
        difference,
        ...Object.keys(others).map((key) => figureOf(key as 'to')),
      ],
    },
    said: [sentence, ...beside],
  };
}

/** The question's estimate; unit by unit where its interval leaves what a difference of shares can be. */
function boundedDifference(asked: ReturnType<Sources['entry']>, name: string): HeadlineEstimate {
  const estimate = estimateOf(asked, name);
  const each = asked.entry.figures.find((figure) => figure.name === name)!.each.map(({ value }) => value);
  return isWithin(estimate, -1, 1) || each.length === 0 ? estimate : { ...estimate, interval: null, each };
}

/** Width above which an interval of shares tells less than its units do. */
const WIDE = 0.5;

/** Whether an interval keeps to what its mean can be, and is narrow enough to tell. */
const isWithin = ({ interval }: MeanEstimate, least: number, most: number): boolean =>
  interval === null ||
  (interval.low >= least && interval.high <= most && interval.high - interval.low <= WIDE * (most - least));

/** Mean of shares; the units themselves where Student's interval would leave 0 to 1, or is wider than half of that. */
export const shareOf = (values: readonly number[]): MeanEstimate => within(values, 0, 1);

/** Mean difference of two shares; the units themselves where Student's interval would leave −1 to 1, or is wider than half of that. */
export const differenceOf = (values: readonly number[]): MeanEstimate => within(values, -1, 1);

function within(values: readonly number[], least: number, most: number): MeanEstimate {
  const estimate = meanOf(values);
  return isWithin(estimate, least, most) ? estimate : { mean: estimate.mean, interval: null, each: values };
}

/** Mean and 95 % interval. Needs at least one value. */
export function meanOf(values: readonly number[]): MeanEstimate {
  const paired = pairedT(values);
  return { mean: mean(values)!, interval: paired?.t === null ? null : (paired?.interval ?? null) };
}
