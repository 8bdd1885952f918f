// Tests the median rule: its verdicts, that they do not depend on the order of interim values, and the report's text on it.
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../records/events.ts';
import { evaluationMade, runMade } from '../testing/statistics-runs.ts';
import { planSweep, type SweepPlan } from './plan.ts';
import { reportOf } from './report.ts';
import { ranked, reportMarkdown } from './report-text.ts';
import { parseSweepSpec } from './spec.ts';
import { cutRecord, heldRuns, interimValue, savedSteps, stoppedRuns, verdictsOf } from './stop.ts';

const LR = [0.001, 0.003, 0.01, 0.03, 0.1];
const planOf = (more: object = {}): SweepPlan =>
  planSweep(
    parseSweepSpec({
      preset: 'smoke',
      arm: 'none',
      overrides: { steps: 20 },
      axes: [{ option: 'lr', values: LR }],
      seeds: [41],
      metric: 'solve',
      stop: { rule: 'median', after: 5 },
      ...more,
    }),
  );
const NONE: ReadonlySet<string> = new Set();

/** Interim values by configuration, one per seed; undefined is missing. */
function interimOf(plan: SweepPlan, values: readonly (readonly (number | null | undefined)[])[]) {
  const interim = new Map<string, number | null>();
  for (const [i, bySeed] of values.entries())
    for (const [seed, value] of bySeed.entries())
      if (value !== undefined) interim.set(plan.configurations[i].rungs[0][seed].key, value);
  return interim;
}
/** Verdicts as letters: continuing (o), stopped (s), open (?). */
const lettersOf = (plan: SweepPlan, values: readonly (readonly (number | null | undefined)[])[], failed = NONE) =>
  verdictsOf(plan, interimOf(plan, values), failed)
    .map((verdict) => (typeof verdict === 'object' ? 's' : verdict[1] === 'n' ? 'o' : '?'))
    .join('');

describe('a verdict', () => {
  it.each<[string, readonly (number | null | undefined)[], string, object?]>([
    ['lets what is at the median go on', [0.1, 0.2, 0.3, 0.4, 0.5], 'ssooo'],
    ['stops nothing where all are alike', [0.3, 0.3, 0.3, 0.3, 0.3], 'ooooo'],
    ['takes the middle of two', [0.1, 0.2, 0.3, 0.4], 'ssoo', { axes: [{ option: 'lr', values: LR.slice(1) }] }],
    ['follows the metric’s direction', [0.1, 0.2, 0.3, 0.4, 0.5], 'oooss', { metric: 'hack' }],
    ['takes what has no figure as worst', [null, 0.2, 0.3, 0.4, 0.5], 'ssooo'],
    ['stops nothing for a median without a figure', [null, null, null, 0.4, 0.5], 'ooooo'],
    ['has none while nothing is known', [undefined, undefined, undefined, undefined, undefined], '?????'],
    ['waits while a missing value could change it', [0.1, 0.5, undefined, undefined, undefined], '?????'],
    ['is given as soon as none could', [0.1, 0.2, 0.5, undefined, undefined], '??o??'],
    ['is given below the median too', [0.1, 0.2, 0.4, 0.5, undefined], 's?oo?'],
    ['of one configuration is that it goes on', [0], 'o', { axes: [{ option: 'lr', values: [0.1] }] }],
  ])('%s', (_, values, letters, more) => {
    expect(
      lettersOf(
        planOf(more),
        values.map((value) => [value]),
      ),
    ).toBe(letters);
  });

  it('belongs to a configuration by its mean over seeds, and is open while one is missing', () => {
    const plan = planOf({ seeds: [41, 42], axes: [{ option: 'lr', values: LR.slice(0, 3) }] });
    const [first, second] = [
      [0.1, 0.9],
      [0.3, 0.3],
    ];
    expect(lettersOf(plan, [first, second, [0.4, 0.4]])).toBe('oso');
    expect(lettersOf(plan, [first, second, [0.4, undefined]])).toBe('o??');
    const verdicts = verdictsOf(plan, interimOf(plan, [first, second, [0.4, 0.4]]), NONE);
    expect(verdicts[1]).toEqual({ step: 5, interim: 0.3, median: 0.4 });
    expect(stoppedRuns(plan, verdicts).size).toBe(2);
  });

  it('leaves out a configuration whose run was set aside earlier, which continues as without a rule', () => {
    const plan = planOf();
    const failed = new Set([plan.configurations[4].rungs[0][0].key]);
    expect(lettersOf(plan, [[0.1], [0.2], [0.3], [0.4], [undefined]], failed)).toBe('ssooo');
    // A run that failed after its interim value still counts.
    expect(lettersOf(plan, [[0.1], [0.2], [0.3], [0.4], [0.25]], failed)).toBe('ssooo');
  });

  it('never changes, for any order of results, and a run waits only while it is open', () => {
    const figures = [0.4, null, 0.2, 0.4, 0.7];
    const plan = planOf();
    const orders = (rest: number[]): number[][] =>
      rest.length === 0
        ? [[]]
        : rest.flatMap((one) => orders(rest.filter((other) => other !== one)).map((tail) => [one, ...tail]));
    const end = lettersOf(
      plan,
      figures.map((value) => [value]),
    );
    expect(end).toBe('ossoo');
    for (const order of orders([0, 1, 2, 3, 4]))
      for (let n = 1; n <= 5; n++) {
        const values = figures.map((value, i) => [order.slice(0, n).includes(i) ? value : undefined]);
        const letters = lettersOf(plan, values);
        for (const [i, letter] of [...letters].entries()) expect(['?', end[i]]).toContain(letter);
        const interim = interimOf(plan, values);
        const held = heldRuns(plan, verdictsOf(plan, interim, NONE), interim);
        // A held run waits for a run without a result yet.
        if (held.size > 0) expect(interim.size).toBeLessThan(figures.length);
      }
  });
});

it('an interim value is the mean over the last ten steps up to the rule’s that have a value', () => {
  const plan = planOf({ stop: { rule: 'median', after: 12 } });
  const run = runMade({ overrides: { steps: 20 } });
  for (const [i, { student }] of run.rows.entries()) student.figures.solve = i;
  expect(interimValue(run, plan)).toBe((2 + 11) / 2);
  run.rows[11].student.figures.solve = null as never;
  expect(interimValue(run, plan)).toBe((2 + 10) / 2);
  for (const { student } of run.rows) delete student.figures.solve;
  expect(interimValue(run, plan)).toBeNull();
});

it('the record stored at the rule’s step is the same for a run that continued', () => {
  const plan = planOf();
  const whole = runMade({ overrides: { steps: 20 } });
  const part = { ...whole, rows: whole.rows.slice(0, 5), evals: whole.evals.filter(({ kind }) => kind === 'during') };
  expect(cutRecord(whole, plan)).toEqual(cutRecord(part, plan));
  expect(cutRecord(whole, plan)).toMatchObject({ status: 'stopped', evals: [] });
});

it('saves at most the remaining steps of half of the configurations', () => {
  expect(savedSteps(planOf())).toEqual({ most: 2 * 15, all: 100 });
  expect(savedSteps(planOf({ seeds: [41, 42, 43] }))).toEqual({ most: 2 * 3 * 15, all: 300 });
});

describe('a report', () => {
  const plan = planOf();
  const runs = new Map<string, RunRecord>(
    plan.configurations.slice(2).map(({ rungs: [[{ key, spec }]] }, i) => [
      key,
      // The worst final result among those that continued is below a stopped one's interim value.
      { ...runMade({}), spec, evals: [evaluationMade('total', 0, 0.05 + 0.1 * i)] },
    ]),
  );
  const interim = interimOf(plan, [[0.1], [0.2], [0.3], [0.4], [0.5]]);
  const report = reportOf(plan, runs, NONE, interim);

  it('counts stopped configurations as done and ranks them below all that continued', () => {
    expect([report.done, report.planned]).toEqual([5, 5]);
    expect(ranked(report).map(({ label }) => label)).toEqual(['lr 0.1', 'lr 0.03', 'lr 0.01', 'lr 0.001', 'lr 0.003']);
    expect(report.best?.row.label).toBe('lr 0.1');
    expect(report.best?.again).not.toHaveProperty('stop');
  });

  it('states the rule, that it predates the runs, how many were stopped, and why', () => {
    const text = reportMarkdown(report, [], 'again');
    expect(text).toMatch(
      /has a stop rule, and had it before the first run.*its solve in training, the mean of steps 1/,
    );
    expect(text).toContain('2 of 5 configurations were stopped so');
    expect(text).toContain('| lr 0.001 | stopped early at step 5: interim 0.1, median 0.3 | 0 |');
    expect(text).not.toMatch(/lack a seed/);
  });

  it('also treats a run that ended before its verdict as stopped', () => {
    const [{ key, spec }] = plan.configurations[0].rungs[0];
    const more = new Map([...runs, [key, { ...runMade({}), spec, evals: [evaluationMade('total', 0, 1)] }]]);
    expect(reportOf(plan, more, NONE, interim)).toEqual(report);
  });

  it('does not mention a rule if the sweep has none', () => {
    const { stop: _, ...spec } = plan.spec;
    const plain = reportOf(planSweep(spec), runs, NONE);
    expect(JSON.stringify(plain)).not.toMatch(/stop/);
  });
});
