import { describe, expect, it } from 'vitest';
import { describeFields } from '../../experiments/config/settings.ts';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import type { ExperimentSummary } from '../../lab/protocol/experiments.ts';
import type { ProbeRecord } from '../../lab/protocol/probe.ts';
import { changesBetween } from '../runs/spec-diff.ts';
import { filterInAddress, filterParams, type KeptFilter, listKept, NO_FILTER, nameOf, tagsOf } from './list.ts';

function summary(id: string, createdAt: number, more: Partial<ExperimentSummary> = {}): ExperimentSummary {
  return {
    schema: 1,
    id,
    spec: parseExperimentSpec({ preset: 'smoke' }),
    status: 'done',
    createdAt,
    updatedAt: createdAt,
    device: 'CPU',
    appVersion: '1',
    runIds: [],
    error: null,
    runsDone: 0,
    stepsDone: 0,
    stepsTotal: 0,
    ...more,
  } as ExperimentSummary;
}

const outcomes = (hack: number, solve: number) => [{ arm: 'erase', model: 'total', values: { hack, solve } }];

const erase = parseExperimentSpec({ preset: 'demo', arms: ['erase'], seeds: [7, 8], overrides: { lr: 0.02, k: 3 } });
const kept = [
  summary('a', 1, { name: 'zeta', tags: ['paper'], approxBytes: 10, updatedAt: 99, outcomes: outcomes(0.1, 0.4) }),
  summary('b', 2, { status: 'stopped', note: 'too hot', stepsTotal: 9 }),
  summary('c', 3, { spec: erase, tags: ['paper', 'old'], approxBytes: 90, outcomes: outcomes(0.5, 0.6) }),
];
const ids = (filter: Partial<KeptFilter>) =>
  listKept({ run: kept, probe: [] }, { ...NO_FILTER, ...filter })
    .map(({ entry }) => entry.id)
    .join('');

it('a filter is in the address, and unknown parts of an address are ignored', () => {
  const filter = { text: 'a b', kind: 'probe', status: 'done', tag: 'paper', order: 'size' } as const;
  const search = new URLSearchParams(filterParams(filter) as Record<string, string>);
  expect(filterInAddress(`?view=kept&${search}`)).toEqual(filter);
  expect(Object.values(filterParams(NO_FILTER))).toEqual(Array(5).fill(null));
  expect(filterInAddress('?kind=x&order=__proto__')).toEqual(NO_FILTER);
});

describe('the list of stored entries', () => {
  it('sorts', () => {
    expect(ids({})).toBe('cba');
    expect(ids({ order: 'oldest' })).toBe('abc');
    expect(ids({ order: 'changed' })).toBe('acb');
    expect(ids({ order: 'name' })).toBe('cba');
    expect(ids({ order: 'size' })).toBe('cab');
    // An entry without the figure is last, whichever direction is better.
    expect(ids({ order: 'hack' })).toBe('acb');
    expect(ids({ order: 'solve' })).toBe('cab');
    expect(ids({ order: 'steps' })).toBe('bca');
    expect(kept.map((entry) => nameOf({ kind: 'run', entry }))).toEqual(['zeta', 'smoke', 'demo']);
  });

  it('filters by words, status and tag at once', () => {
    expect(ids({ text: 'HOT' })).toBe('b');
    expect(ids({ text: 'erase seed 8' })).toBe('c');
    expect(ids({ text: 'erase seed 9' })).toBe('');
    expect(ids({ status: 'stopped' })).toBe('b');
    expect(ids({ tag: 'paper' })).toBe('ca');
    expect(ids({ tag: 'paper', text: 'zeta' })).toBe('a');
    expect(tagsOf({ run: kept, probe: [] })).toEqual(['old', 'paper']);
  });
});

describe('probes in the list', () => {
  const probe = {
    schema: 1,
    id: 'p',
    createdAt: 4,
    file: null,
    device: 'CPU (WASM SIMD)',
    done: 6,
    total: 6,
    tags: ['paper'],
    ask: { teacher: { kind: 'onnx' }, problems: 20, samples: 8, seed: 41, settings: { k: 3 } },
    report: { verdicts: [{ outcome: 'pass' }, { outcome: 'pass' }, { outcome: 'undecided' }] },
  } as unknown as ProbeRecord;
  const half = { ...probe, id: 'q', createdAt: 5, report: null, name: 'alpha', tags: [] };
  const both = (filter: Partial<KeptFilter>) =>
    listKept({ run: kept, probe: [probe, half] }, { ...NO_FILTER, ...filter })
      .map(({ entry }) => entry.id)
      .join('');

  it('are sorted, searched and filtered together with the runs', () => {
    expect(both({})).toBe('qpcba');
    expect(both({ kind: 'probe' })).toBe('qp');
    expect(both({ kind: 'run' })).toBe('cba');
    expect(both({ status: 'stopped' })).toBe('qb');
    expect(both({ tag: 'paper' })).toBe('pca');
    expect(both({ text: 'onnx 20 × 8 open' })).toBe('p');
    expect(both({ order: 'name' })).toBe('qcpba');
    expect(tagsOf({ run: kept, probe: [probe] })).toEqual(['old', 'paper']);
  });
  it('have their own name, or else a description of their request', () => {
    expect([probe, half].map((entry) => nameOf({ kind: 'probe', entry }))).toEqual([
      'ONNX teacher, 20 × 8, seed 41, k 3',
      'alpha',
    ]);
  });
});

describe('the changed settings', () => {
  it('show every setting under its own label, and explain an empty list', () => {
    const changed = parseExperimentSpec({
      preset: 'smoke',
      overrides: { poolModes: ['sentinel'], lossType: 'grpo', adapter: 'lora', refreshEvery: 2, teacherPool: 'ab' },
    });
    expect(changesBetween(kept[0], summary('d', 4, { spec: changed }))).toEqual([
      { label: 'Loss normalisation', before: 'dr_grpo', after: 'grpo' },
      { label: 'Teacher pool', before: 'none', after: 'ab' },
      { label: 'Teacher modes', before: 'all of the run’s', after: 'sentinel' },
      { label: 'Adapter', before: 'svd', after: 'lora' },
      { label: 'Refresh every', before: '0', after: '2' },
    ]);
    const labels = describeFields().map(({ label }) => label);
    expect(new Set([...labels, 'Preset', 'Arms', 'Seeds', 'Device', 'Lab version']).size).toBe(labels.length + 5);
  });

  it('name exactly the settings that differ, whether by preset or by hand', () => {
    expect(changesBetween(kept[0], kept[1])).toEqual([]);
    const changes = new Map(
      changesBetween(kept[0], kept[2]).map(({ label, before, after }) => [label, [before, after]]),
    );
    expect(changes.get('Preset')).toEqual(['smoke', 'demo']);
    expect(changes.get('Arms')).toEqual(['route (update), erase (update)', 'erase']);
    expect(changes.get('Learning rate')).toEqual(['0.03', '0.02']);
    expect(changes.get('Steps')).toEqual(['3', '60']);
    expect(changes.has('Teacher share')).toBe(false);
    expect(changes.has('Device')).toBe(false);
    expect(changes.has('Teacher modes')).toBe(false);
    const reverse = changesBetween(kept[2], kept[0]);
    expect(reverse.find(({ label }) => label === 'Preset')).toMatchObject({ before: 'demo', after: 'smoke' });
  });
});
