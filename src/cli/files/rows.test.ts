// Files of rows: rows that are cut off, glued, changed or foreign are detected, and never lost or overwritten.
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { InUseError, LOCK } from '@projected-grpo-lab/base/files/lock.node.ts';
import { DamagedError } from '@projected-grpo-lab/base/files/sealed.ts';
import { disk } from '@projected-grpo-lab/base/files/testing/full-disk.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RowFile, type RowKind, readRows } from './rows.node.ts';

vi.mock('node:fs/promises', async (load) =>
  (await import('@projected-grpo-lab/base/files/testing/full-disk.ts')).withFullDisk(await load()),
);

interface Row {
  readonly id: string;
  readonly success: boolean;
}
const KIND: RowKind<Row> = {
  command: 'test',
  read: (value) =>
    typeof value.id === 'string' && typeof value.success === 'boolean' ? (value as unknown as Row) : null,
};
const row = (id: string, success = true): Row => ({ id, success });

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rows-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const fresh = () => join(folder, `${++count}.jsonl`);
const text = (path: string) => readFile(path, 'utf8');

const sentences: string[] = [];
const note = (line: string) => void sentences.push(line);
const opened = (path: string) => RowFile.open(path, KIND, note);

async function written(...rows: Row[]): Promise<string> {
  const path = fresh();
  await (await opened(path)).append(...rows);
  return path;
}

describe('a file of rows', () => {
  it('comes back, each line plain JSON with its checksum, and is gone on with', async () => {
    const path = await written(row('a'), row('b', false));
    const [first] = (await text(path)).split('\n');
    expect(JSON.parse(first as string)).toEqual({ ...row('a'), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const again = await opened(path);
    expect(again.rows).toEqual([row('a'), row('b', false)]);
    await again.append(row('c'));
    expect(await readRows(path, KIND, note)).toHaveLength(3);
    await again.rewrite([row('d')]);
    expect(await readRows(path, KIND, note)).toEqual([row('d')]);
  });

  it('is read packed too: several members, by its bytes and not by its name; what cannot be read whole is refused by name', async () => {
    const lines = [row('a'), row('b')].map((one) => gzipSync(`${JSON.stringify(one)}\n`));
    const named = async (name: string, ...parts: Uint8Array[]) => {
      const path = join(folder, name);
      await writeFile(path, Buffer.concat(parts));
      return readRows(path, KIND, note);
    };
    for (const name of ['two.jsonl.gz', 'two.jsonl', 'padded.gz'])
      expect(await named(name, ...lines, Buffer.alloc(name === 'padded.gz' ? 99 : 0))).toEqual([row('a'), row('b')]);
    await expect(named('after.gz', ...lines, Buffer.alloc(9), lines[0] as Uint8Array)).rejects.toThrow(
      /after\.gz cannot/,
    );
    await expect(named('text.gz', Buffer.from('{}\n'))).rejects.toThrow(
      /text\.gz cannot be read as gzip: it is no gzip/,
    );
  });

  it('reports the provenance of each row that has one', async () => {
    const path = fresh();
    const file = await opened(path);
    await file.append(row('a'));
    file.by = () => ({ createdAt: 7, device: 'none', appVersion: '1' });
    await file.append(row('b'));
    const [plain, told] = (await text(path)).split('\n').map((line) => JSON.parse(line || '{}'));
    expect(plain.by).toBeUndefined();
    expect(told.by).toEqual({ createdAt: 7, device: 'none', appVersion: '1' });
    expect((await readRows(path, KIND, note)).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('has no bit changed without a word', async () => {
    const path = await written(row('a'), row('b', false));
    const bytes = await readFile(path);
    const whole = [row('a'), row('b', false)];
    for (let bit = 0; bit < 8 * bytes.length; bit += 7) {
      const copy = Buffer.from(bytes);
      copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
      await writeFile(path, copy);
      sentences.length = 0;
      const found = await readRows(path, KIND, note).catch((error: unknown) => error);
      if (found instanceof FormatError) continue;
      // A flip in the checksum's own name leaves the row whole, and reported as unsealed; the last line's end is not needed.
      expect(sentences.length > 0 || bit >> 3 === bytes.length - 1, `bit ${bit}`).toBe(true);
      const known = (found as Row[]).map(({ id, success }) => ({ id, success }));
      expect(whole.slice(0, known.length), `bit ${bit}`).toEqual(known);
    }
    await writeFile(path, bytes.toString().replace('"success":false', '"success":true'));
    await expect(opened(path)).rejects.toThrow(DamagedError);
    await expect(opened(path)).rejects.toThrow(/\.jsonl:2 is damaged/);
  });

  it('whose last line was cut off continues without it: the line is set aside and reported', async () => {
    const path = await written(row('a'), row('b'));
    const whole = await text(path);
    for (const cut of [2, 20, 60]) {
      await writeFile(path, whole.slice(0, -cut));
      sentences.length = 0;
      const file = await opened(path);
      expect(file.rows).toEqual([row('a')]);
      expect(sentences).toEqual([expect.stringMatching(/cut off after \d+ bytes.*set aside in .*\.torn/)]);
      await file.append(row('c'));
      expect((await opened(path)).rows).toEqual([row('a'), row('c')]);
    }
    const torn = (await text(`${path}.torn`)).trimEnd().split('\n');
    expect(torn).toEqual([2, 20, 60].map((cut) => whole.split('\n')[1]?.slice(0, 1 - cut)));
  });

  it('without an end of its last line is not glued to', async () => {
    const path = await written(row('a'));
    await writeFile(path, (await text(path)).trimEnd());
    await (await opened(path)).append(row('b'));
    expect((await opened(path)).rows).toEqual([row('a'), row('b')]);
  });

  it('of an earlier lab is read, which is reported, and continued', async () => {
    const path = fresh();
    await writeFile(path, `${JSON.stringify(row('a'))}\n${JSON.stringify(row('b'))}`);
    sentences.length = 0;
    const file = await opened(path);
    expect(sentences).toEqual([expect.stringContaining('2 rows have no checksum (an earlier lab wrote them)')]);
    await file.append(row('c'));
    expect((await opened(path)).rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    // Rows without a checksum are refused after rows with one.
    await appendFile(path, `${JSON.stringify(row('d'))}\n`);
    await expect(opened(path)).rejects.toThrow(/:4 has no checksum, though lines before it have/);
  });

  it('of which a kill left one byte is set aside as any other that is cut off', async () => {
    const path = fresh();
    await writeFile(path, '{');
    await (await opened(path)).append(row('a'));
    expect(await text(`${path}.torn`)).toBe('{\n');
    expect((await opened(path)).rows).toEqual([row('a')]);
  });

  it('that is of something else, or empty, is refused and stays as it was', async () => {
    for (const foreign of ['my notes', '{\n  "a": 1\n}', '{"id":1}\n', '[1]\n', 'a,b\n1,2\n']) {
      const path = fresh();
      await writeFile(path, foreign);
      await expect(opened(path), foreign).rejects.toThrow(FormatError);
      await expect(RowFile.create(path, note)).rejects.toThrow(SpecError);
      expect(await text(path)).toBe(foreign);
    }
    const empty = fresh();
    await writeFile(empty, '\n');
    await expect(readRows(empty, KIND, note)).rejects.toThrow(/has no rows/);
    await expect(readRows(fresh(), KIND, note)).rejects.toThrow(/cannot be read/);
  });

  it('that another process writes in is refused, and stays as it was', async () => {
    const path = await written(row('a'));
    const whole = await text(path);
    const other = join(folder, 'other.jsonl');
    await writeFile(other, whole);
    // Process 1 always exists; a lock of this process may be opened again.
    const holder = { pid: 1, host: hostname(), began: null, since: '2026-01-01T00:00:00.000Z' };
    await writeFile(`${other}.${LOCK}`, JSON.stringify(holder));
    await expect(opened(other)).rejects.toThrow(InUseError);
    await expect(RowFile.create(other, note)).rejects.toThrow(/other\.jsonl is in use: process 1 on/);
    expect(await text(other)).toBe(whole);
    expect(JSON.parse(await text(`${path}.${LOCK}`)).pid).toBe(process.pid);
    await (await opened(path)).remove();
    await expect(text(`${path}.${LOCK}`)).rejects.toThrow(/ENOENT/);
  });

  it('on a disk that is full is whole up to the row before', async () => {
    const path = await written(row('a'));
    const before = await text(path);
    disk.isFull = true;
    const adding = (await opened(path)).append(row('b'), row('c')).finally(() => {
      disk.isFull = false;
    });
    await expect(adding).rejects.toThrow(/cannot be written: the disk is full \(ENOSPC\)/);
    expect(await text(path)).toBe(before);
  });
});
