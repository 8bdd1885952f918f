// Tests that a published file reads back to the last bit, and that equal runs give equal bytes.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { gunzipSync, gzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { EvalRow, StepRow } from '../../src/experiments/records/events.ts';
import type { FinishedRun } from '../../src/experiments/runs/finished.ts';
import { runKey } from '../../src/experiments/runs/key.ts';
import { evaluationMade, runMade } from '../../src/experiments/testing/statistics-runs.ts';
import { CounterRng, STREAMS } from '../../src/rng/index.ts';
import { fromColumns, packRuns, toColumns, unpackRuns } from './pack.ts';

const rng = CounterRng.of(1, STREAMS.signFlip);
const any = () => rng.normal() * 10 ** (rng.int(40) - 20);

function study(arm: 'none' | 'route-update', seed: number): FinishedRun {
  const record = runMade({ arm, seed, final: { deployed: [0.1, 0.2], random_V: [any(), null] } });
  const rows = record.rows.map((row, i): StepRow => {
    const controls: Record<string, number> = arm === 'none' ? {} : { no_gate: any(), random_V: any() };
    const more = { loss: any(), kl: null, cin: i === 1 ? null : any(), shadowNorms: controls, shadowCin: controls };
    return { ...row, ...more, ...(i === 2 ? { ratioMean: any(), flagged: null } : {}) };
  });
  const timings = rows.map(({ step }) => ({ step, phases: {}, total: 1.25, tokensPerSecond: 1 }));
  const control = {
    id: 'k24',
    kind: 'real',
    gate: 'one_sided',
    k: 24,
    mode: null,
    settings: { tauAxis: 0.3 },
  } as const;
  const row: EvalRow = { ...evaluationMade('k24', any(), any()), note: 'k = 30' };
  const replayed = arm === 'none' ? [] : [{ shadow: control, row }];
  return { key: runKey(record.spec), record: { ...record, rows, timings }, rerouted: replayed };
}

describe('published runs', () => {
  const runs = [study('route-update', 42), study('none', 41)];

  it('are unpacked unchanged, without their timings', () => {
    const read = unpackRuns(packRuns(runs), 'x');
    const sorted = [...runs].sort((a, b) => (a.key < b.key ? -1 : 1));
    expect(read).toEqual(
      sorted.map(({ key, record, rerouted: replayed }) => ({
        key,
        seconds: 7.5,
        record: { ...record, timings: [] },
        rerouted: replayed,
      })),
    );
    // toEqual treats undefined as absent; the text does not.
    expect(JSON.stringify(read.map(({ record }) => record.evals))).toBe(
      JSON.stringify(sorted.map(({ record }) => record.evals)),
    );
  });

  it('have bytes that depend only on the runs, and can also be read unzipped', () => {
    const bytes = packRuns(runs);
    expect(packRuns([...runs].reverse())).toEqual(bytes);
    expect(unpackRuns(gunzipSync(bytes), 'x')).toEqual(unpackRuns(bytes, 'x'));
  });

  it('refuse damaged files', () => {
    const bytes = packRuns(runs).slice(0, -20);
    expect(() => unpackRuns(bytes, 'q1.json.gz')).toThrow(FormatError);
    expect(() => unpackRuns(new TextEncoder().encode('{"format":"x","runs":[]}'), 'q1.json.gz')).toThrow(FormatError);
  });

  const file = (rows: object) =>
    new TextEncoder().encode(
      JSON.stringify({
        format: 'projected-grpo-lab study 1',
        runs: [{ key: 'k', spec: {}, about: {}, seconds: 1, rows, evals: {}, rerouted: { shadows: [], rows: {} } }],
      }),
    );

  it.each(['__proto__.polluted', 'constructor.prototype.polluted', 'a.__proto__.polluted', 'toString.polluted'])(
    'set only their own properties, whatever a column is called: %s',
    (path) => {
      const [run] = unpackRuns(file({ [path]: ['yes', 2] }), 'x');
      for (const base of [Object.prototype, Object, Array.prototype, Object.prototype.toString])
        expect(Object.hasOwn(base, 'polluted')).toBe(false);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      // The fields are the record's own, with Object as its prototype.
      expect(Object.getPrototypeOf(run.record.rows[1])).toBe(Object.prototype);
      expect(JSON.stringify(run.record.rows[1])).toContain('"polluted":"yes"');
    },
  );

  it.each([
    ['4,000,000,000 rows', { step: [1, 4e9] }, /a column of 4000000000 rows/],
    ['half a row', { step: [1, 1.5] }, /without its length/],
    ['−3 rows', { step: [1, -3] }, /a column of -3 rows/],
    ['columns of two lengths', { step: [1, 2], loss: [0, 1, 2, -1] }, /columns of 2 and of 3 rows/],
    [
      '1,000 constant columns of 100,000 rows',
      Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`c${i}`, [0, 100_000]])),
      /far more values than it has bytes/,
    ],
    ['a path of 9 names', { [Array(9).fill('a').join('.')]: [1, 2] }, /more than 8 names/],
    ['a value that holds values', { a: [1, 2], 'a.b': [1, 2] }, /a is a value and holds values/],
    ['a column that is no list', { a: 'abc' }, /no list/],
  ])('refuse %s before they are made', (_, rows, says) => {
    expect(() => unpackRuns(file(rows), 'q1.json.gz')).toThrow(FormatError);
    expect(() => unpackRuns(file(rows), 'q1.json.gz')).toThrow(says);
  });

  it('refuse a gzip file with far more contents than bytes, and 50,000 brackets', () => {
    expect(() => unpackRuns(gzipSync(new Uint8Array(4e7)), 'x')).toThrow(/damaged: it holds more than \d+ bytes/);
    const deep = `{"format":"projected-grpo-lab study 1","runs":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(() => unpackRuns(new TextEncoder().encode(deep), 'x')).toThrow(/65 deep or deeper, 64 are allowed/);
  });
});

describe('columns', () => {
  it('distinguish absent, null, empty, zero and constant values', () => {
    const records = [
      { a: null, b: { c: -0.5 }, d: {}, e: 0, same: 'x' },
      { a: 1, b: { c: 1e-300, f: 2 }, d: { g: 1 }, e: 0, same: 'x' },
      { b: { c: -1 }, e: 0, same: 'x' },
    ];
    expect(JSON.stringify(fromColumns(toColumns(records)).map((record) => sorted(record)))).toBe(
      JSON.stringify(records.map((record) => sorted(record))),
    );
    expect(fromColumns(toColumns([{ x: -1 }]))).toEqual([{ x: -1 }]);
    expect(fromColumns(toColumns([]))).toEqual([]);
  });
});

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([name, own]) => [name, sorted(own)]),
  );
}
