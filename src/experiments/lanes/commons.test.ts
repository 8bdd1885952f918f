// Where lanes meet: each value is made once, whoever is first; offers go to whoever is idle; an end wakes those who wait.
import { describe, expect, it } from 'vitest';
import { StoppedError } from '../../lib/errors.ts';
import type { ArtifactStore } from '../records/artifacts.ts';
import type { RunSpec } from '../spec/spec.ts';
import { Commons, sharedPools } from './commons.ts';

const job = { spec: {} as RunSpec, knobs: new Float32Array(1) };

describe('Commons', () => {
  it('lets one make a value, and gives it to the others', async () => {
    const commons = new Commons();
    expect(await commons.next(['a', 'b'])).toEqual({ key: 'a', made: null });
    // What nobody is at comes before waiting, and what is made before that.
    expect(await commons.next(['a', 'b'])).toEqual({ key: 'b', made: null });
    const waiting = commons.next(['a']);
    await commons.keep('b', 2);
    expect(await commons.next(['a', 'b'])).toEqual({ key: 'b', made: { value: 2 } });
    await commons.keep('a', null);
    expect(await waiting).toEqual({ key: 'a', made: { value: null } });
  });

  it('hands an offer out once, to its owner or to another', async () => {
    const commons = new Commons();
    const idle = commons.take();
    await commons.offer([
      { key: 'x', job },
      { key: 'y', job },
      { key: 'z', job },
    ]);
    expect(await idle).toMatchObject({ key: 'x' });
    expect(await commons.next(['x', 'y', 'z'])).toEqual({ key: 'y', made: null });
    expect(await commons.take()).toMatchObject({ key: 'z' });
    const last = commons.take();
    commons.close(null);
    expect(await last).toBeNull();
  });

  it('fails whoever waits where the others have ended', async () => {
    const commons = new Commons();
    await commons.next(['a']);
    const waiting = commons.next(['a']);
    commons.close(new StoppedError());
    await expect(waiting).rejects.toThrow(StoppedError);
    await expect(commons.next(['b'])).rejects.toThrow(StoppedError);
  });
});

it('a pool is made by one lane, and not where it is kept', async () => {
  const commons = new Commons();
  const disk = new Map([['old', 'rows of before']]);
  const store = {
    loadPool: async (key: string) => disk.get(key) ?? null,
    savePool: async (key: string, lines: string) => void disk.set(key, lines),
  } as unknown as ArtifactStore;
  const [one, other] = [sharedPools(store, commons), sharedPools(store, commons)];
  expect(await one.loadPool('old')).toBe('rows of before');
  expect(await other.loadPool('old')).toBe('rows of before');
  expect(await one.loadPool('new')).toBeNull();
  const waiting = other.loadPool('new');
  await one.savePool('new', 'rows');
  expect(await waiting).toBe('rows');
});
