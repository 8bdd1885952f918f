// Tests blobs in a file system of fake handles, with streams and with a worker's in-place access: stored, replaced, never left half written.
import { describe, expect, it } from 'vitest';
import { opfsBlobStore } from './blob-opfs.ts';
import { StorageError } from './kv.ts';

const missing = () => new DOMException('no such entry', 'NotFoundError');

/** The part of a directory that the store uses. `full` is called before each write. */
class FakeDirectory {
  readonly kind = 'directory';
  readonly entries = new Map<string, FakeDirectory | FakeFile>();

  constructor(
    readonly streams: boolean,
    readonly full: () => boolean = () => false,
  ) {}

  async getDirectoryHandle(name: string, { create = false } = {}) {
    if (!this.entries.has(name) && create) this.entries.set(name, new FakeDirectory(this.streams, this.full));
    return this.find(name);
  }

  async getFileHandle(name: string, { create = false } = {}) {
    if (!this.entries.has(name) && create) this.entries.set(name, fakeFile(name, this.streams, this.full));
    return this.find(name);
  }

  async removeEntry(name: string) {
    if (!this.entries.delete(name)) throw missing();
  }

  async *values() {
    yield* this.entries.values();
  }

  private find(name: string) {
    const entry = this.entries.get(name);
    if (!entry) throw missing();
    return entry;
  }
}

interface FakeFile {
  kind: 'file';
  name: string;
  getFile(): Promise<Blob>;
}

function fakeFile(name: string, streams: boolean, full: () => boolean): FakeFile {
  let kept = new Uint8Array(0);
  const file: FakeFile = { kind: 'file', name, getFile: async () => new Blob([kept]) };
  if (streams) {
    const createWritable = async () => {
      let next = new Uint8Array(0);
      return {
        async write(bytes: Uint8Array<ArrayBuffer>) {
          if (full()) throw new DOMException('full', 'QuotaExceededError');
          next = bytes;
        },
        async close() {
          kept = next;
        },
        async abort() {},
      };
    };
    return Object.assign(file, { createWritable });
  }
  const createSyncAccessHandle = async () => ({
    truncate: (size: number) => {
      kept = kept.slice(0, size);
    },
    // Writes at most 4 bytes at a time, as a disk may.
    write: (bytes: Uint8Array, { at }: { at: number }) => {
      // Chromium returns −8 as an unsigned number.
      if (full() && at >= 4) return 4294967288;
      const part = bytes.slice(0, 4);
      kept = Uint8Array.from([...kept.slice(0, at), ...part]);
      return part.length;
    },
    getSize: () => kept.length,
    flush: () => {},
    close: () => {},
  });
  return Object.assign(file, { createSyncAccessHandle });
}

describe.each([
  ['streams', true],
  ['access in place', false],
])('blobs with %s', (_, streams) => {
  const bytes = (...values: number[]) => Uint8Array.from(values);
  const open = (full?: () => boolean) => {
    const root = new FakeDirectory(streams, full);
    return { root, store: opfsBlobStore({ root: async () => root as unknown as FileSystemDirectoryHandle }) };
  };
  const contents = async (store: ReturnType<typeof open>['store'], name: string) => {
    const source = await store.read(name);
    return source && [...new Uint8Array(await source.slice(0, source.size).arrayBuffer())];
  };

  it('can be read whole and in parts, replaced, counted and cleared', async () => {
    const { root, store } = open();
    expect(await store.read('a')).toBeNull();
    expect([await store.usage(), root.entries.size]).toEqual([{ files: 0, bytes: 0 }, 0]);
    await store.write('a', bytes(1, 2, 3, 4, 5, 6, 7, 8, 9));
    await store.write('b', bytes(5).subarray(0, 1));
    expect(await contents(store, 'a')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const part = await (await store.read('a'))!.slice(2, 5).arrayBuffer();
    expect([...new Uint8Array(part)]).toEqual([3, 4, 5]);
    await store.write('a', bytes(7, 6));
    expect(await contents(store, 'a')).toEqual([7, 6]);
    expect(await store.usage()).toEqual({ files: 2, bytes: 3 });
    expect([...root.entries.keys()]).toEqual(['factors']);
    await store.clear();
    await store.clear();
    expect(await store.usage()).toEqual({ files: 0, bytes: 0 });
  });

  it('can be counted during another request, without the files that it deletes', async () => {
    const { root, store } = open();
    await store.write('a', bytes(1, 2));
    await store.write('b', bytes(3));
    const factors = root.entries.get('factors') as FakeDirectory;
    const gone: FakeFile = { kind: 'file', name: 'b', getFile: () => Promise.reject(missing()) };
    factors.entries.set('b', gone);
    factors.entries.set('a.crswap', { kind: 'file', name: 'a.crswap', getFile: async () => new Blob(['draft']) });
    expect(await store.usage()).toEqual({ files: 1, bytes: 2 });
    expect(await store.read('b')).toBeNull();
  });

  it('leave nothing after a write that found no room', async () => {
    let full = false;
    const { store } = open(() => full);
    await store.write('a', bytes(1));
    full = true;
    const write = store.write('b', bytes(1, 2, 3, 4, 5, 6));
    await expect(write).rejects.toThrow(StorageError);
    await expect(write).rejects.toThrow(/6 B more/);
    expect(await store.read('b')).toBeNull();
    expect(await contents(store, 'a')).toEqual([1]);
  });
});

describe('blobs', () => {
  it('report a missing file system', async () => {
    await expect(opfsBlobStore().read('a')).rejects.toThrow(StorageError);
  });
});
