// Tests copying dropped folders into a store: which files are copied, resumed, recognised and refused.

import { FormatError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { StorageError } from '../kv.ts';
import { loadModelFiles } from '../model-files.ts';
import type { PartialFile } from '../model-store.ts';
import { folderSafe, type KeepOptions, keepFiles } from './keep.ts';
import type { ModelProgress } from './progress.ts';
import type { HubFiles } from './testing/hub-server.ts';
import { MemoryModelStore } from './testing/memory.ts';
import { tinyCoder } from './testing/models.ts';

let tiny: HubFiles;
beforeAll(async () => {
  tiny = await tinyCoder();
});

/** The folder is smaller than one part of 4 MiB, which would be slow; the tests are about the store's room and the signal. */
const drop = (change: Record<string, Uint8Array | null> = {}, name = 'tiny coder') => ({
  name,
  files: Object.entries({
    ...Object.fromEntries(Object.entries(tiny).map(([path, { bytes }]) => [path, bytes])),
    ...change,
  })
    .filter((entry): entry is [string, Uint8Array<ArrayBuffer>] => entry[1] !== null)
    .map(([path, bytes]) => ({ path, file: new Blob([bytes]) })),
});
const USED = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors'];

/** Aborts when the copy of this file begins. */
function stopAt(name: string): KeepOptions {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    onProgress: ({ what }) => {
      if (what === name) stop.abort();
    },
  };
}

describe('a dropped folder', () => {
  it('is stored with the files that the lab uses, hashed, and loads', async () => {
    const store = new MemoryModelStore();
    const reports: ModelProgress[] = [];
    const model = await keepFiles(store, drop(), { onProgress: (progress) => reports.push(progress) });
    expect(model).toMatchObject({
      id: 'tiny-coder',
      origin: { kind: 'folder', name: 'tiny coder' },
      complete: true,
      files: USED.map((path) => ({ path, bytes: tiny[path].bytes.length, checked: true })),
    });
    expect(await store.get('tiny-coder')).toEqual(model);
    const files = await loadModelFiles(await store.source('tiny-coder'));
    expect(model.files.at(-1)).toMatchObject({ path: 'model.safetensors', sha256: files.sha256 });
    const total = USED.reduce((sum, path) => sum + tiny[path].bytes.length, 0);
    expect(reports.filter(({ what }) => what === 'model.safetensors').at(-1)).toMatchObject({ done: total, total });
  });

  it('dropped twice is one model; different content under the same name is another one', async () => {
    const store = new MemoryModelStore();
    const first = await keepFiles(store, drop());
    expect(await keepFiles(store, drop())).toEqual(first);
    const other = tiny['model.safetensors'].bytes.slice();
    other[other.length - 1] ^= 1;
    const second = await keepFiles(store, drop({ 'model.safetensors': other }));
    expect(second.id).toBe('tiny-coder-2');
    expect((await keepFiles(store, drop({ 'model.safetensors': other }))).id).toBe('tiny-coder-2');
    expect((await keepFiles(store, drop({}, 'tiny_coder'))).id).toBe('tiny_coder');
    expect((await store.list()).length).toBe(3);
  });

  it('resumes after a stop, but restarts a file that begins with other bytes', async () => {
    const store = new MemoryModelStore();
    const stopped = await keepFiles(store, drop(), stopAt('model.safetensors')).catch((error) => error);
    expect(stopped).toBeInstanceOf(StoppedError);
    expect(await store.get('tiny-coder')).toMatchObject({ complete: false });
    const weights = tiny['model.safetensors'].bytes;
    // Half of the file was stored before; it is correct for one model and wrong for the next.
    const half = async (from: Uint8Array) => {
      const partial = await store.partial('tiny-coder', 'model.safetensors');
      await partial.clear();
      await partial.append(from.subarray(0, 1_000_000));
      await partial.close();
    };
    await half(weights.map((byte) => byte ^ 1));
    const appended: number[] = [];
    counted(store, appended);
    expect((await keepFiles(store, drop())).complete).toBe(true);
    expect(appended).toEqual([weights.length - 1_000_000, weights.length]);
    expect((await loadModelFiles(await store.source('tiny-coder'))).parameters).toBeGreaterThan(0);

    await store.delete('tiny-coder');
    await keepFiles(store, drop(), stopAt('model.safetensors')).catch(() => {});
    await half(weights);
    appended.length = 0;
    await keepFiles(store, drop());
    expect(appended).toEqual([weights.length - 1_000_000]);
  });

  it('that is not a model, or does not fit, leaves nothing behind', async () => {
    const refused = async (source: ReturnType<typeof drop>, store = new MemoryModelStore()) => {
      const error = await keepFiles(store, source).catch((caught) => caught);
      expect(await store.list()).toEqual([]);
      return error;
    };
    expect(await refused(drop({ 'config.json': null }))).toMatchObject({ message: 'tiny coder has no config.json.' });
    const cut = tiny['model.safetensors'].bytes.slice(0, 1000);
    expect(await refused(drop({ 'model.safetensors': cut }))).toBeInstanceOf(FormatError);
    const full = await refused(drop(), new MemoryModelStore({ room: 1_000_000 }));
    expect(full).toBeInstanceOf(StorageError);
    expect(full.message).toBe('tiny coder needs 1.73 MB more, and there is room for 1.00 MB.');
  });

  it('that changes during the copy is refused, with the file’s name', async () => {
    const source = drop();
    const weights = source.files.find(({ path }) => path === 'model.safetensors')!;
    const gone = new DOMException('gone', 'NotReadableError');
    const { file } = weights;
    let reads = 0;
    weights.file = Object.assign(new Blob([file]), {
      slice: (from: number, to: number) => {
        // The file is overwritten after its header was read.
        if (++reads > 2) throw gone;
        return file.slice(from, to);
      },
    });
    const error = await keepFiles(new MemoryModelStore(), source).catch((caught) => caught);
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toMatch(/cannot be read any more \(NotReadableError\)/);
  });

  it('gets a name that is safe for a folder', () => {
    expect(['My model (1)', '..', '.git', 'Qwen3-0.6B', '模型'].map(folderSafe)).toEqual([
      ...['My-model-1', 'model', 'git', 'Qwen3-0.6B', 'model'],
    ]);
  });
});

/** Records the bytes of each append of the weights. */
function counted(store: MemoryModelStore, appended: number[]): void {
  const open = store.partial.bind(store);
  store.partial = async (id: string, path: string): Promise<PartialFile> => {
    const file = await open(id, path);
    if (path !== 'model.safetensors') return file;
    return {
      ...file,
      append: async (bytes) => {
        appended.push(bytes.length);
        await file.append(bytes);
      },
    };
  };
}
