// Every published demo has the charts of its environment, and in each a line of every arm: an empty chart is left out without a word.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { demoPath, type PublishedDemo, readDemo } from '../../experiments/analysis/demo.ts';
import { askedOf, ENVIRONMENT_NAMES, headlinesOf, profilesOf } from '../../experiments/environments/registry.ts';
import { demoCharts } from './demo-charts.ts';

const read = (environment: string): PublishedDemo =>
  readDemo(JSON.parse(readFileSync(new URL(`../../../public/${demoPath(environment)}`, import.meta.url), 'utf8')))!;

/** Whether any run of it has a figure of the metric. */
const isMeasured = ({ runs }: PublishedDemo, id: string) =>
  runs.some(
    ({ series, evals }) =>
      (series[id] ?? []).some((y) => y !== null) || evals.some(({ figures }) => typeof figures[id] === 'number'),
  );

describe.each(ENVIRONMENT_NAMES)('the charts of the published demo of %s', (environment) => {
  const demo = read(environment);
  const charts = demoCharts(demo);

  it('are all that its environment draws, but for an occasional figure of which it has none', () => {
    const asked = askedOf(environment);
    const figures = headlinesOf(environment).filter(
      ({ id, undrawn, occasional }) => !undrawn && (!occasional || isMeasured(demo, id)),
    );
    expect(figures.length).toBeGreaterThan(0);
    expect(charts.map(({ id }) => id)).toEqual(
      [...profilesOf(environment), ...(asked.length > 0 ? asked : figures)].map(({ id }) => id),
    );
  });

  it('have two points or more of each line, and lines of every run', () => {
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

it('the characters’ demo shows what their teaching does to those near, by documents too', () => {
  const near = demoCharts(read('characters')).find(({ id }) => id === 'target:near');
  expect(near?.title).toBe('Near, untaught');
  expect(near?.lines.map(({ label }) => label)).toEqual(['vanilla', 'documents (SDF)']);
});

it('a chart without a line of two points is left out', () => {
  const demo = read('one-line-python');
  const runs = demo.runs.map((run) => ({
    ...run,
    series: { ...run.series, hack: [0.5] },
    evals: run.evals.filter(({ kind }) => kind !== 'during'),
  }));
  expect(demoCharts({ ...demo, runs }).map(({ id }) => id)).toEqual(['solve']);
});
