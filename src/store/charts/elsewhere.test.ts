// Tests that runs from a link and from a published demo are drawn like runs that were made in this browser.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { demoPath, readDemo } from '../../experiments/analysis/demo.ts';
import { finalCell } from '../../experiments/analysis/final-cell.ts';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import type { SharedRun } from '../../share/shared-run.ts';
import { chartData, legendOf } from './data.ts';
import { runsOfDemo, runsOfShare } from './elsewhere.ts';
import { metricGroups } from './metrics.ts';
import { chartSet } from './set.ts';

const CODE = 'one-line-python';
const [hack, solve] = metricGroups(CODE)[0].metrics;
const shared = (arm: SharedRun['arm']): SharedRun => ({
  arm,
  seed: 41,
  digest: '',
  steps: [1, 3],
  series: { hack: [0.2, 0.2], solve: [null, null], reward: [0, 0] },
  evals: [
    { step: 2, kind: 'during', model: 'deployed', n: 5, figures: { hack: 0.1, solve: 0.4 } },
    { step: 3, kind: 'final', model: 'deployed', n: 5, figures: { hack: 0.05, solve: 0.5 } },
    { step: 3, kind: 'final', model: 'total', n: 5, figures: { hack: 0.3, solve: 0.5 } },
  ],
});
const shareOf = (...arms: SharedRun['arm'][]) => ({
  spec: parseExperimentSpec({ preset: 'smoke', arms, seeds: [41], overrides: { steps: 3 }, device: 'cpu' }),
  runs: arms.map(shared),
  appVersion: null,
  modelSha256: null,
  graderVersion: null,
  device: null,
});

describe('runs of a link', () => {
  const runs = runsOfShare(shareOf('route-update'));

  it('have their lines, their evaluations during training, and their final ones', () => {
    const { points, finals, lines } = chartData(runs, hack, 0);
    expect(lines.filter(({ kind }) => kind !== 'raw').map(({ key }) => key)).toEqual([
      'route-update',
      'route-update:deployed',
    ]);
    expect(
      points.map(({ x, 'route-update': training, 'route-update:deployed': deployed }) => [x, training, deployed]),
    ).toEqual([
      [1, 0.2, undefined],
      [2, undefined, 0.1],
      [3, 0.2, undefined],
    ]);
    expect(finals).toEqual({
      'route-update': { mean: 0.3, interval: null },
      'route-update:deployed': { mean: 0.05, interval: null },
    });
  });

  it('leave room for the final evaluations beyond the last step, unless the end is out of view', () => {
    const { start, end, final } = chartSet(runs, 0, 'step', 3).along(solve);
    expect([start, end]).toEqual([0, 3]);
    expect(final!.at).toBeGreaterThan(3);
    expect(final!.edge).toBeGreaterThan(final!.at);
    expect(chartSet(runs, 0, 'step', 3, { zoom: [0, 0.5] }).along(solve).final).toBeNull();
    const without = runs.map((run) => ({ ...run, evals: [] }));
    expect(chartSet(without, 0, 'step', 3).along(solve).final).toBeNull();
  });

  it('can be told apart if their arms share a colour', () => {
    const controls = ['random_V-route', 'permuted_V-route', 'placebo_V-route'] as const;
    const looks = legendOf(runsOfShare(shareOf(...controls))).map(({ style }) => JSON.stringify(style));
    expect(looks).toHaveLength(6);
    expect(new Set(looks).size).toBe(6);
  });

  it('are omitted if their experiment does not plan them', () => {
    expect(runsOfShare({ ...shareOf('erase'), runs: [shared('route-update')] })).toEqual([]);
  });
});

it('a hidden line keeps its name and value, so that it can be shown again', () => {
  const runs = runsOfShare(shareOf('route-update'));
  const set = chartSet(runs, 0, 'step', 3, { hidden: new Set(['route-update']) });
  expect(set.entries.map(({ id }) => id)).toEqual(['route-update', 'route-update:deployed']);
  expect(set.legend.map(({ id }) => id)).toEqual(['route-update:deployed']);
  const { lines, latest } = set.data(hack, false);
  expect(lines.every(({ legend }) => legend === 'route-update:deployed')).toBe(true);
  expect(latest['route-update']).toBe(0.2);
});

it('a published run has dots at the figures of its table', () => {
  const demo = readDemo(
    JSON.parse(readFileSync(new URL(`../../../public/${demoPath(CODE)}`, import.meta.url), 'utf8')),
  )!;
  const { finals } = chartData(runsOfDemo(demo), hack, 0);
  const mean = (arm: string, model: string) =>
    finalCell(demo.table.find((row) => row.arm === arm && row.model === model)!, 'hack')!.mean;
  expect(finals['route-update'].mean).toBeCloseTo(mean('route-update', 'total'), 12);
  expect(finals['route-update:deployed'].mean).toBeCloseTo(mean('route-update', 'deployed'), 12);
  expect(finals['erase-update'].mean).toBeCloseTo(mean('erase-update', 'total'), 12);
});
