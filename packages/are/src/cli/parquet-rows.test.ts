// Tests untrusted Parquet files: each row group is unpacked once for all its rows, and a small file with huge declared contents is refused
// by the first limit that it exceeds.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ParquetRows } from './parquet-rows.node.ts';
import { openSet } from './scenario-set.node.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parquet-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(ids: readonly string[], data: readonly string[], rowGroupSize = 1000): Promise<string> {
  const path = join(folder, `${ids.length}.parquet`);
  const columnData = [
    { name: 'scenario_id', data: [...ids], type: 'STRING' as const },
    { name: 'data', data: [...data], type: 'STRING' as const },
  ];
  await writeFile(path, Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize })));
  return path;
}

async function idsOf(rows: ParquetRows, columns = ['scenario_id']): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const row of rows.all(columns)) found.push(row.scenario_id);
  return found;
}

const many = (count: number) => Array.from({ length: count }, (_, i) => `s${i}`);

describe('rows', () => {
  it.each([
    [1, 1000],
    [1000, 1000],
    [2500, 1000],
    [2500, 7],
  ])('%i in groups of %i are unpacked once', async (count, size) => {
    const ids = many(count);
    const rows = await ParquetRows.open(await fileOf(ids, ids, size));
    expect(await idsOf(rows)).toEqual(ids);
    // An id has at most five characters, four bytes of length, and levels: less than sixteen bytes a row.
    expect(rows.unpacked).toBeLessThan(16 * count + 64 * Math.ceil(count / size));
  });

  it('are found by number, in any order', async () => {
    const ids = many(25);
    const rows = await ParquetRows.open(await fileOf(ids, ids, 10));
    for (const place of [0, 24, 9, 10, 19, 1])
      expect((await rows.at(place, ['scenario_id'])).scenario_id).toBe(ids[place]);
    // The group of the last row is not unpacked again.
    await rows.at(2, ['scenario_id']);
    expect(rows.unpacked).toBe(0);
  });
});

describe('a file that holds too much', () => {
  it('with too many rows is refused before one is read', async () => {
    const path = await fileOf(many(1), many(1));
    const most = many(100_001).map(() => 'x');
    const large = await fileOf(most, most, 200_000);
    await expect(ParquetRows.open(large)).rejects.toThrow(/100001\.parquet has 100001 rows; at most 100000 are read/);
    await expect(openSet(large)).rejects.toThrow(FormatError);
    expect((await ParquetRows.open(path)).names).toEqual(['scenario_id', 'data']);
  });

  it('with too many characters is refused at the limit: one long text for every row', async () => {
    const path = await fileOf(
      many(500),
      many(500).map(() => `{"a": "${'x'.repeat(1_000_000)}"}`),
    );
    const rows = await ParquetRows.open(path);
    await expect(idsOf(rows, ['scenario_id', 'data'])).rejects.toThrow(
      /^The cells of .*500\.parquet have more than [\d.]+ MB \(64 MiB, and 200 times the file\)\.$/,
    );
  });
});

const ATTACK = resolve('..', 'shared', 'attacks', 'parquet-10000-rows.parquet');

it.skipIf(!existsSync(ATTACK))(
  'ten thousand rows of an untrusted file cost ten groups (skipped where ../shared is missing)',
  async () => {
    const rows = await ParquetRows.open(ATTACK);
    expect((await idsOf(rows, ['scenario_id', 'data'])).length).toBe(10_000);
    expect(rows.unpacked).toBeLessThan(10_000);
    expect((await openSet(ATTACK)).length).toBe(10_000);
    // The first entry is enough here.
    expect((await openSet(ATTACK, undefined, () => true)).length).toBe(1);
  },
);
