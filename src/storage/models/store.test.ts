// Tests the common contract of the stores: in memory, in a folder, and on the origin-private file system (here a fake one, with and without
// handles that write in place; e2e/opfs.spec.ts tests the browser's own).
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageError } from '../kv.ts';
import { loadModelFiles } from '../model-files.ts';
import { type ModelStore, missingBytes, RECORD, type StoredModel } from '../model-store.ts';
import { FolderModelStore } from './folder.node.ts';
import { createOpfsModelStore } from './opfs.ts';
import { FakeOpfs } from './testing/fake-opfs.ts';
import { MemoryModelStore } from './testing/memory.ts';
import { sharded } from './testing/models.ts';

let folder: string;
let next = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'models-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const opfs = (fake: FakeOpfs) => createOpfsModelStore({ root: fake.root, estimate: fake.estimate });
const bytes = (...values: number[]) => Uint8Array.from(values);
const model = (id: string, more: Partial<StoredModel> = {}): StoredModel => ({
  id,
  origin: { kind: 'folder', name: id },
  complete: false,
  createdAt: 1,
  files: [{ path: 'a/b.bin', bytes: 5, sha256: null }],
  ...more,
});

const STORES: readonly { name: string; create: () => ModelStore; locks: boolean }[] = [
  { name: 'memory', create: () => new MemoryModelStore(), locks: true },
  { name: 'a folder', create: () => new FolderModelStore(join(folder, String(next++))), locks: true },
  { name: 'OPFS in a worker', create: () => opfs(new FakeOpfs()), locks: true },
  // Streams hold no lock between two appends.
  { name: 'OPFS in a page', create: () => opfs(new FakeOpfs({ inPlace: false })), locks: false },
];

describe.each(STORES)('models in $name', ({ create }) => {
  it('stores records, lists them with the oldest first, and returns them unchanged', async () => {
    const store = create();
    expect(await store.list()).toEqual([]);
    expect(await store.get('none')).toBeNull();
    const origin = { kind: 'hub', repo: 'a/b', revision: 'main', commit: 'c'.repeat(40) } as const;
    const files = [
      { path: 'x.json', bytes: 3, sha256: 'a'.repeat(64), etag: '"e"', checked: true },
      { path: 'y.json', bytes: 0, sha256: null, gitSha1: 'b'.repeat(40) },
    ];
    const late = model('late', { createdAt: 9, origin, files });
    await store.save(late);
    await store.save(model('early', { createdAt: 2 }));
    await store.save({ ...late, createdAt: 10 });
    expect(await store.list()).toEqual([model('early', { createdAt: 2 }), { ...late, createdAt: 10 }]);
    expect(await store.get('late')).toEqual({ ...late, createdAt: 10 });
  });

  it('appends, reports sizes, starts over, and reads the written bytes', async () => {
    const store = create();
    await store.save(model('m'));
    const file = await store.partial('m', 'a/b.bin');
    expect(await file.size()).toBe(0);
    expect((await file.read()).size).toBe(0);
    const buffer = bytes(1, 2, 3);
    await file.append(buffer);
    buffer.fill(9);
    expect(await file.size()).toBe(3);
    expect(new Uint8Array(await (await file.read()).slice(1, 3).arrayBuffer())).toEqual(bytes(2, 3));
    await file.append(bytes(4));
    await file.close();
    expect(await store.sizeOf('m', 'a/b.bin')).toBe(4);
    expect(await missingBytes(store, model('m'))).toBe(1);

    const again = await store.partial('m', 'a/b.bin');
    await again.append(bytes(5));
    expect(new Uint8Array(await (await again.read()).arrayBuffer())).toEqual(bytes(1, 2, 3, 4, 5));
    await again.clear();
    expect(await again.size()).toBe(0);
    await again.append(bytes(6));
    await again.close();
    expect(await store.sizeOf('m', 'a/b.bin')).toBe(1);
    expect(await store.sizeOf('m', 'other')).toBe(0);
  });

  it('gives only the files of a complete model, and deletes record and files', async () => {
    const store = create();
    const files = Object.entries(sharded())
      .filter(([path]) => path !== 'consolidated.safetensors')
      .map(([path, file]) => ({ path, content: file.bytes }));
    const kept = model('m', {
      files: files.map(({ path, content }) => ({ path, bytes: content.length, sha256: null })),
    });
    await expect(store.source('m')).rejects.toThrow(/No model "m" is kept here/);
    await store.save(kept);
    for (const { path, content } of files) {
      const file = await store.partial('m', path);
      await file.append(content);
      await file.close();
    }
    await expect(store.source('m')).rejects.toThrow(FormatError);
    await expect(store.source('m')).rejects.toThrow(/only half kept: 0 of \d+ bytes are missing or unchecked/);
    await store.save({ ...kept, complete: true });
    const source = await store.source('m');
    expect(await source.read('chat_template.jinja')).toBeNull();
    expect(await source.read(RECORD)).toBeNull();
    expect((await loadModelFiles(source)).config.architecture).toBe('llama');

    await store.delete('m');
    await store.delete('m');
    expect(await store.get('m')).toBeNull();
    expect(await store.sizeOf('m', 'config.json')).toBe(0);
    expect(await store.list()).toEqual([]);
  });

  it('refuses names that point outside a model, or to its record', async () => {
    const store = create();
    for (const id of ['', '..', 'a/b', '.hidden', 'a b', 'x'.repeat(201)]) {
      await expect(store.save(model(id)), id).rejects.toThrow(FormatError);
      await expect(store.partial(id, 'x'), id).rejects.toThrow(FormatError);
    }
    for (const path of ['', '/x', '../x', 'a/../../x', 'a//b', 'a\\b', 'c:x', RECORD]) {
      await expect(store.partial('m', path), path).rejects.toThrow(FormatError);
      await expect(store.save(model('m', { files: [{ path, bytes: 1, sha256: null }] })), path).rejects.toThrow(
        FormatError,
      );
    }
    expect(await store.list()).toEqual([]);
  });
});

describe.each(STORES.filter(({ locks }) => locks))('files in $name', ({ create }) => {
  it('are refused to a second writer', async () => {
    const store = create();
    const first = await store.partial('m', 'x');
    await first.append(bytes(1));
    const second = async () => {
      const file = await store.partial('m', 'x');
      await file.append(bytes(2));
    };
    await expect(second()).rejects.toThrow(StorageError);
    await first.close();
    const third = await store.partial('m', 'x');
    await third.append(bytes(3));
    await third.close();
    expect(await store.sizeOf('m', 'x')).toBe(2);
  });
});

describe('a full store', () => {
  it.each([
    { name: 'memory', create: () => new MemoryModelStore({ room: 8 }), room: 8 },
    { name: 'OPFS in a worker', create: () => opfs(new FakeOpfs({ quota: 8 })), room: 8 },
    { name: 'OPFS in a worker of Chromium', create: () => opfs(new FakeOpfs({ quota: 8, isChromium: true })), room: 8 },
    { name: 'OPFS in a page', create: () => opfs(new FakeOpfs({ inPlace: false, quota: 8 })), room: 8 },
  ])('says how much did not fit in $name, and keeps what was there', async ({ create, room }) => {
    const store = create();
    expect(await store.room()).toBe(room);
    const file = await store.partial('m', 'w.bin');
    await file.append(bytes(1, 2, 3, 4, 5));
    const full = await file.append(bytes(1, 2, 3, 4)).catch((error) => error);
    expect(full).toBeInstanceOf(StorageError);
    expect(full.isFull).toBe(true);
    expect(full.message).toBe('There was no room for 4 B more of w.bin after its first 5 B (3 B are said to be free).');
    expect(full.remedy).toMatch(/Delete kept models/);
    expect(new Uint8Array(await (await file.read()).arrayBuffer())).toEqual(bytes(1, 2, 3, 4, 5));
    await file.append(bytes(6, 7, 8));
    expect(await file.size()).toBe(8);
    expect(await store.room()).toBe(0);
    await file.close();
  });
});

describe('OPFS', () => {
  it('ignores other folders and files', async () => {
    const fake = new FakeOpfs();
    const store = opfs(fake);
    await store.save(model('mine'));
    const models = await (await fake.root()).getDirectoryHandle('models');
    await models.getDirectoryHandle('no record', { create: true });
    await models.getDirectoryHandle('empty', { create: true });
    await models.getFileHandle('a file', { create: true });
    const odd = await models.getDirectoryHandle('odd', { create: true });
    const record = await odd.getFileHandle(RECORD, { create: true });
    const stream = await record.createWritable();
    await stream.write({ type: 'write', position: 0, data: new TextEncoder().encode('{"id":"odd"}') });
    await stream.close();
    expect((await store.list()).map(({ id }) => id)).toEqual(['mine']);
    expect(await store.get('odd')).toBeNull();
  });

  it('has the appended bytes after a crash', async () => {
    const fake = new FakeOpfs();
    const file = await opfs(fake).partial('m', 'w.bin');
    await file.append(bytes(1, 2));
    // The file is not closed, as if the tab had crashed.
    expect(await opfs(fake).sizeOf('m', 'w.bin')).toBe(2);
  });

  it('refuses a complete model with truncated files', async () => {
    const fake = new FakeOpfs();
    const store = opfs(fake);
    const file = await store.partial('m', 'a/b.bin');
    await file.append(bytes(1));
    await file.close();
    await store.save(model('m', { complete: true }));
    const source = await store.source('m');
    await expect(source.read('a/b.bin')).rejects.toThrow(/has 1 of its 5 bytes/);
  });

  it('lists and reads correctly at any moment of concurrent deletes and writes', async () => {
    for (let moment = 0; moment < 60; moment++) {
      const fake = new FakeOpfs({ inPlace: false });
      const store = opfs(fake);
      await store.save(model('gone'));
      await store.save(model('kept'));
      await (await store.partial('gone', 'a/b.bin')).append(bytes(1));
      const asked = Promise.all([store.list(), store.get('kept'), store.get('gone'), store.sizeOf('gone', 'a/b.bin')]);
      for (let i = 0; i < moment; i++) await Promise.resolve();
      const others = [opfs(fake).delete('gone'), opfs(fake).delete('gone'), opfs(fake).save(model('kept'))];
      const [list, kept] = await asked;
      expect([list.map(({ id }) => id), kept?.id], `after ${moment} turns`).toEqual([
        expect.arrayContaining(['kept']),
        'kept',
      ]);
      await Promise.all(others);
    }
  });

  it('reports a browser without such a file system', async () => {
    await expect(createOpfsModelStore().list()).rejects.toThrow(/no file system of its own/);
  });
});

describe('a folder', () => {
  it('is used as a model folder, and keeps other files when the model is deleted', async () => {
    const root = join(folder, 'others');
    const store = new FolderModelStore(root, (id) => join(root, `${id}-here`));
    await store.save(model('m'));
    const file = await store.partial('m', 'a/b.bin');
    await file.append(bytes(1, 2, 3, 4, 5));
    await file.close();
    expect(await readFile(join(root, 'm-here', 'a', 'b.bin'))).toEqual(Buffer.from([1, 2, 3, 4, 5]));
    await writeFile(join(root, 'm-here', 'mine.txt'), 'mine');
    await store.delete('m');
    expect(await readdir(join(root, 'm-here'))).toContain('mine.txt');
    await expect(stat(join(root, 'm-here', 'a', 'b.bin'))).rejects.toThrow(/ENOENT/);
  });

  it('lists only folders with their own record, and refuses a truncated file', async () => {
    const root = join(folder, 'lists');
    const store = new FolderModelStore(root);
    await mkdir(join(root, 'foreign'), { recursive: true });
    await writeFile(join(root, 'foreign', RECORD), 'not JSON');
    await writeFile(join(root, 'a file'), '');
    await store.save(model('m', { complete: true }));
    expect((await store.list()).map(({ id }) => id)).toEqual(['m']);
    await expect(store.source('m')).rejects.toThrow(/a\/b\.bin of m has 0 of its 5 bytes/);
    expect(await store.room()).toBeGreaterThan(0);
  });

  it('reports a missing permission', async () => {
    await writeFile(join(folder, 'in the way'), '');
    const store = new FolderModelStore(join(folder, 'in the way'));
    await expect(store.save(model('m'))).rejects.toThrow(StorageError);
  });
});
