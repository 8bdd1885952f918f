// Publishing the arena: a sheet and the index that names it; what is published with this project can be read.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import {
  ARENA_INDEX,
  type ArenaSheet,
  arenaSheetName,
  arenaSheetText,
  readArenaIndex,
  readArenaSheet,
} from '../../experiments/arena/sheet.ts';
import { publishArena } from './publish.ts';

const root = mkdtempSync(join(tmpdir(), 'arena-'));
afterAll(() => rmSync(root, { recursive: true }));
const own = { n: 3, ratio: 0.5, interval: null };
const sheet: ArenaSheet = {
  made: ['CPU'],
  points: [
    {
      ...{ arm: 'agem', model: 'total', label: 'A-GEM', n: 3, removed: own, verdict: 'open' },
      kept: { honest: own, hackable: own, both: own },
    },
  ],
  runs: [],
};
const at = (name: string) => join(root, 'public', 'results', name);

it('writes the sheet, and keeps what the index names already', async () => {
  expect(await publishArena(root, 'pilots', sheet)).toBe(at('arena/pilots.json.gz'));
  expect(gunzipSync(readFileSync(at('arena/pilots.json.gz'))).toString()).toBe(arenaSheetText(sheet));
  expect(readArenaIndex(readFileSync(at(ARENA_INDEX), 'utf8'))).toEqual(['pilots']);
  await publishArena(root, 'judged', sheet);
  expect(readArenaIndex(readFileSync(at(ARENA_INDEX), 'utf8'))).toEqual(['judged', 'pilots']);
});

it('publishes nothing where there is nothing', async () => {
  await expect(publishArena(root, 'pilots', { ...sheet, points: [] })).rejects.toThrow(/nothing to publish/);
});

it('what is published here is named, there, and whole', () => {
  const results = join(import.meta.dirname, '..', '..', '..', 'public', 'results');
  for (const name of readArenaIndex(readFileSync(join(results, ARENA_INDEX), 'utf8'))) {
    expect(existsSync(join(results, arenaSheetName(name)))).toBe(true);
    const text = gunzipSync(readFileSync(join(results, arenaSheetName(name)))).toString();
    expect(readArenaSheet(text).points.length).toBeGreaterThan(0);
  }
});
