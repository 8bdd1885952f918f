// Tests downloads of files that change on the Hub between two visits or at the same address, are deleted there, or are damaged during
// transfer.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { get, hashOf, server, stopAt, stored, TINY, tiny, USED, WEIGHTS, weights, withHub } from './testing/hub.ts';
import { type HubFiles, lfs, plain } from './testing/hub-server.ts';
import { MemoryModelStore } from './testing/memory.ts';

withHub();

describe('files that change', () => {
  /** The embedded model with another byte in its last tensor: same length, other hash. */
  const changed = (): HubFiles => {
    const bytes = weights().slice();
    bytes[bytes.length - 1] ^= 1;
    return { ...tiny, [WEIGHTS]: lfs(bytes) };
  };

  it('between two visits are fetched again, and no others', async () => {
    const store = new MemoryModelStore();
    await get(store, stopAt(700_000)).catch(() => {});
    server.commit(TINY, changed());
    server.forget();
    const model = await get(store);
    expect(await stored(store)).toBe(hashOf(changed()[WEIGHTS].bytes));
    expect(server.totalServed()).toBe(weights().length);
    expect(model.origin).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
  });

  it('after they were complete are fetched again too; a small one is detected by git’s hash', async () => {
    const store = new MemoryModelStore();
    const before = await get(store);
    const config = tiny['config.json'].bytes.slice();
    // A space instead of a line break keeps length and meaning.
    const at = config.lastIndexOf(10);
    config[at] = 32;
    server.commit(TINY, { ...tiny, 'config.json': plain(config) });
    server.forget();
    const after = await get(store);
    expect(server.totalServed()).toBe(config.length);
    expect(await stored(store, before.id, 'config.json')).toBe(hashOf(config));
    expect(after.files.find(({ path }) => path === 'config.json')!.sha256).not.toBe(
      before.files.find(({ path }) => path === 'config.json')!.sha256,
    );
  });

  it('that were deleted on the Hub are deleted here too', async () => {
    server.commit('lab/moves', { ...tiny, 'generation_config.json': plain('{}') });
    const store = new MemoryModelStore();
    await get(store, {}, 'lab/moves');
    expect(await store.sizeOf('lab--moves', 'generation_config.json')).toBe(2);
    server.commit('lab/moves', changed());
    const model = await get(store, {}, 'lab/moves');
    expect(model.files.map(({ path }) => path)).toEqual(USED);
    expect(await store.sizeOf('lab--moves', 'generation_config.json')).toBe(0);
  });

  it('are marked in the record before their bytes are deleted: a crash between leaves no model that seems complete', async () => {
    const store = new MemoryModelStore();
    await get(store);
    server.commit(TINY, changed());
    const open = store.partial.bind(store);
    store.partial = async () => {
      throw new Error('crashed');
    };
    await expect(get(store)).rejects.toThrow('crashed');
    store.partial = open;
    expect(await store.get('lab--tiny-coder')).toMatchObject({ complete: false });
    expect((await get(store)).complete).toBe(true);
    expect(await stored(store)).toBe(hashOf(changed()[WEIGHTS].bytes));
  });

  it.each([
    { where: 'If-Range', inPage: false },
    { where: 'the ETag of the answer, as a page may not send If-Range', inPage: true },
  ])('at the same address are detected by $where, and fetched from the start', async ({ inPage }) => {
    const store = new MemoryModelStore();
    await get(store, stopAt(700_000)).catch(() => {});
    const other = changed()[WEIGHTS].bytes;
    server.fail(WEIGHTS, { kind: 'change', bytes: other });
    server.forget();
    if (inPage) Object.defineProperty(globalThis, 'location', { value: {}, configurable: true });
    try {
      // The listing still has the old hash: the complete but different file is refused.
      const refused = await get(store).catch((error) => error);
      expect(refused).toBeInstanceOf(FormatError);
      expect(refused.message).toMatch(/arrived damaged: its sha-256 is [0-9a-f]{64}, the Hub says/);
    } finally {
      if (inPage) Reflect.deleteProperty(globalThis, 'location');
    }
    expect(server.asked.some(({ ifRange }) => ifRange !== null)).toBe(!inPage);
    expect(server.served.get(WEIGHTS)).toBeGreaterThanOrEqual(weights().length);
    server.commit(TINY, changed());
    await get(store);
    expect(await stored(store)).toBe(hashOf(other));
  });

  it('are not assumed if only the ETag changes: the hash decides', async () => {
    server.etags = 'changing';
    const store = new MemoryModelStore();
    expect((await get(store)).complete).toBe(true);
    server.etags = 'weak';
    const other = new MemoryModelStore();
    await get(other, stopAt(700_000)).catch(() => {});
    server.forget();
    await get(other);
    expect(server.served.get(WEIGHTS)).toBeLessThan(weights().length);
  });

  it('in transfer, so that their hash is wrong, are deleted and named', async () => {
    const store = new MemoryModelStore();
    const damaged = async (path: string, pattern: RegExp) => {
      server.fail(path, { kind: 'corrupt' });
      const error = await get(store).catch((caught) => caught);
      expect(error).toBeInstanceOf(FormatError);
      expect(error.message).toMatch(pattern);
      expect(error.remedy).toMatch(/It was dropped: download it again/);
      expect(await store.sizeOf('lab--tiny-coder', path)).toBe(0);
      expect(await store.get('lab--tiny-coder')).toMatchObject({ complete: false });
    };
    // A first call inspects config and header, since the inspection would consume the fault.
    await get(store, stopAt(10)).catch(() => {});
    await damaged('tokenizer_config.json', /its git’s sha-1 is [0-9a-f]{40}, the Hub says [0-9a-f]{40}/);
    await damaged(WEIGHTS, /its sha-256 is [0-9a-f]{64}, the Hub says [0-9a-f]{64}/);
    expect((await get(store)).complete).toBe(true);
    expect(await stored(store)).toBe(hashOf(weights()));
  });
});
