// Tests the newest record and the previous one in the browser's database: a changed bit is detected, and the intact record is used.

import { DamagedError } from '@projected-grpo-lab/base/files/sealed.ts';
import { describe, expect, it } from 'vitest';
import { loadRecord, previousKey, saveRecord } from './kept-record.ts';
import { type KeyValue, memoryStore, StorageError } from './kv.ts';

interface State {
  step: number;
  total: Float32Array;
}
const state = (step: number): State => ({ step, total: Float32Array.of(step, -0, 3e-40) });

function opened(store: KeyValue = memoryStore()) {
  const warnings: string[] = [];
  const load = () =>
    loadRecord<State>(store, 'x/y', 'The checkpoint', { warn: (line) => void warnings.push(line), remedy: 'Do.' });
  const damage = async (key: string) => {
    const kept = (await store.get<State>(key))!;
    kept.total[0] += 1;
    await store.set(key, kept);
  };
  return { store, warnings, load, damage, save: (step: number) => saveRecord(store, 'x/y', state(step)) };
}

describe('stored records', () => {
  it('can be read, the previous one if the newest is damaged', async () => {
    const { load, save, damage, warnings } = opened();
    expect(await load()).toBeNull();
    await save(2);
    await save(4);
    expect(await load()).toEqual(state(4));
    await damage('x/y');
    expect(await load()).toEqual(state(2));
    expect(warnings).toEqual([expect.stringMatching(/^The checkpoint is damaged.*The one before it is used\.$/)]);
    // The next save does not replace the good record.
    await save(6);
    await damage('x/y');
    expect(await load()).toEqual(state(2));
    await damage(previousKey('x/y'));
    await expect(load()).rejects.toBeInstanceOf(DamagedError);
  });

  it('of an earlier version can be read without a hash', async () => {
    const { store, load, save } = opened();
    await store.set('x/y', state(2));
    expect(await load()).toEqual(state(2));
    await save(4);
    expect(await store.get(previousKey('x/y'))).toEqual(state(2));
  });

  it('have no previous one if there is no room for two', async () => {
    const store = memoryStore();
    const full = new StorageError('full', 'x', { cause: { name: 'QuotaExceededError' } });
    const { load, save } = opened({
      ...store,
      set: (key, value) => (key === previousKey('x/y') ? Promise.reject(full) : store.set(key, value)),
    });
    await save(2);
    await save(4);
    expect(await load()).toEqual(state(4));
    expect(await store.keys()).toEqual(['x/y']);
  });
});
