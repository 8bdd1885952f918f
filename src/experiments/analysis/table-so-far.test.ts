// Tests the table before its last rows, on made-up runs: when it appears, how it marks missing rows, and that complete rows equal those of the
// final table.
import { expect, it } from 'vitest';
import { runMade } from '../testing/statistics-runs.ts';
import { buildTable } from './table.ts';
import { tableSoFar } from './table-so-far.ts';

const OWN = { deployed: [0.05, 0.4] } as const;
const route = (final: Record<string, readonly [number, number]>, status: 'running' | 'stopped' | 'done') =>
  runMade({ arm: 'route-update', final, change: { status } });
const erase = runMade({ arm: 'erase-update' });
const planned = [route({}, 'running').spec, erase.spec];

it('appears once every arm is evaluated', () => {
  expect(tableSoFar(planned, [erase])).toBeNull();
  expect(tableSoFar(planned, [route({}, 'running'), erase])).toBeNull();
  const unfinished = runMade({ arm: 'route-update', final: OWN, logged: 5, change: { status: 'running' } });
  expect(tableSoFar(planned, [unfinished, erase])).toBeNull();
  expect(tableSoFar(planned, [route(OWN, 'running'), erase])).not.toBeNull();
});

it('has the rows of the whole table, and names those without an evaluation', () => {
  const stopped = route({ deployed: [0.05, 0.4], no_gate: [0.1, 0.4] }, 'stopped');
  const { table, missing } = tableSoFar(planned, [stopped, erase])!;
  const whole = buildTable([{ ...stopped, status: 'done' }, erase]);
  expect(table.map(({ label }) => label)).toEqual(whole.map(({ label }) => label));
  const of = (model: string) => table.find((row) => row.model === model)!;
  for (const model of ['base', 'deployed', 'no_gate'])
    expect(of(model)).toEqual(whole.find((row) => row.model === model));
  expect(of('random_V')).toMatchObject({ verdict: 'not evaluated', deployed: { hack: null, solve: null } });
  expect(missing).toContain('steered base');
  const { shadows } = stopped.spec;
  // All controls except the evaluated one are missing, and so is the steered base.
  expect(missing).toHaveLength(shadows.length);
  expect(missing).not.toContain(of('no_gate').label.trim());
});

it('has no missing rows for finished runs', () => {
  expect(tableSoFar([erase.spec], [erase])).toMatchObject({ missing: [] });
});
