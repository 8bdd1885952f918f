// `study --sweeps`: writes the runs of some questions as sweep files, so that `sweep run` trains them. Configurations with the same preset
// and seeds that differ in one option become an axis, as long as the grid adds no other run.
import { baseOf } from '../../../src/experiments/config/preset-in.ts';
import type { PresetName } from '../../../src/experiments/config/run-spec.ts';
import type { Settings } from '../../../src/experiments/config/settings.ts';
import { planSweep } from '../../../src/experiments/sweep/plan.ts';
import {
  type AxisOption,
  type AxisValue,
  parseSweepSpec,
  SweepError,
  type SweepSpec,
} from '../../../src/experiments/sweep/spec.ts';
import { overridesOfCell, runOfCell, type StudyPlan, type StudyScope, seedsOfCell } from './plan.ts';
import type { StudyCell } from './types.ts';

/** Runs of a question by preset, arm and options: a grid whose axes are the options with several values. */
interface Grid {
  preset: PresetName;
  seeds: readonly number[];
  /** The arm, and every option that differs from the preset's. */
  values: Readonly<Partial<Record<AxisOption, readonly AxisValue[]>>>;
  keys: ReadonlySet<string>;
}

export interface StudySweeps {
  sweeps: SweepSpec[];
  /** Keys of runs that no sweep can train: a matched random basis needs the stored steps of another run. */
  apart: string[];
}

/** `done`: keys of runs that need not be trained. */
export function sweepsOfStudy({ questions, scope }: StudyPlan, done: ReadonlySet<string> = new Set()): StudySweeps {
  const apart = new Set<string>();
  const taken = new Set(done);
  const found = new Map<string, Grid & { seeds: number[]; keys: Set<string> }>();
  for (const cell of questions.flatMap(({ cells }) => cells))
    for (const seed of seedsOfCell(cell, scope)) {
      const { key, spec } = runOfCell(cell, seed, scope);
      if (taken.has(key)) continue;
      taken.add(key);
      if (spec.basisSource === 'random_matched') {
        apart.add(key);
        continue;
      }
      const values = valuesOf(cell, scope);
      const id = JSON.stringify([cell.preset, values]);
      const grid = found.get(id) ?? { preset: cell.preset, seeds: [], values, keys: new Set<string>() };
      grid.seeds.push(seed);
      grid.keys.add(key);
      found.set(id, grid);
    }
  const sweeps = mergeGrids([...found.values()]).map((grid, i) => specOf(grid, `study, part ${i + 1}`));
  return { sweeps, apart: [...apart] };
}

function valuesOf(cell: StudyCell, scope: StudyScope): Grid['values'] {
  const options = Object.entries(overridesOfCell(cell, scope)).sort(([a], [b]) => (a < b ? -1 : 1));
  return { arm: [cell.arm], ...Object.fromEntries(options.map(([name, value]) => [name, [value as AxisValue]])) };
}

/** Joins grids until no two can be joined. */
function mergeGrids(grids: readonly Grid[]): Grid[] {
  for (const [i, a] of grids.entries())
    for (const b of grids.slice(i + 1)) {
      const both = joinGrids(a, b);
      if (both) return mergeGrids(grids.flatMap((grid) => (grid === a ? [both] : grid === b ? [] : [grid])));
    }
  return [...grids];
}

/** Null if they differ in more than one option, or their grid would add other runs. */
function joinGrids(a: Grid, b: Grid): Grid | null {
  if (a.preset !== b.preset || a.seeds.join() !== b.seeds.join()) return null;
  const { settings } = baseOf({ preset: a.preset, overrides: {} });
  const of = ({ values }: Grid, option: AxisOption): readonly AxisValue[] =>
    values[option] ?? [settings[option as keyof Settings] as AxisValue];
  const options = [...new Set([...Object.keys(a.values), ...Object.keys(b.values)])] as AxisOption[];
  const differing = options.filter((option) => JSON.stringify(of(a, option)) !== JSON.stringify(of(b, option)));
  if (differing.length !== 1) return null;
  const valuesIn = (option: AxisOption) =>
    option === differing[0] ? [...of(a, option), ...of(b, option)] : of(a, option);
  const values = Object.fromEntries(options.map((option) => [option, valuesIn(option)]));
  const grid = { ...a, values, keys: new Set([...a.keys, ...b.keys]) };
  try {
    const runs = planSweep(specOf(grid, '')).configurations.flatMap(({ rungs }) => rungs.flat());
    const planned = new Set(runs.map(({ key }) => key));
    return planned.size === grid.keys.size && runs.every(({ key }) => grid.keys.has(key)) ? grid : null;
  } catch (error) {
    // An arm may refuse the other grid's varied option, or both may have the same value.
    if (error instanceof SweepError) return null;
    throw error;
  }
}

/** A sweep needs an axis: without a varied option it is the arm. */
function specOf({ preset, seeds, values: { arm = [], ...options } }: Grid, name: string): SweepSpec {
  const entries = Object.entries(options) as [AxisOption, readonly AxisValue[]][];
  const varied = entries.filter(([, values]) => values.length > 1);
  const isArmAxis = arm.length > 1 || varied.length === 0;
  return parseSweepSpec({
    name,
    preset,
    ...(isArmAxis ? {} : { arm: arm[0] }),
    overrides: Object.fromEntries(
      entries.filter(([, values]) => values.length === 1).map(([o, [value]]) => [o, value]),
    ),
    axes: [
      ...(isArmAxis ? [{ option: 'arm', values: arm }] : []),
      ...varied.map(([option, values]) => ({ option, values })),
    ],
    seeds: [...seeds],
  });
}
