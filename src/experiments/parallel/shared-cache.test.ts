// Tests the cache that workers share: each value is made once; offers go to an idle worker; closing wakes waiting ones.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import type { RunSpec } from '../config/run-spec.ts';
import type { ArtifactStore } from '../records/artifacts.ts';
import { SharedCache, sharedPools } from './shared-cache.ts';

const job = { spec: {} as RunSpec, adapterParams: new Float32Array(1) };

describe('SharedCache', () => {
  it('lets one worker make a value, and gives it to the others', async () => {
    const cache = new SharedCache();
    expect(await cache.next(['a', 'b'])).toEqual({ key: 'a', made: null });
    // Made values come first, then values that no worker is making; only otherwise does it wait.
    expect(await cache.next(['a', 'b'])).toEqual({ key: 'b', made: null });
    const waiting = cache.next(['a']);
    await cache.keep('b', 2);
    expect(await cache.next(['a', 'b'])).toEqual({ key: 'b', made: { value: 2 } });
    await cache.keep('a', null);
    expect(await waiting).toEqual({ key: 'a', made: { value: null } });
  });

  it('gives out an offer once, to its owner or to another worker', async () => {
    const cache = new SharedCache();
    const idle = cache.take();
    await cache.offer([
      { key: 'x', job },
      { key: 'y', job },
      { key: 'z', job },
    ]);
    expect(await idle).toMatchObject({ key: 'x' });
    expect(await cache.next(['x', 'y', 'z'])).toEqual({ key: 'y', made: null });
    expect(await cache.take()).toMatchObject({ key: 'z' });
    const last = cache.take();
    cache.close(null);
    expect(await last).toBeNull();
  });

  it('rejects waiting workers when the others fail', async () => {
    const cache = new SharedCache();
    await cache.next(['a']);
    const waiting = cache.next(['a']);
    cache.close(new StoppedError());
    await expect(waiting).rejects.toThrow(StoppedError);
    await expect(cache.next(['b'])).rejects.toThrow(StoppedError);
  });
});

it('a pool is made by one worker, and not if it is stored', async () => {
  const cache = new SharedCache();
  const disk = new Map([['old', 'rows of before']]);
  const store = {
    loadPool: async (key: string) => disk.get(key) ?? null,
    savePool: async (key: string, lines: string) => void disk.set(key, lines),
  } as unknown as ArtifactStore;
  const [one, other] = [sharedPools(store, cache), sharedPools(store, cache)];
  expect(await one.loadPool('old')).toBe('rows of before');
  expect(await other.loadPool('old')).toBe('rows of before');
  expect(await one.loadPool('new')).toBeNull();
  const waiting = other.loadPool('new');
  await one.savePool('new', 'rows');
  expect(await waiting).toBe('rows');
});
