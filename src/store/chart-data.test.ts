import { describe, expect, it } from 'vitest';
import type { EvalRow, Rates, RunRecord, StepRow } from '../experiments/events.ts';
import { parseExperimentSpec, type RunSpec, resolveRuns } from '../experiments/spec.ts';
import { chartData, legendOf, POINT_LIMIT } from './chart-data.ts';
import { METRICS } from './metrics.ts';

const hackMetric = METRICS.find((metric) => metric.id === 'hack')!;
const rates = (hack: number | null): Rates => ({ n: 8, hack, solve: null, structural: null, byMode: {} });
const row = (step: number, hack: number | null) => ({ step, student: rates(hack), cinNull: 0.2 }) as StepRow;
const evaluation = (step: number, model: string, hack: number, kind: 'during' | 'final' = 'during') =>
  ({ step, model, kind, all: rates(hack) }) as EvalRow;

function run(spec: RunSpec, hacks: (number | null)[], evals: EvalRow[] = []): RunRecord {
  return { id: `${spec.arm}-${spec.seed}`, spec, rows: hacks.map((hack, i) => row(i + 1, hack)), evals } as RunRecord;
}
const specs = (arms: string[], seeds: number[]) => resolveRuns(parseExperimentSpec({ preset: 'demo', arms, seeds }));

describe('chartData', () => {
  it('draws one seed raw and smoothed', () => {
    const [spec] = specs(['none'], [41]);
    const data = chartData([run(spec, [1, 0])], hackMetric, 0.5);
    expect(data.lines.map((line) => line.kind)).toEqual(['raw', 'main']);
    expect(data.points[1]['none/41']).toBe(0);
    expect(data.points[1].none).toBeCloseTo(1 / 3, 12);
    expect(data.latest.none).toBeCloseTo(1 / 3, 12);
  });

  it('draws the mean over seeds, with each seed behind it', () => {
    const [a, b] = specs(['none'], [41, 42]);
    const data = chartData([run(a, [0.2, 0.4]), run(b, [0.6])], hackMetric, 0);
    expect(data.lines.map((line) => line.kind)).toEqual(['seed', 'seed', 'main']);
    expect(data.points[0].none).toBeCloseTo(0.4, 12);
    // The second seed has not come that far: the mean is over those that have.
    expect(data.points[1].none).toBeCloseTo(0.4, 12);
  });

  it('puts the deployed model, evaluated during the run, beside the one in training', () => {
    const [spec] = specs(['route-update'], [41]);
    const evals = [evaluation(0, 'deployed', 0.02), evaluation(2, 'deployed', 0.1), evaluation(2, 'total', 0.7)];
    const final = evaluation(2, 'deployed', 0.9, 'final');
    const data = chartData([run(spec, [0.1, 0.5], [...evals, final])], hackMetric, 0);
    const deployed = data.points.flatMap((point) => point['route-update:deployed'] ?? []);
    expect(deployed).toEqual([0.02, 0.1]);
    expect(data.baseLevel).toBe(0.02);
  });

  it('lets route/update stand for vanilla only where vanilla is absent', () => {
    const alone = specs(['route-update'], [41]).map((spec) => run(spec, [0.1]));
    const both = specs(['none', 'route-update'], [41]).map((spec) => run(spec, [0.1]));
    expect(legendOf(alone)[0].label).toMatch(/^vanilla/);
    expect(legendOf(both).map((entry) => entry.label)).toEqual([
      'vanilla',
      'route (update), in training',
      'route (update), deployed',
    ]);
  });

  it('leaves a gap where a step had nothing to measure', () => {
    const [spec] = specs(['none'], [41]);
    const data = chartData([run(spec, [0.5, null, 0.5])], hackMetric, 0.5);
    expect(data.points[1].none).toBeNull();
    expect(data.latest.none).toBeCloseTo(0.5, 12);
  });

  it('stays under the limit of points and keeps every evaluation', () => {
    const [spec] = specs(['route-update'], [41]);
    const hacks = Array.from({ length: 3000 }, (_, i) => (i % 7) / 7);
    const evals = [evaluation(1234, 'deployed', 0.1), evaluation(3000, 'deployed', 0.2)];
    const data = chartData([run(spec, hacks, evals)], hackMetric, 0.9);
    expect(data.points.length).toBeLessThanOrEqual(POINT_LIMIT + 1);
    expect(data.points.filter((point) => point['route-update:deployed'] !== undefined).map((p) => p.x)).toEqual([
      1234, 3000,
    ]);
  });

  it('shows the null of the overlap where a chart has one', () => {
    const [spec] = specs(['none'], [41]);
    const overlap = METRICS.find((metric) => metric.id === 'cinTeacher')!;
    expect(chartData([run(spec, [0.1])], overlap, 0).nullLevel).toBeCloseTo(0.2, 12);
    expect(chartData([run(spec, [0.1])], hackMetric, 0).nullLevel).toBeNull();
  });
});
