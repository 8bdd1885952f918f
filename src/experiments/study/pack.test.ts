// What is published comes out as it went in, to the last bit; equal runs give equal bytes.
import { gunzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../lib/errors.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import type { EvalRow, StepRow } from '../events.ts';
import { evaluationMade, runMade } from '../testing/statistics-runs.ts';
import type { StudyRun } from './figures.ts';
import { runKey } from './key.ts';
import { fromColumns, packRuns, readIndex, toColumns, unpackRuns } from './pack.ts';

const rng = CounterRng.of(1, STREAMS.signFlip);
const any = () => rng.normal() * 10 ** (rng.int(40) - 20);

function study(arm: 'none' | 'route-update', seed: number): StudyRun {
  const record = runMade({ arm, seed, final: { deployed: [0.1, 0.2], random_V: [any(), null] } });
  const rows = record.rows.map((row, i): StepRow => {
    const shadows: Record<string, number> = arm === 'none' ? {} : { no_gate: any(), random_V: any() };
    const more = { loss: any(), kl: null, cin: i === 1 ? null : any(), shadowNorms: shadows, shadowCin: shadows };
    return { ...row, ...more, ...(i === 2 ? { ratioMean: any(), flagged: null } : {}) };
  });
  const timings = rows.map(({ step }) => ({ step, phases: {}, total: 1.25, tokensPerSecond: 1 }));
  const shadow = { id: 'k24', kind: 'real', gate: 'one_sided', k: 24, mode: null, settings: { tauAxis: 0.3 } } as const;
  const row: EvalRow = { ...evaluationMade('k24', any(), any()), note: 'k = 30' };
  const rerouted = arm === 'none' ? [] : [{ shadow, row }];
  return { key: runKey(record.spec), record: { ...record, rows, timings }, rerouted };
}

describe('published runs', () => {
  const runs = [study('route-update', 42), study('none', 41)];

  it('come out as they went in, without their timings', () => {
    const read = unpackRuns(packRuns(runs), 'x');
    const sorted = [...runs].sort((a, b) => (a.key < b.key ? -1 : 1));
    expect(read).toEqual(
      sorted.map(({ key, record, rerouted }) => ({ key, seconds: 7.5, record: { ...record, timings: [] }, rerouted })),
    );
    // toEqual takes undefined for absent; the text does not.
    expect(JSON.stringify(read.map(({ record }) => record.evals))).toBe(
      JSON.stringify(sorted.map(({ record }) => record.evals)),
    );
  });

  it('have bytes that depend on the runs alone, and are read unzipped too', () => {
    const bytes = packRuns(runs);
    expect(packRuns([...runs].reverse())).toEqual(bytes);
    expect(unpackRuns(gunzipSync(bytes), 'x')).toEqual(unpackRuns(bytes, 'x'));
  });

  it('refuse what is damaged', () => {
    const bytes = packRuns(runs).slice(0, -20);
    expect(() => unpackRuns(bytes, 'q1.json.gz')).toThrow(FormatError);
    expect(() => unpackRuns(new TextEncoder().encode('{"format":"x","runs":[]}'), 'q1.json.gz')).toThrow(FormatError);
    expect(() => readIndex('{"schema":2}')).toThrow(FormatError);
  });
});

describe('columns', () => {
  it('keep absent, null, empty, zero and constant apart', () => {
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
