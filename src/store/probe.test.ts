// The Probe view's form and charts as data, against hand-made rows.
import { describe, expect, it } from 'vitest';
import type { ProbeReport, SampleRow, StepSummary } from '../experiments/probe/types.ts';
import type { ProbeAsk } from '../lab/protocol-probe.ts';
import { FormatError } from '../lib/errors.ts';
import { packJson } from '../share/pack.ts';
import { askOf, checkProbe, costOf, DEFAULT_FORM } from './probe.ts';
import {
  axisAround,
  bucketOf,
  moduleMap,
  modulesCsv,
  samplesCsv,
  scatter,
  stepLines,
  stepsCsv,
} from './probe-chart.ts';
import { commandOf } from './probe-command.ts';
import { probeInAddress, withProbe } from './probe-link.ts';

const row = (changes: Partial<SampleRow>): SampleRow => ({
  ...{
    step: 1,
    sample: 0,
    problem: 'sum#1@sentinel',
    completion: 'x',
    exploited: true,
    gt_pass: false,
    structural: true,
  },
  ...{ n_tokens: 30, nll: 0.5, cos_S_contrib: 1, cos_normalised: 0.2, cos_grpo: 1, cos_random: [0.1] },
  ...changes,
});
const step = (changes: Partial<StepSummary>): StepSummary => ({
  ...{ step: 1, problem: 'p', samples: 2, tokens: 60, lr: 0.03, nll: 0.5, cos: 0.25, cosIn: 0.4, cosOut: 0 },
  ...{ cosOutUpdate: 0.1, fired: 1, gradNorm: 2 },
  ...changes,
});

describe('the form', () => {
  it('asks for the usual probe when nothing was changed, and for what differs otherwise', () => {
    expect(askOf(DEFAULT_FORM)).toEqual({
      teacher: { kind: 'templates', correct: 3 },
      problems: 20,
      samples: 8,
      seed: 41,
      settings: {},
    });
    const fields = { ...DEFAULT_FORM.fields, k: '3', gate: 'no_gate', adapter: 'lora', lr: '0.003' };
    const form = { ...DEFAULT_FORM, teacher: 'abc', basis: 'file f00', fields };
    expect(askOf(form)).toMatchObject({
      teacher: { kind: 'pool', sha256: 'abc' },
      settings: { k: 3, gate: 'no_gate', adapter: 'lora', lr: 0.003, basisSource: 'file', basisFile: 'f00' },
    });
    expect(askOf({ ...DEFAULT_FORM, basis: 'set pairs:ab' }).settings).toEqual({ pairSet: 'pairs:ab' });
  });

  it('says what is wrong, and what it costs', () => {
    expect(checkProbe(DEFAULT_FORM)).toEqual({});
    const wrong = checkProbe({ ...DEFAULT_FORM, correct: 9, fields: { ...DEFAULT_FORM.fields, k: 'many' } });
    expect(Object.keys(wrong).sort()).toEqual(['correct', 'k']);
    // A stored pool's rows are what they are.
    expect(checkProbe({ ...DEFAULT_FORM, correct: 9, teacher: 'abc' })).toEqual({});
    expect(costOf(DEFAULT_FORM, null)).toMatchObject({ gradients: 2 * 160 + 6 * 24, seconds: null });
    expect(costOf(DEFAULT_FORM, 0.5).seconds).toBe(232);
  });

  it('has a command line for what the page does not train', () => {
    const ask = askOf({ ...DEFAULT_FORM, fields: { ...DEFAULT_FORM.fields, k: '3', adapter: 'lora', lr: '0.003' } });
    const usual = '--problems 20 --samples 8 --seed 41 --correct 3 --set k=3';
    expect(commandOf(ask, 'T5')).toBe(
      `npm run lab -- probe ${usual} --set adapter=lora --set lr=0.003 --trajectory 20`,
    );
    expect(commandOf(ask, 'T6')).toBe(`npm run lab -- probe ${usual} --lora --trajectory 20`);
    const file = askOf({ ...DEFAULT_FORM, teacher: 'abc', basis: 'file f00' });
    expect(commandOf(file, 'T5')).toContain('--pool POOL.jsonl.gz --basis BASIS.safetensors --trajectory');
    expect(commandOf(null, 'T6')).toBe('npm run lab -- probe --lora --trajectory 20');
  });
});

describe('the address', () => {
  it('carries the whole form there and back', async () => {
    const fields = { ...DEFAULT_FORM.fields, k: '3', gate: 'no_gate', adapter: 'lora', lr: '0.003' };
    for (const form of [
      DEFAULT_FORM,
      { ...DEFAULT_FORM, fields, problems: 4, correct: 2, basis: 'set nonhack' },
      { ...DEFAULT_FORM, teacher: 'a'.repeat(64), basis: 'file f00' },
    ]) {
      const href = await withProbe('https://lab.test/?x=1#v1.abc', askOf(form));
      expect(href).toMatch(/\?x=1&view=probe&probe=[\w-]+#v1\.abc$/);
      expect(await probeInAddress(new URL(href).search)).toEqual(form);
    }
    expect(await probeInAddress('?view=probe')).toBeNull();
  });

  it('is refused where it holds no probe', async () => {
    const ask = askOf(DEFAULT_FORM);
    const refused = async (packed: string) =>
      expect(probeInAddress(`?probe=${packed}`)).rejects.toBeInstanceOf(FormatError);
    await refused('%3Cscript%3E');
    await refused((await packJson(ask)).slice(0, -4));
    const changed = async (changes: object) => refused(await packJson({ ...ask, ...changes }));
    await changed({ problems: 0 });
    await changed({ teacher: { kind: 'templates', correct: 9 } });
    await changed({ settings: { k: 'many' } });
    await changed({ settings: { steps: 4 } });
    await changed({ teacher: { kind: 'pool', sha256: '../x' } } satisfies Partial<ProbeAsk>);
  });
});

describe('the charts', () => {
  const rows = [
    row({ cos_S_contrib: 1, modules: { 'layers.0.q_proj': 0.4, 'layers.1.q_proj': null } }),
    row({
      cos_S_contrib: 0.5,
      gt_pass: true,
      n_tokens: 40,
      modules: { 'layers.0.q_proj': -0.2, 'layers.1.q_proj': null },
    }),
    row({ cos_S_contrib: null, structural: false, modules: { 'layers.0.q_proj': null, 'layers.1.q_proj': null } }),
  ];

  it('put each sample in its bucket, and leave out those without a figure', () => {
    expect(rows.map(bucketOf)).toEqual(['pure', 'solves', 'none']);
    const { points, legend } = scatter(rows);
    expect(points.map(({ x, y, bucket }) => [x, y, bucket])).toEqual([
      [30, 1, 'pure'],
      [40, 0.5, 'solves'],
    ]);
    expect(legend.map(({ id, n }) => [id, n])).toEqual([
      ['pure', 1],
      ['solves', 1],
    ]);
    // Colour is never the only cue.
    expect(new Set(legend.map(({ style }) => style.marker)).size).toBe(2);
    expect(
      samplesCsv(rows)
        .trim()
        .split('\r\n')
        .map((line) => line.split(',').at(-1)),
    ).toEqual(['bucket', 'pure', 'solves', 'none']);
  });

  it('mean each module over the samples that have it', () => {
    const map = moduleMap(rows, 'all');
    expect(map?.columns).toEqual(['q_proj']);
    expect(map?.rows.map(({ label, cells }) => [label, cells[0]?.mean ?? null, cells[0]?.n])).toEqual([
      ['0', expect.closeTo(0.1, 12), 2],
      ['1', null, 0],
    ]);
    expect(moduleMap(rows, 'solves')?.most).toBe(0.2);
    expect(modulesCsv(map!).split('\r\n')[2]).toBe('layers.1.q_proj,,0');
    expect(moduleMap([row({})], 'all')).toBeNull();
  });

  it('draw both replays, and no point where a step has no cosine', () => {
    const report = { vanilla: [step({}), step({ step: 2, cos: null })], projected: [step({ cos: 0.5 })] };
    const lines = stepLines(report as Pick<ProbeReport, 'vanilla' | 'projected'>);
    expect(lines.map(({ id, n, points }) => [id, n, points])).toEqual([
      ['vanilla', 4, [{ x: 1, y: 0.25 }]],
      ['projected', 2, [{ x: 1, y: 0.5 }]],
    ]);
    expect(stepsCsv(report).split('\r\n')[2]).toBe('2,p,2,60,,0.4,0,0.1,1,0.5,2,,,,,,,');
  });

  it('have round axes that hold every value', () => {
    for (const values of [[0, 1.53, -0.35], [31, 50], [7], [0, 0], [0, 1e-4], [-3e5, 2e5]]) {
      const { low, high, ticks } = axisAround(values);
      expect(low).toBeLessThanOrEqual(Math.min(...values));
      expect(high).toBeGreaterThanOrEqual(Math.max(...values));
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(8);
      expect([ticks[0], ticks.at(-1)]).toEqual([low, high]);
    }
    expect(axisAround([-0.35, 1.53]).ticks).toEqual([-0.5, 0, 0.5, 1, 1.5, 2]);
  });
});
