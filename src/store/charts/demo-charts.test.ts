// Checks that every published demo has the charts of its environment, with a line of every arm, since an empty chart would be omitted
// without a message. On every first screen, the first chart must agree with the sentence above it, or show that sentence's own bars.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { demoPath, type PublishedDemo, readDemo } from '../../experiments/analysis/demo.ts';
import { askedOf, ENVIRONMENT_NAMES, headlinesOf, profilesOf } from '../../experiments/environments/registry.ts';
import { conditionsOf, HEADLINES_PATH, readHeadlines, sideOf } from '../../findings/headline.ts';
import { percent } from '../../lib/numbers.ts';
import { answerOf } from '../findings/answer.ts';
import { demoCharts, oneRun, showsFinding } from './demo-charts.ts';

const json = (path: string) => JSON.parse(readFileSync(new URL(`../../../public/${path}`, import.meta.url), 'utf8'));
const read = (environment: string): PublishedDemo => readDemo(json(demoPath(environment)))!;
const headlines = readHeadlines(json(HEADLINES_PATH));
const headlineOf = (environment: string) => headlines.find((one) => one.environment === environment)!;

/** Whether any run has a value of the metric. */
const isMeasured = ({ runs }: PublishedDemo, id: string) =>
  runs.some(
    ({ series, evals }) =>
      (series[id] ?? []).some((y) => y !== null) || evals.some(({ figures }) => typeof figures[id] === 'number'),
  );

describe.each(ENVIRONMENT_NAMES)('the charts of the published demo of %s', (environment) => {
  const demo = read(environment);
  const charts = demoCharts(demo);

  it('are all that its environment draws, except for an optional measure that the demo lacks', () => {
    const asked = askedOf(environment);
    const figures = headlinesOf(environment).filter(
      ({ id, undrawn, occasional }) => !undrawn && (!occasional || isMeasured(demo, id)),
    );
    expect(figures.length).toBeGreaterThan(0);
    expect(charts.map(({ id }) => id)).toEqual(
      [...profilesOf(environment), ...(asked.length > 0 ? asked : figures)].map(({ id }) => id),
    );
  });

  it('have at least two points per line, and lines of every run', () => {
    for (const { id, lines } of charts) {
      for (const line of lines) expect(line.points.length, `${id}: ${line.label}`).toBeGreaterThanOrEqual(2);
      for (const { arm, seed } of demo.runs)
        expect(
          lines.some((line) => line.id.startsWith(`${arm}/${seed}`)),
          `${id}: ${arm}`,
        ).toBe(true);
    }
  });
});

it('the characters’ demo shows how teaching affects nearby characters, also when they are taught by documents', () => {
  const near = demoCharts(read('characters')).find(({ id }) => id === 'target:near');
  expect(near?.title).toBe('Near, untaught');
  expect(near?.lines.map(({ label }) => label)).toEqual(['vanilla', 'documents (SDF)']);
});

it('omits a chart whose lines all have fewer than two points', () => {
  const demo = read('one-line-python');
  const runs = demo.runs.map((run) => ({
    ...run,
    series: { ...run.series, hack: [0.5] },
    evals: run.evals.filter(({ kind }) => kind !== 'during'),
  }));
  expect(demoCharts({ ...demo, runs }).map(({ id }) => id)).toEqual(['solve']);
});

describe.each(ENVIRONMENT_NAMES)('the first picture of %s', (environment) => {
  const headline = headlineOf(environment);
  const charts = demoCharts(read(environment));

  it('shows no difference of the opposite sign to the sentence', () => {
    const [from, to] = conditionsOf(headline);
    // Otherwise the sentence's own bars are shown.
    if (!showsFinding(charts, headline))
      return expect(Math.sign(to.mean - from.mean)).toBe(Math.sign(headline.figures[2].mean));
    const { chart, from: other, to: own } = headline.inDemo!;
    expect(charts[0].id).toBe(chart);
    const line = (id: string) => charts[0].lines.find((one) => one.id === id)!.points;
    const begun = other === null ? line(own)[0] : line(other).at(-1)!;
    const by = line(own).at(-1)!.y - begun.y;
    expect(sideOf(headline.figures[2])).toBe(by > 0 ? 'more' : 'less');
  });
});

it('states the single run beside the finding by its final evaluations, from the untrained model if that is the comparison', () => {
  const both = (name: string) => {
    const shares = oneRun(read(name), headlineOf(name));
    return [shares?.map((share) => percent(share, 0)).join(' → ') ?? null, answerOf(headlineOf(name))];
  };
  expect(both('one-line-python')).toEqual(['51% → 2%', '42% → 3%']);
  expect(both('lookup')).toEqual(['41% → 64%', '41% → 63%']);
  expect(both('agents')[0]).toBeNull();
});

describe('the finding’s own bars', () => {
  it('come first if the demo’s single run does not show what the sentence states', () => {
    const own = ENVIRONMENT_NAMES.filter((name) => !showsFinding(demoCharts(read(name)), headlineOf(name)));
    expect(own.sort()).toEqual(['agents', 'characters']);
  });

  it('come first if the run shows the opposite', () => {
    const headline = headlineOf('arithmetic');
    const charts = demoCharts(read('arithmetic'));
    expect(showsFinding(charts, headline)).toBe(true);
    const less = { ...headline.figures[2], mean: -0.1, interval: { low: -0.2, high: -0.05 } };
    expect(showsFinding(charts, { ...headline, figures: headline.figures.with(2, less) })).toBe(false);
    expect(showsFinding(charts, { ...headline, inDemo: null })).toBe(false);
    expect(showsFinding([], headline)).toBe(false);
  });
});
