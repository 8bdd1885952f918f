// Tests that every plan of a sweep in the docs can be run, and has as many runs as the arena's page states.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { planSweep, sizeOf } from '../../../../src/experiments/sweep/plan.ts';
import { parseSweepSpec } from '../../../../src/experiments/sweep/spec.ts';
import { PROJECT, pageOf } from '../../../judge/testing/pages.ts';
import { ARENA_PAGE } from './text.ts';

const FOLDER = 'docs/arena';
const files = readdirSync(join(PROJECT, FOLDER)).filter((name) => name.endsWith('.sweep.json'));
const runsOf = (file: string) => sizeOf(planSweep(parseSweepSpec(JSON.parse(pageOf(`${FOLDER}/${file}`))))).runs;

it.each(files)('%s can be run', (file) => {
  expect(runsOf(file)).toBeGreaterThan(0);
});

it('the page counts the runs of its plans', () => {
  // | `docs/arena/a.sweep.json`, `b` | what | 36 | or | 40 run, 40 planned |
  const rows = pageOf(ARENA_PAGE)
    .split('\n')
    .filter((line) => /^\| `docs\/arena\/[\w-]+\.sweep\.json`/.test(line))
    .map((line) => line.split(' | '));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const names = [...row[0].matchAll(/`(?:docs\/arena\/)?([\w-]+)(?:\.sweep\.json)?`/g)].map(([, name]) => name);
    const counted = [...row.at(-1)!.matchAll(/\d+/g)].reduce((sum, [n]) => sum + Number(n), 0);
    expect(counted, row[0]).toBe(names.reduce((sum, name) => sum + runsOf(`${name}.sweep.json`), 0));
  }
});
