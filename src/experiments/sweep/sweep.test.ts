// Tests a sweep's file, its expansion to runs, its refusals, and successive halving as a function of results.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolveRun } from '../config/spec.ts';
import { runKey } from '../runs/key.ts';
import { idleOptions, planSweep, reachedRungs, runsToMake, type SweepPlan, sizeOf } from './plan.ts';
import { parseSweepSpec, readSweepText, SweepError, sweepJsonSchema } from './spec.ts';

const BASE = { preset: 'smoke', arm: 'none', seeds: [41, 42], metric: 'hack' } as const;
const plan = (more: object): SweepPlan => planSweep(parseSweepSpec({ ...BASE, ...more }));
const labels = ({ configurations }: SweepPlan) => configurations.map(({ label }) => label);
const refusal = (more: object): string => {
  try {
    plan(more);
  } catch (error) {
    expect(error).toBeInstanceOf(SweepError);
    const { message, remedy } = error as SweepError;
    return `${message} ${remedy}`;
  }
  throw new Error('nothing was refused');
};
const LR = { option: 'lr', values: [0.01, 0.03] };

describe('axes', () => {
  it('make a grid of lists and ranges, in their order', () => {
    const swept = plan({
      axes: [
        { option: 'lr', from: 0.001, to: 0.1, count: 3, scale: 'log' },
        { option: 'k', values: [2, 4] },
      ],
    });
    expect(labels(swept)).toEqual([
      'lr 0.001, k 2',
      'lr 0.001, k 4',
      'lr 0.01, k 2',
      'lr 0.01, k 4',
      'lr 0.1, k 2',
      'lr 0.1, k 4',
    ]);
    expect(sizeOf(swept).runs).toBe(12);
    expect(
      plan({ axes: [{ option: 'steps', from: 1, to: 4, count: 7 }] }).configurations.map(({ values }) => values.steps),
    ).toEqual([1, 2, 3, 4]);
  });

  it('give the same runs as the same options do elsewhere', () => {
    const [first] = plan({ axes: [LR] }).configurations;
    const spec = resolveRun(
      { schema: 1, preset: 'smoke', arms: ['none'], seeds: [41], overrides: { lr: 0.01 }, device: 'cpu' },
      'none',
      41,
    );
    expect(first.rungs[0][0]).toEqual({ key: runKey(spec), spec });
    expect(
      plan({ axes: [{ option: 'arm', values: ['none', 'erase'] }], arm: undefined }).configurations.map(
        ({ rungs }) => rungs[0][0].spec.projection,
      ),
    ).toEqual(['none', 'erase']);
  });

  it('are drawn by a counter: equal for equal seeds, and the first draws do not depend on the count', () => {
    const axes = [
      { option: 'lr', from: 1e-4, to: 1e-1, scale: 'log' },
      { option: 'k', values: [1, 2, 4] },
    ];
    const drawn = (count: number, seed = 7) => labels(plan({ axes, search: { kind: 'random', count, seed } }));
    expect(drawn(6)).toEqual(drawn(6));
    expect(drawn(12).slice(0, 6)).toEqual(drawn(6));
    expect(drawn(6, 8)).not.toEqual(drawn(6));
    for (const { values } of plan({ axes, search: { kind: 'random', count: 50 } }).configurations) {
      expect(values.lr).toBeGreaterThanOrEqual(1e-4);
      expect(values.lr).toBeLessThanOrEqual(1e-1);
    }
  });

  it('obey constraints, between axes and against options that no axis varies', () => {
    const axes = [
      { option: 'beta1', values: [0.1, 0.5, 0.9] },
      { option: 'beta2', values: [0.5, 0.9] },
    ];
    const constraints = [{ left: 'beta1', is: '<', right: { option: 'beta2' } }];
    expect(labels(plan({ axes, constraints }))).toEqual([
      'beta1 0.1, beta2 0.5',
      'beta1 0.1, beta2 0.9',
      'beta1 0.5, beta2 0.9',
    ]);
    const few = {
      axes: [{ option: 'beta1', values: [0.1, 0.5] }],
      constraints: [{ left: 'beta1', is: '<', right: { option: 'beta2' } }],
      overrides: { beta2: 0.4 },
    };
    expect(labels(plan(few))).toEqual(['beta1 0.1']);
    expect(refusal({ axes, constraints: [{ left: 'beta1', is: '>', right: 1 }] })).toContain('leave no configuration');
  });

  it('without effect give one run each', () => {
    const swept = plan({ axes: [{ option: 'checkpointEvery', values: [1, 2] }] });
    expect(sizeOf(swept)).toMatchObject({ runs: 2, shared: 2 });
    expect(runsToMake(swept, new Map(), new Set())).toHaveLength(2);
  });
});

describe('options of a sweep’s file without effect', () => {
  const STEPS = { option: 'steps', values: [2, 3] };
  it('are reported with every arm’s reason', () => {
    expect(idleOptions(plan({ arm: 'no_teacher', overrides: { mix: 0.25, lr: 0.02 }, axes: [STEPS] }))).toEqual([
      'mix = 0.25 changes nothing here: the arm no_teacher has its own, 0.',
    ]);
    const axes = [{ option: 'arm', values: ['no_teacher', 'no_teacher-route'] }, STEPS];
    expect(idleOptions(plan({ arm: undefined, overrides: { mix: 0.25 }, axes }))[0]).toMatch(
      /^mix = 0.25 .*no_teacher has its own, 0;/,
    );
    expect(idleOptions(plan({ axes: [{ option: 'loraRank', values: [2, 4] }] }))).toEqual([
      expect.stringMatching(/^The axis loraRank changes nothing: loraRank = 2 changes nothing here: /),
    ]);
  });

  it('are not reported if one configuration uses them, or an arm fixes the same value', () => {
    const arms = [{ option: 'arm', values: ['none', 'no_teacher'] }, STEPS];
    expect(idleOptions(plan({ arm: undefined, overrides: { mix: 0.25 }, axes: arms }))).toEqual([]);
    expect(idleOptions(plan({ arm: 'no_teacher', overrides: { mix: 0 }, axes: [STEPS] }))).toEqual([]);
    const adapters = [
      { option: 'adapter', values: ['svd', 'lora'] },
      { option: 'loraRank', values: [2, 4] },
    ];
    expect(idleOptions(plan({ axes: adapters }))).toEqual([]);
  });
});

describe('impossible runs are refused by name', () => {
  it.each([
    [
      {
        axes: [
          { option: 'lr', from: 0.1, to: 1, count: 1000 },
          { option: 'beta1', from: 0, to: 0.9, count: 1000 },
        ],
      },
      /1000000 points \(1000 × 1000\); 100000 are allowed.*random/,
    ],
    [{ axes: [LR, LR] }, /Two axes vary lr.*one axis/],
    [
      { axes: [{ option: 'learningrate', values: [1] }] },
      /axes.0.option: there is no option "learningrate".*--settings/,
    ],
    [{ axes: [{ option: 'betta1', values: [1] }] }, /did you mean beta1\?/],
    [{ axes: [LR], overrides: { lr: 0.1 } }, /lr is varied by an axis, and overrides sets it too/],
    [{ axes: [LR], overrides: { lrr: 0.1 } }, /overrides: there is no option "lrr"; did you mean lr/],
    [{ axes: [LR], seeds: [1, 1] }, /Seed 1 is given twice/],
    [{ axes: [{ option: 'lr', values: [-1] }] }, /lr -1: overrides.lr = -1 is not allowed/],
    [{ axes: [{ option: 'lr', from: 1, to: 0.1, count: 2 }] }, /goes from 1 to 0.1/],
    [{ axes: [{ option: 'lr', from: 0, to: 1, count: 2, scale: 'log' }] }, /logarithmic and begins at 0/],
    [{ axes: [{ option: 'lossType', from: 0, to: 1, count: 2 }] }, /is not a number/],
    [{ axes: [{ option: 'lr', from: 0.1, to: 1 }] }, /range without a count/],
    [{ axes: [LR], metric: 'beauty' }, /has no metric "beauty".*hack/],
    [{ axes: [LR], stop: { rule: 'mean', after: 1 } }, /stop.rule = "mean" is not allowed/],
    [{ axes: [LR], stop: { rule: 'median', after: 0 } }, /stop.after = 0 is not allowed/],
    [{ axes: [LR], stop: { rule: 'median' } }, /stop.after = nothing is not allowed/],
    [{ axes: [LR], stop: { rule: 'median', after: 1, grace: 2 } }, /stop.grace is no member of a sweep/],
    [
      { axes: [LR], overrides: { steps: 4 }, stop: { rule: 'median', after: 4 } },
      /looks after step 4, and a run has 4 steps/,
    ],
    [
      { axes: [LR], overrides: { steps: 4, checkpointEvery: 0 }, stop: { rule: 'median', after: 2 } },
      /needs checkpoints, and checkpointEvery is 0/,
    ],
    [
      { axes: [{ option: 'steps', values: [4, 8] }], stop: { rule: 'median', after: 2 } },
      /equally long, and an axis varies the steps/,
    ],
    [
      { axes: [LR], search: { kind: 'halving', firstSteps: 1 }, stop: { rule: 'median', after: 2 } },
      /halving and a stop rule both/,
    ],
    [{ axes: [LR], colour: 'red' }, /colour is no member of a sweep/],
    [{ axes: [{ option: 'lr', from: 1e-3, to: 1 }], search: { kind: 'random', count: 9000 } }, /18000 runs/],
    [{ axes: [{ option: 'k', values: [1, 2] }], search: { kind: 'random', count: 3 } }, /found 2 that differ/],
    // The message names the field, the value, the allowed values and the nearest name.
    [{ axes: [LR], seeds: [] }, /seeds = \[\] is not allowed.*at least 1 value\b/],
    [{ axes: [] }, /axes = \[\] is not allowed.*at least 1 value\b/],
    [{ axes: [{ option: 'lr', values: [] }] }, /axes.0.values = \[\] is not allowed.*at least 1 value\b/],
    [{ axes: [LR], seeds: ['41'] }, /seeds.0 = "41" is not allowed.*Give a number/],
    [{ axes: [LR], search: { kind: 'bayes' } }, /search.kind = "bayes".*one of grid, random, halving/],
    [{ axes: [LR], goal: 'maximise' }, /goal = "maximise".*one of higher, lower/],
    [{ axes: [LR], device: 'cuda' }, /device = "cuda".*one of auto, cpu, cpu-fused, webgpu/],
    [{ axes: [LR], preset: 'smok' }, /preset = "smok" is not allowed; did you mean smoke\?/],
    [{ axes: [{ option: 'lr', from: 'a', to: 1 }] }, /axes.0.from = "a".*Give a number/],
    [{ axes: [{ option: 'lr', values: [null] }] }, /axes.0.values.0 = null.*a number, or true or false, or a text/],
    [
      { axes: [LR], overrides: { environment: 'arithmetik' } },
      /no environment "arithmetik"; did you mean arithmetic\?/,
    ],
    [{ axes: [LR], metric: 'hak' }, /has no metric "hak"; did you mean hack\?/],
    [{ axes: [{ option: 'lr', values: [0.1, 0.1] }] }, /The axis lr has 0.1 twice/],
    [
      {
        axes: [
          {
            option: 'modes',
            values: [
              ['run_tests', 'sentinel'],
              ['sentinel', 'run_tests'],
            ],
          },
        ],
      },
      /The axis modes has sentinel\+run_tests twice/,
    ],
    [{ axes: [LR], search: { kind: 'halving', firstSteps: 1000 } }, /first rung has 1000 steps, and a whole run/],
  ])('%j', (more, expected) => {
    expect(refusal(more)).toMatch(expected);
  });
});

describe('successive halving', () => {
  const swept = plan({
    axes: [{ option: 'lr', from: 0.01, to: 0.09, count: 9 }],
    overrides: { steps: 9 },
    seeds: [41],
    search: { kind: 'halving', firstSteps: 1 },
    goal: 'higher',
  });
  const key = (i: number, rung: number) => swept.configurations[i].rungs[rung][0].key;
  const score = (...known: [i: number, rung: number, score: number | null][]) =>
    new Map(known.map(([i, rung, value]) => [key(i, rung), value]));

  it('gives each rung more steps and fewer configurations', () => {
    expect(swept.rungSteps).toEqual([1, 3, 9]);
    expect(swept.quota).toEqual([9, 3, 1]);
    expect(sizeOf(swept).runs).toBe(13);
  });

  it('lets a configuration continue as soon as no missing result could exclude it', () => {
    const eight = Array.from({ length: 8 }, (_, i): [number, number, number] => [i, 0, i / 10]);
    // One result is missing and may be among the best three, so only two are certain.
    expect(reachedRungs(swept, score(...eight), new Set())[1]).toEqual([6, 7]);
    expect(reachedRungs(swept, score(...eight.slice(0, 6)), new Set())[1]).toEqual([]);
    expect(reachedRungs(swept, score(...eight, [8, 0, -1]), new Set())[1]).toEqual([5, 6, 7]);
  });

  it('gives the same runs for any order of results', () => {
    const value = (i: number, rung: number) => ((i * 7 + rung * 3) % 9) / 9;
    const orders = [
      (keys: string[]) => keys[0],
      (keys: string[]) => keys[keys.length - 1],
      (keys: string[]) => keys[keys.length >> 1],
    ];
    const made = orders.map((pick) => {
      const scores = new Map<string, number | null>();
      for (;;) {
        const open = runsToMake(swept, scores, new Set())
          .map((run) => run.key)
          .filter((other) => !scores.has(other));
        if (open.length === 0) return [...scores.keys()].sort();
        const next = pick(open);
        const i = swept.configurations.findIndex(({ rungs }) => rungs.some(([run]) => run.key === next));
        const rung = swept.configurations[i].rungs.findIndex(([run]) => run.key === next);
        scores.set(next, value(i, rung));
      }
    });
    expect(made[0]).toHaveLength(13);
    expect(made[1]).toEqual(made[0]);
    expect(made[2]).toEqual(made[0]);
  });

  it('continues without configurations that failed, and takes one without a value if there is room', () => {
    const failed = new Set(Array.from({ length: 7 }, (_, i) => key(i, 0)));
    const two = score([7, 0, null], [8, 0, 0.2]);
    expect(reachedRungs(swept, two, failed)).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8], [7, 8], []]);
    expect(reachedRungs(swept, new Map([...two, ...score([7, 1, 0.5], [8, 1, 0.4])]), failed)[2]).toEqual([7]);
  });
});

it('a file with a repeated member is refused by its name and line; a folder’s own file is still read', () => {
  const text = JSON.stringify({ ...BASE, axes: [LR] }, null, 1);
  const twice = text.replace('"metric"', '"seeds": [43],\n "metric"');
  expect(() => readSweepText(twice, 'x.json')).toThrow('x.json has "seeds" twice in one object (line 8).');
  expect(readSweepText(twice, 'x.json', true).seeds).toEqual([43]);
  expect(() => readSweepText('{', 'x.json')).toThrow(/x.json is not JSON/);
  const values = { ...BASE, axes: [{ option: 'lr', values: [0.1, 0.1] }] };
  expect(planSweep(parseSweepSpec(values, true)).configurations).toHaveLength(1);
});

it('the published schema for editors equals the checked one', () => {
  const file = new URL('../../../docs/sweep.schema.json', import.meta.url);
  const again = 'npm run -s lab -- sweep schema > docs/sweep.schema.json';
  expect(JSON.parse(readFileSync(file, 'utf8')), again).toEqual(JSON.parse(JSON.stringify(sweepJsonSchema())));
});
