// Tests the plain sentences of README and of the first screen: their numbers follow from the published rows, and they state the verdict of
// their question and their controls.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { OFFERED_ENVIRONMENTS } from '../../src/experiments/environments/registry.ts';
import { finalDraws, metricValue } from '../../src/experiments/records/metrics.ts';
import {
  differenceText,
  type EnvironmentHeadline,
  HEADLINES_PATH,
  headlinesText,
  percent,
} from '../../src/findings/headline.ts';
import { SERIES_IDS, type SeriesId } from '../../src/findings/series.ts';
import { readSheet, type SeriesSheet } from '../../src/findings/sheet.ts';
import { mean, tQuantile } from '../../src/stats/index.ts';
import { publishedDraws } from '../draws/published.ts';
import { filledIn } from '../judge/markers.ts';
import { HEADLINE_PAGES, headlineOn, judgedOf, publishedRows, publishedSheet } from '../judge/publish.ts';
import { headlineMarkers } from '../judge/readme.ts';
import { ENVIRONMENT_QUESTIONS } from '../series/questions.ts';
import { reportOf } from '../series/study/publish.ts';
import { CLAIMS, headlinesOf } from './claims.ts';
import { figurePath, headlineSvg } from './figure.ts';
import { FRONTIER_PATH, frontierOf, frontierSvg } from './frontier.ts';
import { CODE, INSTRUCTIONS } from './hacks.ts';
import { differenceOf, drawnOf, shareOf, sourcedHeadlineOf, type UnitValues } from './headline-of.ts';
import { figuresFrom, requireShown, sourced } from './sourced-sentence.ts';
import { type Sources, sourcesOf } from './sources.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const rows = publishedRows(ROOT);
const sheets = new Map<SeriesId, SeriesSheet>();
let sources: Sources;
let found: EnvironmentHeadline[];
const of = (environment: string) => found.find((one) => one.environment === environment)!;
const readme = readFileSync(`${ROOT}/README.md`, 'utf8');
const lineOf = (environment: string) => readme.split('\n').find((line) => line.startsWith(`- [${environment}](`))!;

beforeAll(async () => {
  for (const id of SERIES_IDS) sheets.set(id, readSheet(await publishedSheet(ROOT, id)));
  sources = sourcesOf(ROOT, sheets, rows);
  found = headlinesOf(sources);
});

/** Student's quantile at 0.975, by degrees of freedom (from tables). */
const T: Readonly<Record<number, number>> = { 4: 2.776445, 6: 2.446912, 9: 2.262157 };

/** Mean and 95 % interval by the textbook's formula, not by the lab's functions. */
function student(values: readonly number[]) {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = T[n - 1] * Math.sqrt(variance / n);
  return { n, mean, low: mean - half, high: mean + half };
}

type Spread = ReturnType<typeof student>;

/** Mean and 95 % interval over units and draws, by variance components of a two-way table. @param table [units, draws] */
function crossed(table: readonly (readonly number[])[]): Spread {
  const [n, draws] = [table.length, table[0].length];
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  if (draws === 1) return student(table.flat());
  const [rows, columns] = [table.map(meanOf), table[0].map((_, j) => meanOf(table.map((row) => row[j])))];
  const mean = meanOf(rows);
  const squares = (values: readonly number[]) => values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const between = [
    { square: (draws * squares(rows)) / (n - 1), df: n - 1 },
    { square: (n * squares(columns)) / (draws - 1), df: draws - 1 },
  ];
  const rest = table.flatMap((row, i) => row.map((value, j) => value - rows[i] - columns[j] + mean));
  const error = { square: rest.reduce((sum, value) => sum + value ** 2, 0) / ((n - 1) * (draws - 1)) };
  const sum = between[0].square + between[1].square - error.square;
  const [largest] = between.toSorted((a, b) => b.square - a.square);
  const all = [...between, { square: error.square, df: (n - 1) * (draws - 1) }];
  const df = sum ** 2 / all.reduce((total, one) => total + one.square ** 2 / one.df, 0);
  const own = sum > largest.square ? { square: sum, df: Math.max(1, df) } : largest;
  const half = tQuantile(0.975, own.df) * Math.sqrt(own.square / (n * draws));
  return { n, mean, low: mean - half, high: mean + half };
}

/** The same on the logit scale, by the delta method. */
function onLogits({ n, mean, high }: Spread) {
  const half = (high - mean) / (mean * (1 - mean));
  const back = (end: number) => 1 / (1 + Math.exp(-(Math.log(mean / (1 - mean)) + end)));
  return { n, mean, low: back(-half), high: back(half) };
}

describe('the sentences of the first screen', () => {
  it('are published as computed from the rows, one for every environment', () => {
    expect(readFileSync(`${ROOT}/public/${HEADLINES_PATH}`, 'utf8')).toBe(headlinesText(found));
    expect(found.map(({ environment }) => environment).sort()).toEqual([...OFFERED_ENVIRONMENTS].sort());
  });

  it('have their figures in the docs, each on one page, as computed from the rows', () => {
    const pages = HEADLINE_PAGES.map((page) => ({ page, text: readFileSync(`${ROOT}/${page}`, 'utf8') }));
    for (const one of found) {
      expect(readFileSync(`${ROOT}/${figurePath(one.environment)}`, 'utf8')).toBe(headlineSvg(one));
      const markers = headlineMarkers(one.environment);
      const own = pages.filter(({ text }) => text.includes(markers.start));
      expect(own, one.environment).toHaveLength(1);
      const [{ page, text }] = own;
      expect(text).toBe(filledIn(text, markers, headlineOn(page, one)));
    }
  });

  it('are accompanied by the frontier of both models, computed from the rows', () => {
    const panels = frontierOf(sources);
    expect(readFileSync(`${ROOT}/${FRONTIER_PATH}`, 'utf8')).toBe(frontierSvg(panels));
    // These are the same models and arms as in the headlines.
    const [embedded, real] = panels.map(({ points }) => points);
    expect(embedded.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const { number } of real) expect(embedded.some((point) => point.number === number)).toBe(true);
    // Some model of this estimate was not evaluated again, so all of them use the published draw.
    const [units] = drawnOf(CODE, sources).byDraw;
    expect(embedded[1].hack.mean).toBe(mean(units.map(({ from }) => from)));
    expect(embedded[2].hack.mean).toBe(mean(units.map(({ to }) => to)));
  });

  it.each(CLAIMS)('$environment: has mean, interval and n of all its units', (claim) => {
    const drawn = drawnOf(claim, sources);
    const { units, byDraw } = drawn;
    const { sentence, beside, n, figures } = of(claim.environment);
    expect(n).toBe(units.length);
    expect(n).toBeGreaterThanOrEqual(5);
    expect(new Set(units.map((unit) => unit.of)).size).toBe(n);
    const text = [sentence, ...beside].join(' ');
    const measures: ((unit: UnitValues) => number)[] = [
      (unit) => unit.from,
      (unit) => unit.to,
      (unit) => unit.to - unit.from,
      ...(claim.beside ? [(unit: UnitValues) => unit.beside!] : []),
      ...(claim.second ? [(unit: UnitValues) => unit.second!.from, (unit: UnitValues) => unit.second!.to] : []),
      ...Object.keys(claim.others ?? {}).map((key) => (unit: UnitValues) => unit.others![key]),
    ];
    expect(figures).toHaveLength(measures.length);
    for (const [i, measure] of measures.entries()) {
      const { interval, each, name } = figures[i];
      const values = units.map(measure);
      const spread = crossed(units.map((_, unit) => byDraw.map((rows) => measure(rows[unit]))));
      // A mean of shares has Student's t on the logit scale, a difference and a ratio on its own scale.
      const { mean, low, high } = i === 2 || claim.isRatio ? spread : onLogits(spread);
      expect(figures[i].mean, name).toBeCloseTo(mean, 12);
      // A model shared by all units has no interval; units that differ too widely are given one by one.
      if (interval) {
        expect(interval.low, name).toBeCloseTo(low, 4);
        expect(interval.high, name).toBeCloseTo(high, 4);
      } else if (each) expect(each).toEqual(values);
      else expect(new Set(values).size, name).toBe(1);
    }
    for (const { mean, each } of [figures[0], figures[1]])
      expect(text).toContain(each ? each.map((value) => Math.round(100 * value)).join(', ') : percent(mean));
  });

  it('have no interval of a share beyond [0, 1], on the page and in README', () => {
    for (const { environment, figures } of found) {
      if (CLAIMS.find((claim) => claim.environment === environment)?.isRatio) continue;
      for (const { name, interval } of figures) {
        const least = name === 'difference' ? -1 : 0;
        expect(interval?.low ?? 0, name).toBeGreaterThanOrEqual(least);
        expect(interval?.high ?? 0, name).toBeLessThanOrEqual(1);
      }
    }
    expect(lineOf('instructions')).not.toMatch(/1\d\d(\.\d)?[%\]]/);
  });
});

describe('the verdict of a sentence', () => {
  it('equals its question’s verdict from the rows, in the headline and in README', async () => {
    const study = (await reportOf(ROOT)).sheet;
    for (const { environment, asked, verdict, n, unit, draws } of found) {
      const { series, question } = asked!;
      const judged =
        series === 'study'
          ? study.questions.find(({ id }) => id === question)!
          : judgedOf(
              ENVIRONMENT_QUESTIONS[series].filter(({ id }) => id === question),
              rows,
            ).get(question)!;
      expect(verdict!.word, environment).toBe(judged.word);
      expect(verdict!.standing, environment).toBe(judged.standing);
      const word = `${judged.word[0].toUpperCase()}${judged.word.slice(1)}`;
      expect(lineOf(environment)).toContain(`*${word}* (${question}, n = ${n} ${unit}`);
      for (const estimate of verdict!.judged) {
        const own = judged.figures.find(({ name }) => name === estimate.name)!;
        expect(own.n, estimate.name).toBe(n);
        expect(lineOf(environment)).toContain(`${estimate.name}: ${differenceText(estimate)} points`);
        if (draws) continue;
        expect(estimate.mean).toBe(own.mean);
        const values = own.each.map(({ value }) => value);
        const { mean, low, high } = student(values);
        expect(estimate.mean, estimate.name).toBeCloseTo(mean, 9);
        if (estimate.interval) expect(estimate.interval.low, estimate.name).toBeCloseTo(low, 4);
        if (estimate.interval) expect(estimate.interval.high, estimate.name).toBeCloseTo(high, 4);
      }
    }
  });

  it('is judged over the draws if the runs were evaluated again, by values computed from the published draws', () => {
    const { verdict, draws, figures } = of('lookup');
    const runs = [...publishedDraws(ROOT, 'L1').values()].filter(({ spec }) => spec.arm === 'none');
    const values = runs.map((run) => finalDraws(run, 'total', ({ all }) => metricValue(all, 'solve')) as number[]);
    expect(draws).toBe(values[0].length);
    expect(figures[1].mean).toBeCloseTo(crossed(values).mean, 12);
    const before = runs.map((run) => finalDraws(run, 'base', ({ all }) => metricValue(all, 'solve')) as number[]);
    const gains = crossed(values.map((row, i) => row.map((value, j) => value - before[i][j])));
    expect(verdict!.judged[0].mean).toBeCloseTo(gains.mean, 9);
    expect(verdict!.judged[0].interval!.low).toBeCloseTo(gains.low, 4);
  });

  it.each(CLAIMS)('$environment: a sentence that states another verdict than its question’s is refused', (claim) => {
    const other: Sources = {
      ...sources,
      redrawn: { again: new Map(), more: new Map() },
      entry(id) {
        const { series, entry } = sources.entry(id);
        return { series, entry: { ...entry, word: 'open: made up' } };
      },
    };
    expect(() => sourcedHeadlineOf(claim, other)).toThrow(`${claim.asked!.question} is judged “open: made up”`);
  });

  it('is accompanied by the controls: the steered untrained model and permuted directions, in README too', () => {
    for (const environment of ['one-line-python', 'instructions']) {
      const { beside } = of(environment);
      expect(beside.join(' ')).toMatch(/untrained model, steered/i);
      expect(beside.join(' ')).toMatch(/permuted labels/);
      for (const sentence of beside) expect(lineOf(environment)).toContain(sentence);
    }
  });
});

it('compares directions of permuted labels, which were evaluated once, with the real ones of that evaluation', () => {
  const { byDraw } = drawnOf(INSTRUCTIONS, sources);
  const permuted = byDraw.map((units) => units.map(({ others }) => others!.permuted));
  for (const other of permuted) expect(other).toEqual(permuted[0]);
  const [leave, real] = [permuted[0], byDraw[0].map(({ to }) => to)].map((each) => percent(mean(each)!));
  expect(lineOf('instructions')).toContain(
    `In one evaluation directions of permuted labels leave ${leave}, the real ones ${real}:`,
  );
});

it('has an interval of the kept share, which over the draws includes one half', () => {
  const [, share, low, high] = /stays open \((\d+)% \[(\d+), (\d+)\]\)/
    .exec(of('one-line-python').sentence)!
    .map(Number);
  const { byDraw } = drawnOf(CODE, sources);
  /** Returns the solve beyond a kept share of the honest gain, over seeds and draws. */
  const beyond = (part: number) =>
    crossed(
      byDraw[0].map((_, i) =>
        byDraw.map((units) => {
          const { second, others } = units[i];
          return second!.to - others!.solveBase - part * (others!.honest - others!.solveBase);
        }),
      ),
    );
  for (const [part, end] of [
    [low / 100, 'low'],
    [high / 100, 'high'],
  ] as const) {
    // At an end of the share's interval, the interval of the excess ends at 0.
    expect(Math.abs(beyond(part)[end]), end).toBeLessThan(0.005);
  }
  expect(beyond(share / 100).mean).toBeCloseTo(0, 2);
  expect(low < 50 && high > 50).toBe(true);
});

describe('a sentence', () => {
  it('takes its figures from rows, and typed ones are refused', () => {
    const figure = figuresFrom('rows.json')('hack', '45%');
    expect(sourced`It hacks on ${figure} of them.`).toEqual({
      text: 'It hacks on 45% of them.',
      words: ['It hacks on ', ' of them.'],
      figures: [figure],
    });
    expect(sourced`${sourced`It hacks on ${figure}`}, twice.`.figures).toEqual([figure]);
    expect(() => sourced`It hacks on 44% of them, not ${figure}.`).toThrow('typed, not computed');
    expect(() => requireShown(false, 'all seeds hack')).toThrow('all seeds hack');
  });

  it('shows units instead of an interval that leaves the range of a share', () => {
    const wide = [0.69, 0.11, 0.91, 0.94, 0.88];
    expect(shareOf(wide)).toEqual({ mean: expect.closeTo(0.706, 6), interval: null, each: wide });
    expect(shareOf([0.5, 0.52, 0.51]).interval).not.toBeNull();
    expect(differenceOf(wide).each).toEqual(wide);
    expect(shareOf([0.3, 0.3]).interval).toBeNull();
    expect(shareOf([0.3, 0.3]).each).toBeUndefined();
  });
});
