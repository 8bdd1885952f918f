import { describe, expect, it } from 'vitest';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { RunRecord, TableRow } from '../../experiments/records/events.ts';
import { armStyle, BASE_STYLE } from './arm-style.ts';
import { tableLooks } from './table-looks.ts';

const row = (arm: string, model: string) => ({ arm, model, label: model }) as TableRow;
const specs = resolveRuns(parseExperimentSpec({ preset: 'demo', arms: ['none', 'route-update'], seeds: [41] }));
const runs = specs.map((spec) => ({ spec }) as RunRecord);
const controls = specs[1].shadows.map(({ id }) => id);
const table = [
  row('', 'base'),
  row('none', 'total'),
  row('route-update', 'deployed'),
  ...controls.map((id) => row('route-update', id)),
  row('route-update', 'steered_base'),
];

describe('the markers of the result table', () => {
  it('equal those of the charts for base and arms, filled', () => {
    const [base, vanilla, route] = tableLooks(table, runs);
    expect(base).toEqual(BASE_STYLE);
    expect(vanilla).toEqual(armStyle('none'));
    expect(route).toEqual(armStyle('route-update'));
  });

  it('are outlines, and different from each other, for the controls of one run', () => {
    expect(controls.length).toBeGreaterThan(6);
    const looks = tableLooks(table, runs);
    const cues = looks.map(({ color, dash, marker }) => `${color}/${dash}/${marker}`);
    expect(new Set(cues).size).toBe(looks.length);
    expect(looks.map(({ hollow }) => hollow === true)).toEqual(table.map((_, i) => i > 2));
  });

  it('include the controls of rerouted runs, and never show an unknown control as an arm', () => {
    const control = { id: 'mine', kind: 'random', gate: 'one_sided', k: 3, mode: null } as const;
    const again = [{ ...runs[1], rerouted: [{ shadow: control }] } as unknown as RunRecord];
    const [known] = tableLooks([row('route-update', 'mine')], again);
    expect(known).toEqual({ ...armStyle('random_V-route'), hollow: true });
    const [unknown] = tableLooks([row('route-update', 'gone')], again);
    expect(unknown).toMatchObject({ hollow: true });
    expect(unknown.color).not.toBe(armStyle('route-update').color);
  });

  it('use the route run as vanilla if vanilla has no row', () => {
    expect(tableLooks([row('route-update', 'total')], runs)[0]).toEqual(armStyle('none'));
  });
});
