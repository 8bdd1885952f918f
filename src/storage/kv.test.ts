import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type KeyValue, memoryStores, migrate, openStores, StorageError, storageError } from './kv.ts';

describe('stores', () => {
  it('keeps copies, lists keys by prefix in order, and deletes by prefix', async () => {
    const { runs } = await memoryStores();
    const value = { rows: [1, 2], bytes: new Float32Array([1.5]) };
    await runs.setMany([
      ['b/2', value],
      ['b/1', 'x'],
      ['a', null],
    ]);
    value.rows.push(3);
    expect(await runs.get('b/2')).toEqual({ rows: [1, 2], bytes: new Float32Array([1.5]) });
    expect(await runs.keys()).toEqual(['a', 'b/1', 'b/2']);
    expect(await runs.keys('b/')).toEqual(['b/1', 'b/2']);
    await runs.deletePrefix('b/');
    expect(await runs.keys()).toEqual(['a']);
    expect(await runs.get('b/1')).toBeUndefined();
  });

  it('writes nothing if one of several values cannot be stored', async () => {
    const { runs } = await memoryStores();
    await expect(
      runs.setMany([
        ['good', 1],
        ['bad', () => 0],
      ]),
    ).rejects.toThrow();
    expect(await runs.keys()).toEqual([]);
  });

  it('migrates step by step, records each step, and resumes after an interruption', async () => {
    const stores = await memoryStores();
    await stores.meta.set('schema', 1);
    await stores.runs.set('r', { old: 1 });
    const done: number[] = [];
    let fail = true;
    const migrations = {
      1: async () => void done.push(1),
      2: async () => {
        if (fail) throw new Error('power cut');
        done.push(2);
      },
    };
    await expect(migrate(stores, 3, migrations)).rejects.toThrow('power cut');
    expect(await stores.meta.get('schema')).toBe(2);
    fail = false;
    await migrate(stores, 3, migrations);
    expect(done).toEqual([1, 2]);
    expect(await stores.meta.get('schema')).toBe(3);
    expect(await stores.runs.get('r')).toEqual({ old: 1 });
  });

  it('writes its version once: opening an up-to-date store only reads', async () => {
    const stores = await memoryStores();
    const meta: KeyValue = { ...stores.meta, set: () => Promise.reject(new Error('written')) };
    await migrate({ ...stores, meta });
    await stores.meta.delete('schema');
    await expect(migrate({ ...stores, meta })).rejects.toThrow('written');
  });

  it('refuses the records of a newer version', async () => {
    const stores = await memoryStores();
    await stores.meta.set('schema', 99);
    await expect(migrate(stores)).rejects.toBeInstanceOf(FormatError);
  });

  it('gives a remedy if there is no room', () => {
    const error = storageError(new DOMException('full', 'QuotaExceededError'));
    expect(error).toBeInstanceOf(StorageError);
    expect((error as StorageError).remedy).toMatch(/Delete old runs/);
    const other = new TypeError('a fault');
    expect(storageError(other)).toBe(other);
  });
});

describe('a database that never answers', () => {
  afterEach(() => vi.unstubAllGlobals());
  const transaction = () => ({ objectStore: () => ({ get: () => ({}) }) });

  it.each([
    ['when it is opened', () => ({}), { open: 20, answer: 60_000 }],
    [
      'when it is asked',
      () => {
        const request = { result: { transaction }, onsuccess: () => {} };
        queueMicrotask(() => request.onsuccess());
        return request;
      },
      { open: 60_000, answer: 20 },
    ],
  ])('times out %s, with a remedy', async (_, open, limits) => {
    vi.stubGlobal('indexedDB', { open });
    await expect(openStores('test', limits)).rejects.toMatchObject({
      name: 'StorageError',
      message: 'The browser’s database has not answered for 0.02 s.',
      remedy: expect.stringContaining('Quit the browser'),
    });
  });
});
