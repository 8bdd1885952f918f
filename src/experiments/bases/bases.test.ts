// Tests on which model each basis is re-extracted, and that a checkpoint restores it.
import { expect, it } from 'vitest';
import { zeroMoments } from '../../algorithms/adamw.ts';
import { type HackBasis, layRows } from '../../algorithms/basis.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { ControlSpec } from '../config/controls.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { parseExperimentSpec, resolveRun } from '../config/spec.ts';
import { DeviceBases, type RunBases } from './bases.ts';

const layout: AdapterLayout = { total: 2, modules: [{ name: 'a', offset: 0, r: 2, dOut: 2, dIn: 2 }] };
const axis = (x: number, y: number): HackBasis => layRows(layout, [[Float32Array.of(x, y)]]);
const control = (id: string, refreshEvery?: number): ControlSpec => ({
  id,
  kind: 'real',
  gate: 'one_sided',
  k: 1,
  mode: null,
  ...(refreshEvery === undefined ? {} : { settings: { refreshEvery } }),
});

it('each refreshing basis is extracted on the model that its own quarantine deploys, and can be restored', async () => {
  const experiment = parseExperimentSpec({ preset: 'smoke', overrides: { refreshEvery: 2 } });
  const controls = [control('same'), control('frozen', 0), control('slow', 4)];
  const spec: RunSpec = { ...resolveRun(experiment, 'route-update', 41), shadows: controls };
  const asked: [string | null, number[], number][] = [];
  /** The direction of the adapter parameters, so that every model gives a different basis. */
  const extract: RunBases['extract'] = async (of, adapterParams, step) => {
    asked.push([of?.id ?? null, Array.from(adapterParams), step]);
    const length = Math.hypot(...adapterParams);
    return axis(adapterParams[0] / length, adapterParams[1] / length);
  };
  const device = await createCpuDevice();
  const bases = new DeviceBases(device, layout, {
    own: axis(1, 0),
    shadows: controls.map((spec) => ({ spec, basis: axis(1, 0) })),
    extract,
  });
  const state = {
    total: Float32Array.of(4, 4),
    hack: Float32Array.of(1, 0),
    moments: zeroMoments(2),
    shadows: { same: Float32Array.of(0, 4), frozen: Float32Array.of(9, 9), slow: Float32Array.of(4, 1) },
  };
  expect(bases.isDue(spec, 0)).toBe(false);
  expect(bases.isDue(spec, 1)).toBe(false);
  expect(await bases.refresh(spec, 1, state)).toBeNull();
  expect(bases.refreshed).toBeNull();

  // δS_total − δS_hack = (3, 4); (1, 0) and (0.6, 0.8) overlap by 0.6.
  expect(await bases.refresh(spec, 2, state)).toBeCloseTo(0.6, 6);
  expect(asked).toEqual([
    [null, [3, 4], 2],
    ['same', [4, 0], 2],
  ]);
  await bases.refresh(spec, 4, { ...state, total: Float32Array.of(5, 12) });
  expect(asked.slice(2)).toEqual([
    [null, [4, 12], 4],
    ['same', [5, 8], 4],
    ['slow', [1, 11], 4],
  ]);
  const rows = (of: DeviceBases) =>
    [of.own, ...of.controls.map(({ projector }) => projector)].map(({ basis }) => basis.V);
  const kept = structuredClone(bases.refreshed!);
  const again = new DeviceBases(device, layout, {
    own: axis(1, 0),
    shadows: controls.map((spec) => ({ spec, basis: axis(1, 0) })),
    extract,
  });
  await again.restore(kept);
  expect(rows(again)).toEqual(rows(bases));
  expect(rows(again)[2]).toEqual(Float32Array.of(1, 0)); // the control that is never refreshed
  expect(again.refreshed).toEqual(kept);
  bases.free();
  again.free();
  device.destroy();
});
