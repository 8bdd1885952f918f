import { describe, expect, it } from 'vitest';
import type { ComparedGroup } from '../../experiments/analysis/compare-runs.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { armStyle } from '../runs/arm-style.ts';
import type { ChartData, LegendEntry } from './data.ts';
import { SPINE_METRICS } from './metrics.ts';
import { pinnedLines, withPinned } from './pinned.ts';

const figures = (hack: number) => ({ n: 1, figures: { hack, solve: 1 - hack } });
const group = (id: string, model: ComparedGroup['model'], hacks: number[]): ComparedGroup => ({
  id,
  label: id,
  arm: 'erase',
  model,
  isVanilla: false,
  seeds: [41],
  runs: [
    {
      id: `${id}/erase/41`,
      spec: { arm: 'erase', seed: 41 },
      rows: hacks.map((hack, i) => ({ step: i + 1, student: figures(hack) })),
      evals: [{ step: 4, kind: 'during', model: 'deployed', all: figures(0.05) }],
    } as unknown as RunRecord,
  ],
});
const own: LegendEntry = { id: 'erase', label: 'erase', style: armStyle('erase'), deployed: false, n: 1 };
const data: ChartData = {
  points: [{ x: 2, erase: 0.5 }],
  lines: [{ key: 'erase', kind: 'main', legend: 'erase', style: own.style, seeds: [41], band: null }],
  tracks: [],
  nullLevel: null,
  baseLevel: null,
  latest: { erase: 0.5 },
  finals: {},
};
const metric = (id: string) => SPINE_METRICS.find((one) => one.id === id)!;
const hack = { ...metric('reward'), id: 'hack', evaluated: () => null };

describe('pinned runs in the charts', () => {
  it('are drawn behind the experiment’s own lines, also over steps that the experiment lacks', () => {
    const lines = pinnedLines([group('a', 'total', [0, 1]), group('b', 'deployed', [0])], [own]);
    const { points, lines: drawn, latest } = withPinned(data, hack, lines, { beta: 0, log: false });
    expect(points).toEqual([
      { x: 1, 'pinned:a': 0 },
      { x: 2, erase: 0.5, 'pinned:a': 1 },
      { x: 4, 'pinned:b': 0.05 },
    ]);
    expect(drawn.map(({ key, kind }) => [key, kind])).toEqual([
      ['pinned:a', 'main'],
      ['pinned:b', 'evaluated'],
      ['erase', 'main'],
    ]);
    expect(latest).toEqual({ erase: 0.5, 'pinned:a': 1, 'pinned:b': 0.05 });
    expect(data.points).toEqual([{ x: 2, erase: 0.5 }]);
    // Without own lines, a point belongs to a step of the run that it comes from.
    const tracked = withPinned({ ...data, points: [] }, hack, lines, { beta: 0, log: false, isTracked: true });
    expect(tracked.tracks).toMatchObject([
      { runId: 'a/erase/41', label: 'a, seed 41', points: [{ step: 1 }, { step: 2 }] },
      { runId: 'b/erase/41', label: 'b, seed 41', points: [{ step: 4, y: 0.05 }] },
    ]);
    const log = withPinned(data, hack, lines, { beta: 0, log: true });
    expect(log.points[0]).toEqual({ x: 1, 'pinned:a': null });
  });

  it('never look like an existing line, and omit runs that have not started', () => {
    const [line, ...more] = pinnedLines([group('a', 'total', [0]), { ...group('c', 'total', []), runs: [] }], [own]);
    expect(line.entry.style).not.toEqual(own.style);
    expect(line.entry.style.color).toBe(own.style.color);
    expect(more).toEqual([]);
  });

  it('are not drawn for a metric by which runs are not compared', () => {
    const lines = pinnedLines([group('a', 'total', [0])], [own]);
    expect(withPinned(data, metric('reward'), lines, { beta: 0, log: false })).toBe(data);
  });
});
