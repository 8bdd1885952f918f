// Tests a sweep's report on finished runs with made-up values: its ranks, means, comparisons and warnings.
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../records/events.ts';
import { evaluationMade, runMade } from '../testing/statistics-runs.ts';
import { planSweep, type SweepPlan } from './plan.ts';
import { expectedLargest, groupsOf, reportOf } from './report.ts';
import { reportMarkdown } from './report-text.ts';
import { parseSweepSpec } from './spec.ts';

const BASE = { preset: 'smoke', arm: 'none', seeds: [41, 42], metric: 'solve' } as const;
const AXES = [
  { option: 'lr', values: [0.01, 0.03] },
  { option: 'beta1', values: [0.1, 0.5] },
];
const planOf = (more: object = {}): SweepPlan => planSweep(parseSweepSpec({ ...BASE, axes: AXES, ...more }));

/** [hack, solve] by configuration and seed, for one rung. */
function runsOf(
  plan: SweepPlan,
  figures: readonly (readonly (readonly [number, number])[])[],
  rung = 0,
): Map<string, RunRecord> {
  const runs = new Map<string, RunRecord>();
  for (const [i, bySeed] of figures.entries())
    for (const [s, [hack, solve]] of bySeed.entries()) {
      const { key, spec } = plan.configurations[i].rungs[rung][s];
      runs.set(key, { ...runMade({}), spec, evals: [evaluationMade('total', hack, solve)] });
    }
  return runs;
}
const FIGURES = [
  [
    [0.1, 0.2],
    [0.1, 0.4],
  ],
  [
    [0.2, 0.5],
    [0.2, 0.7],
  ],
  [
    [0.3, 0.6],
    [0.1, 0.8],
  ],
  [
    [0.4, 0.1],
    [0.4, 0.1],
  ],
] as const;

describe('a report', () => {
  const plan = planOf();
  const runs = runsOf(plan, FIGURES);
  const report = reportOf(plan, runs, new Set());

  it('has n, mean, sd and interval by configuration', () => {
    const { solve } = report.table[0].metrics;
    expect(solve).toMatchObject({ n: 2, mean: expect.closeTo(0.3), sd: expect.closeTo(0.141421) });
    // t with one degree of freedom, 12.7062 · sd / √2, on the logit scale, so that the interval of a share stays within 0 and 1.
    const low = Math.log(0.3 / 0.7) - 1.27062 / (0.3 * 0.7);
    expect(solve?.interval?.low).toBeCloseTo(1 / (1 + Math.exp(-low)), 4);
    expect(report).toMatchObject({ done: 8, planned: 8, notes: [] });
  });

  it('has the mean of means by value, and rank correlations', () => {
    const [lr, beta1] = report.effects;
    expect(lr.levels.map(({ value, summary }) => [value, summary.mean])).toEqual([
      [0.01, expect.closeTo((0.3 + 0.6) / 2)],
      [0.03, expect.closeTo((0.7 + 0.1) / 2)],
    ]);
    expect(beta1.levels.map(({ summary }) => summary.mean)).toEqual([expect.closeTo(0.5), expect.closeTo(0.35)]);
    expect(lr.rank).toBeCloseTo(0, 10);
  });

  it('compares the best with the second by seed, and says how far ahead chance alone would put it', () => {
    expect(report.best).toMatchObject({
      of: 4,
      row: { label: 'lr 0.03, beta1 0.1' },
      second: { label: 'lr 0.01, beta1 0.5', p: 0.5 },
    });
    expect(report.best?.second?.difference?.mean).toBeCloseTo(0.1);
    const pooled = Math.sqrt((0.02 + 0.02 + 0.02 + 0) / 4);
    expect(report.best?.byChance).toBeCloseTo((pooled / Math.SQRT2) * expectedLargest(4), 10);
  });

  it('gives the best as a sweep on fresh seeds with the same options', () => {
    const again = planSweep(parseSweepSpec(JSON.parse(JSON.stringify(report.best?.again))));
    expect(again.configurations).toHaveLength(1);
    const runs = again.configurations[0].rungs[0];
    expect(runs.map(({ spec }) => [spec.seed, spec.lr, spec.beta1])).toEqual([
      [43, 0.03, 0.1],
      [44, 0.03, 0.1],
    ]);
    const { seed: _, ...options } = runs[0].spec;
    const { seed: __, ...before } = plan.configurations[2].rungs[0][0].spec;
    expect(options).toEqual(before);
  });

  it('has the Pareto front of hack and solve', () => {
    expect(report.pareto).toEqual({
      metrics: [
        { id: 'solve', goal: 'higher' },
        { id: 'hack', goal: 'lower' },
      ],
      configurations: [0, 2],
    });
    const worse = runsOf(plan, [
      ...FIGURES.slice(0, 3),
      [
        [0.9, 0.1],
        [0.9, 0.1],
      ],
    ]);
    worse.set(plan.configurations[0].rungs[0][0].key, worse.get(plan.configurations[3].rungs[0][0].key) as RunRecord);
    expect(reportOf(plan, worse, new Set()).pareto?.configurations).toEqual([2]);
  });

  it('groups by any option', () => {
    const groups = groupsOf(plan, runs, ['seed']);
    expect(groups.map(({ values, metrics }) => [values.seed, metrics.solve?.n, metrics.solve?.mean])).toEqual([
      [41, 4, expect.closeTo(0.35)],
      [42, 4, expect.closeTo(0.5)],
    ]);
  });

  it('has a text, including the warning', () => {
    const text = reportMarkdown(report, groupsOf(plan, runs, ['seed']), 'lab sweep run again.json');
    expect(text).toContain('8 of 8 runs are done. Ranked by **solve**');
    expect(text).toMatch(
      /It is the best of 4, chosen by the same runs that it is judged by.*If all configurations were alike/,
    );
    expect(text).toContain('lab sweep run again.json');
    expect(text.indexOf('| lr 0.03, beta1 0.1 |')).toBeLessThan(text.indexOf('| lr 0.01, beta1 0.5 |'));
    expect(text).toContain('## By seed');
  });

  it('does not rank configurations that lack a seed, and notes that and different devices', () => {
    const few = new Map(runs);
    few.delete(plan.configurations[2].rungs[0][1].key);
    const { key } = plan.configurations[0].rungs[0][0];
    few.set(key, { ...(few.get(key) as RunRecord), device: 'a GPU' });
    const found = reportOf(plan, few, new Set());
    expect(found.best?.row.label).toBe('lr 0.01, beta1 0.5');
    expect(found.notes.join(' ')).toMatch(/several kinds \(CPU; a GPU\).*1 of 4 configurations lack a seed/);
    expect(reportOf(plan, new Map(), new Set()).best).toBeNull();
  });

  it('describes failed runs in words that hold for one tab and for many workers', () => {
    const [{ key }, { key: other }] = plan.configurations[0].rungs[0];
    const noteOf = (...keys: string[]) => reportOf(plan, runs, new Set(keys)).notes.join();
    expect(noteOf(key)).toBe('1 run was set apart after three or more failures.');
    expect(noteOf(key, other)).toBe('2 runs were set apart after three or more failures.');
  });

  it('shows each configuration of a halving at its last rung, and ranks only the last rung', () => {
    const halved = planOf({
      seeds: [41],
      overrides: { steps: 4 },
      search: { kind: 'halving', firstSteps: 2, factor: 2 },
    });
    const first = runsOf(
      halved,
      FIGURES.map(([one]) => [one]),
    );
    const all = new Map([...first, ...runsOf(halved, [[], [[0, 0.3]], [[0, 0.2]]], 1)]);
    const found = reportOf(halved, all, new Set());
    expect(found.table.map(({ steps }) => steps)).toEqual([2, 4, 4, 2]);
    expect([found.best?.row.label, found.done, found.planned]).toEqual(['lr 0.01, beta1 0.5', 6, 6]);
  });
});

it('the expected largest of n standard normal numbers agrees with tables', () => {
  expect(expectedLargest(2)).toBeCloseTo(0.564, 1);
  expect(expectedLargest(10)).toBeCloseTo(1.539, 1);
  expect(expectedLargest(100)).toBeCloseTo(2.508, 1);
});
