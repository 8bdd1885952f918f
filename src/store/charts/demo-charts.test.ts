// On every first screen the first picture says what the sentence above it says, or is the sentence's own.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { demoPath, readDemo } from '../../experiments/analysis/demo.ts';
import { ENVIRONMENT_NAMES } from '../../experiments/environments/registry.ts';
import { conditionsOf, HEADLINES_PATH, readHeadlines, sideOf } from '../../experiments/questions/headlines/headline.ts';
import { demoCharts, showsFinding } from './demo-charts.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../public/${path}`, import.meta.url), 'utf8'));
const headlines = readHeadlines(read(HEADLINES_PATH));
const demoOf = (environment: string) => readDemo(read(demoPath(environment)))!;
const headlineOf = (environment: string) => headlines.find((one) => one.environment === environment)!;

describe.each(ENVIRONMENT_NAMES)('the first picture of %s', (environment) => {
  const headline = headlineOf(environment);
  const charts = demoCharts(demoOf(environment));

  it('has no difference of the other sign than the sentence', () => {
    const [from, to] = conditionsOf(headline);
    // Bars: of the sentence's own figures.
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

describe('the finding’s own bars', () => {
  it('come first where the demo’s one run has not what the sentence says', () => {
    const own = ENVIRONMENT_NAMES.filter((name) => !showsFinding(demoCharts(demoOf(name)), headlineOf(name)));
    expect(own.sort()).toEqual(['agents', 'characters']);
  });

  it('come first where the run has the opposite', () => {
    const headline = headlineOf('arithmetic');
    const charts = demoCharts(demoOf('arithmetic'));
    expect(showsFinding(charts, headline)).toBe(true);
    const less = { ...headline.figures[2], mean: -0.1, interval: { low: -0.2, high: -0.05 } };
    expect(showsFinding(charts, { ...headline, figures: headline.figures.with(2, less) })).toBe(false);
    expect(showsFinding(charts, { ...headline, inDemo: null })).toBe(false);
    expect(showsFinding([], headline)).toBe(false);
  });
});
