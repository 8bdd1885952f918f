import { describe, expect, it } from 'vitest';
import { ARM_NAMES, ARMS, type Arm } from '../../experiments/config/arms.ts';
import { isOffered } from '../../experiments/config/preset-in.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { EvalRow, RunRecord, StepRow } from '../../experiments/records/events.ts';
import type { Rates } from '../../experiments/records/metrics.ts';
import { armStyle } from '../runs/arm-style.ts';
import { chartData, legendOf, POINT_LIMIT, pointAt, runAt, stepsAt } from './data.ts';
import { chartCsv } from './download.ts';
import { metricGroups, metricsFor } from './metrics.ts';
import { chartSet, extent } from './set.ts';

const METRIC_GROUPS = metricGroups('one-line-python');
const METRICS = METRIC_GROUPS.flatMap(({ metrics }) => metrics);
const hackMetric = METRICS.find((metric) => metric.id === 'hack')!;
const rates = (hack: number | null): Rates => ({ n: 8, figures: { hack, solve: null, structural: null } });
const row = (step: number, hack: number | null) => ({ step, student: rates(hack), cinNull: 0.2 }) as StepRow;
const evaluation = (step: number, model: string, hack: number, kind: 'during' | 'final' = 'during') =>
  ({ step, model, kind, all: rates(hack) }) as EvalRow;

function run(spec: RunSpec, hacks: (number | null)[], evals: EvalRow[] = []): RunRecord {
  return { id: `${spec.arm}-${spec.seed}`, spec, rows: hacks.map((hack, i) => row(i + 1, hack)), evals } as RunRecord;
}
const specs = (arms: string[], seeds: number[]) => resolveRuns(parseExperimentSpec({ preset: 'demo', arms, seeds }));

describe('chartData', () => {
  it('draws a single seed raw and smoothed', () => {
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
    // The second seed has not reached this step, so the mean is over the first one only.
    expect(data.points[1].none).toBeCloseTo(0.4, 12);
  });

  it('shows the deployed model, evaluated during the run, beside the model in training', () => {
    const [spec] = specs(['route-update'], [41]);
    const evals = [evaluation(0, 'deployed', 0.02), evaluation(2, 'deployed', 0.1), evaluation(2, 'total', 0.7)];
    const final = evaluation(2, 'deployed', 0.9, 'final');
    const data = chartData([run(spec, [0.1, 0.5], [...evals, final])], hackMetric, 0);
    const deployed = data.points.flatMap((point) => point['route-update:deployed'] ?? []);
    expect(deployed).toEqual([0.02, 0.1]);
    expect(data.baseLevel).toBe(0.02);
  });

  it('shows the untrained base at the same level as headline and table, as soon as the final evaluation exists', () => {
    const [spec] = specs(['route-update'], [41]);
    const during = [evaluation(0, 'base', 0.375), evaluation(2, 'deployed', 0.1)];
    const ended = [...during, evaluation(0, 'base', 0.5, 'final'), evaluation(2, 'deployed', 0.9, 'final')];
    expect(chartData([run(spec, [0.1], during)], hackMetric, 0).baseLevel).toBe(0.375);
    expect(chartData([run(spec, [0.1], ended)], hackMetric, 0).baseLevel).toBe(0.5);
  });

  it('shows a metric that training rollouts do not measure by its evaluations during training', () => {
    const characters = metricGroups('characters').flatMap(({ metrics }) => metrics);
    const own = (id: string) => characters.find((metric) => metric.id === id)!;
    const [rl, documents] = resolveRuns(
      parseExperimentSpec({ preset: 'demo', arms: ['none', 'sdf'], overrides: { environment: 'characters' } }),
    );
    const row = (step: number, taught: number | null) =>
      ({ step, student: { n: taught === null ? 0 : 8, figures: { taught } } }) as unknown as StepRow;
    const evals = [10, 20].map(
      (step, i) =>
        ({
          step,
          model: 'total',
          kind: 'during',
          all: { n: 8, figures: { taught: i / 4, others: i / 2 } },
        }) as unknown as EvalRow,
    );
    const runs = [
      { id: 'rl', spec: rl, rows: [row(10, 0.5), row(20, 0.5)], evals },
      { id: 'sdf', spec: documents, rows: [row(10, null), row(20, null)], evals },
    ] as RunRecord[];
    const drawn = (id: string, arm: string) =>
      chartData(runs, own(id), 0).points.flatMap((point) =>
        typeof point[arm] === 'number' ? [[point.x, point[arm]]] : [],
      );
    // Only A is asked during training.
    for (const arm of ['none', 'sdf'])
      expect(drawn('others', arm)).toEqual([
        [10, 0],
        [20, 0.5],
      ]);
    expect(drawn('taught', 'none')).toEqual([
      [10, 0.5],
      [20, 0.5],
    ]);
    expect(drawn('taught', 'sdf')).toEqual([
      [10, 0],
      [20, 0.25],
    ]);
    expect(chartData(runs, own('taught'), 0).latest).toEqual({ none: 0.5, sdf: 0.25 });
  });

  it('lets route/update represent vanilla only if vanilla is absent', () => {
    const alone = specs(['route-update'], [41]).map((spec) => run(spec, [0.1]));
    const both = specs(['none', 'route-update'], [41]).map((spec) => run(spec, [0.1]));
    expect(legendOf(alone)[0].label).toMatch(/^vanilla/);
    expect(legendOf(both).map((entry) => entry.label)).toEqual([
      'vanilla',
      'route (update), in training',
      'routed, quarantine removed',
    ]);
  });

  it('gives no two lines of an experiment the same look, and every chart the same looks as the legend', () => {
    // Arms of two blocks train another adapter, while all arms of an experiment train the same one.
    const arms = ARM_NAMES.filter(
      (arm) => isOffered('one-line-python', arm) && (ARMS[arm] as Arm).settings.adapter !== 'blocks',
    );
    const runs = resolveRuns(parseExperimentSpec({ preset: 'demo', arms, seeds: [41] })).map((spec) =>
      run(spec, [0.1], [evaluation(1, 'deployed', 0.1)]),
    );
    const legend = legendOf(runs);
    const looks = legend.map(({ style: { color, dash, marker } }) => `${color} ${dash} ${marker}`);
    expect(legend.length).toBeGreaterThan(30);
    expect(looks.filter((look, i) => looks.indexOf(look) !== i)).toEqual([]);
    const style = new Map(legend.map((entry) => [entry.id, entry.style]));
    for (const line of chartData(runs, hackMetric, 0.5).lines) expect(line.style).toEqual(style.get(line.legend));
    // The deployed model has the arm's own look, whatever else is drawn.
    expect(style.get('route:deployed')).toEqual(armStyle('route'));
    expect(legend.filter(({ label }) => label.includes('uses oracle'))).toHaveLength(4);
  });

  it('leaves a gap where a step had nothing to measure', () => {
    const [spec] = specs(['none'], [41]);
    const data = chartData([run(spec, [0.5, null, 0.5])], hackMetric, 0.5);
    expect(data.points[1].none).toBeNull();
    expect(data.latest.none).toBeCloseTo(0.5, 12);
  });

  it('respects the limit of points and preserves every evaluation', () => {
    const [spec] = specs(['route-update'], [41]);
    const hacks = Array.from({ length: 3000 }, (_, i) => (i % 7) / 7);
    const evals = [evaluation(1234, 'deployed', 0.1), evaluation(3000, 'deployed', 0.2)];
    const data = chartData([run(spec, hacks, evals)], hackMetric, 0.9);
    expect(data.points.length).toBeLessThanOrEqual(POINT_LIMIT + 1);
    expect(data.points.filter((point) => point['route-update:deployed'] !== undefined).map((p) => p.x)).toEqual([
      1234, 3000,
    ]);
  });

  it('shows the null level of the overlap if a chart has one', () => {
    const [spec] = specs(['none'], [41]);
    const overlap = METRICS.find((metric) => metric.id === 'cinTeacher')!;
    expect(chartData([run(spec, [0.1])], overlap, 0).nullLevel).toBeCloseTo(0.2, 12);
    expect(chartData([run(spec, [0.1])], hackMetric, 0).nullLevel).toBeNull();
  });

  it('draws the seeds’ band, the mean’s 95% t interval, if three or more seeds are available', () => {
    const [a, b, c] = specs(['none'], [41, 42, 43]);
    const data = chartData([run(a, [0.2, 0.4]), run(b, [0.6, 0.4]), run(c, [0.4])], hackMetric, 0);
    const [low, high] = data.lines.find((line) => line.kind === 'main')!.band!;
    // The factor is Student's t (97.5%, two degrees of freedom); the sample sd of .2, .4 and .6 is .2. The interval is computed on the
    // logit scale, as for all shares: on the plain scale it would begin below 0.
    const half = (4.302652729911275 * 0.2) / Math.sqrt(3) / (0.4 * 0.6);
    const [from, to] = [-1, 1].map((side) => 1 / (1 + Math.exp(-(Math.log(0.4 / 0.6) + side * half))));
    expect(data.points[0][low]).toBeCloseTo(from, 9);
    expect(data.points[0][high]).toBeCloseTo(to, 9);
    expect(data.points[1][low]).toBeUndefined();
    const two = chartData([run(a, [0.2]), run(b, [0.6])], hackMetric, 0);
    expect(two.lines.every((line) => line.band === null)).toBe(true);
    expect(chartData([run(a, [0.2])], hackMetric, 0).lines.every((line) => line.band === null)).toBe(true);
  });

  it('omits arms without values from a chart', () => {
    const norm = METRICS.find((metric) => metric.id === 'normDeltaSHack')!;
    const runs = specs(['none', 'route'], [41]).map((spec) => run(spec, [0.1, 0.2]));
    for (const row of runs.flatMap((item) => item.rows)) row.normDeltaSHack = 1;
    expect(chartData(runs, norm, 0).lines.map((line) => line.key)).toEqual(['route']);
    const adapter = METRIC_GROUPS.find((group) => group.id === 'adapter')!;
    expect(metricsFor(runs, adapter).map((metric) => metric.id)).not.toContain('kl');
    expect(metricsFor(runs.slice(0, 1), adapter).map((metric) => metric.id)).not.toContain('normDeltaSHack');
  });

  it('draws no zero on a logarithmic axis', () => {
    const norm = METRICS.find((metric) => metric.id === 'gradNorm')!;
    const [spec] = specs(['none'], [41]);
    const item = run(spec, [null, null, null]);
    item.rows.forEach((row, i) => {
      row.gradNorm = [0, 0.003, 0.2][i];
    });
    const set = chartSet([item], 0, 'step', 3);
    expect(set.data(norm, true).points.map((point) => point.none)).toEqual([null, 0.003, 0.2]);
    expect(set.ticks(norm, true)).toEqual([0.001, 0.01, 0.1, 1]);
    expect(set.ticks(norm, false)).toEqual([0, 0.05, 0.1, 0.15, 0.2]);
    for (const row of item.rows) row.gradNorm = 0;
    expect(chartSet([item], 0, 'step', 3).ticks(norm, true)).toBeNull();
    expect(set.dips(norm)).toBe(false);
    item.rows[1].gradNorm = -0.1;
    expect(chartSet([item], 0, 'step', 3).dips(norm)).toBe(true);
  });

  it('fits shares from 0, with hack and solve on one scale, and shows the whole range if most of it is used', () => {
    const metric = (id: string) => METRICS.find((one) => one.id === id)!;
    const low = specs(['none', 'erase'], [41]).map((spec) => run(spec, [0.02, 0.03, 0.05]));
    const set = chartSet(low, 0, 'step', 3);
    const ticks = set.ticks(metric('hack'), false)!;
    expect(ticks[0]).toBe(0);
    expect(ticks).toEqual(set.ticks(metric('solve'), false));
    const highest = Math.max(...['hack', 'solve'].map((id) => extent(set.data(metric(id), false)).high));
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest);
    expect(ticks.at(-1)).toBeLessThan(1);
    const high = specs(['none'], [41]).map((spec) => run(spec, [0.1, 0.95]));
    expect(chartSet(high, 0, 'step', 3).ticks(metric('hack'), false)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  });

  it('moves ends and ticks when zoomed but preserves the data, and hidden lines do not affect the others', () => {
    const hack = METRICS.find((metric) => metric.id === 'hack')!;
    const runs = specs(['none', 'erase'], [41]).map((spec) => run(spec, [0.1, 0.2, 0.3]));
    const whole = chartSet(runs, 0, 'step', 40);
    expect(whole.along(hack)).toEqual({ ticks: [0, 10, 20, 30, 40], start: 0, end: 40, whole: 40, final: null });
    const part = chartSet(runs, 0, 'step', 40, { zoom: [0.25, 0.5], hidden: new Set(['none']) });
    expect(part.along(hack)).toEqual({ ticks: [10, 12, 14, 16, 18, 20], start: 10, end: 20, whole: 40, final: null });
    expect(part.data(hack, false).points).toEqual(whole.data(hack, false).points);
    expect(part.legend.map(({ id }) => id)).toEqual(['erase']);
    const styleOf = (set: typeof whole) => set.data(hack, false).lines.find(({ legend }) => legend === 'erase')?.style;
    expect(styleOf(part)).toEqual(styleOf(whole));
    expect(part.data(hack, false).lines.every(({ legend }) => legend === 'erase')).toBe(true);
  });
});

/** A run whose every step sampled `tokens` tokens and took `seconds` seconds. */
function spent(spec: RunSpec, hacks: number[], tokens: number, seconds: number): RunRecord {
  const item = run(spec, hacks);
  for (const entry of item.rows) entry.rolloutTokens = tokens;
  item.timings = item.rows.map(({ step }) => ({ step, phases: {}, total: seconds, tokensPerSecond: 1 }));
  return item;
}

describe('the other axes', () => {
  it('sums tokens and seconds, as the mean over the seeds that have reached the step', () => {
    const [a, b] = specs(['none'], [41, 42]);
    const runs = [spent(a, [0.1, 0.2, 0.3], 100, 2), spent(b, [0.3, 0.4], 300, 4)];
    const at = (x: 'tokens' | 'time') => chartData(runs, hackMetric, 0, { x }).points.map((point) => point.x);
    expect(at('tokens')).toEqual([200, 400, 500]);
    expect(at('time')).toEqual([3, 6, 8]);
  });

  it('preserves every arm when many steps are thinned', () => {
    const hacks = Array.from({ length: 2000 }, (_, i) => (i % 5) / 5);
    const [a, b] = specs(['none', 'erase'], [41]);
    const data = chartData([spent(a, hacks, 100, 1), spent(b, hacks, 101, 1)], hackMetric, 0, { x: 'tokens' });
    expect(data.points.length).toBeLessThanOrEqual(POINT_LIMIT);
    for (const arm of ['none', 'erase']) {
      expect(data.points.filter((point) => typeof point[arm] === 'number')).toHaveLength(POINT_LIMIT / 2);
    }
  });
});

describe('pointing at a chart', () => {
  const [none, erase] = specs(['none', 'erase'], [41]);
  const runs = [spent(none, [0.1, 0.9], 100, 1), spent(erase, [0.2, 0.3], 130, 1)];

  it('finds the run with the nearest line, and its step, on any axis', () => {
    const data = chartData(runs, hackMetric, 0);
    expect(runAt(data, 2, (y) => Math.abs(y - 0.8))).toMatchObject({ runId: runs[0].id, step: 2 });
    expect(runAt(data, 2, (y) => Math.abs(y - 0.1))).toMatchObject({ runId: runs[1].id, step: 2 });
    const byTokens = chartData(runs, hackMetric, 0, { x: 'tokens' });
    expect(stepsAt(byTokens, 190).map(({ step }) => step)).toEqual([2, 1]);
    expect(runAt(chartData([], hackMetric, 0), 1, Math.abs)).toBeNull();
  });

  it('reads a line at its last point before the cursor', () => {
    const byTokens = chartData(runs, hackMetric, 0, { x: 'tokens' });
    expect(pointAt(byTokens, 'none', 130)?.x).toBe(100);
    expect(pointAt(byTokens, 'erase', 100)).toBeNull();
  });
});

describe('chartCsv', () => {
  it('contains exactly the drawn data', () => {
    const [a, b, c] = specs(['none'], [41, 42, 43]);
    const runs = [run(a, [0.25, 0.5]), run(b, [0.75, 0.5]), run(c, [0.5, 0.5])];
    const csv = chartCsv(chartData(runs, hackMetric, 0), legendOf(runs), 'step')
      .trimEnd()
      .split('\r\n');
    expect(csv[0]).toBe(
      'step,"vanilla, seed 41 smoothed","vanilla, seed 42 smoothed","vanilla, seed 43 smoothed","vanilla, mean of 3","vanilla, mean of 3, 95% from","vanilla, mean of 3, 95% to"',
    );
    expect(csv).toHaveLength(3);
    expect(csv[2]).toBe('2,0.5,0.5,0.5,0.5,0.5,0.5');
  });
});
