// Runs the stores of models in a worker, as the lab does. Each message is a call, answered with its result or its error.

import { loadModelFiles } from '../../src/storage/model-files.ts';
import { type DownloadOptions, downloadModel } from '../../src/storage/models/download.ts';
import { inspectHub } from '../../src/storage/models/hub.ts';
import { keepFiles } from '../../src/storage/models/keep.ts';
import { createOpfsModelStore } from '../../src/storage/models/opfs.ts';

const store = createOpfsModelStore({ folder: 'e2e-models' });

const calls = {
  list: () => store.list(),
  inspect: (repo: string, options: DownloadOptions) => inspectHub(repo, 'main', { ...options, store }),
  download: (repo: string, options: DownloadOptions) => downloadModel(store, repo, 'main', options),
  keep: (name: string, files: { path: string; file: Blob }[]) => keepFiles(store, { name, files }),
  load: async (id: string) => {
    const { sha256, parameters } = await loadModelFiles(await store.source(id));
    return { sha256, parameters };
  },
  sizeOf: (id: string, path: string) => store.sizeOf(id, path),
  /** Opens a file and keeps it open. */
  hold: async (id: string, path: string) => {
    const file = await store.partial(id, path);
    await file.append(new Uint8Array([1]));
  },
  delete: (id: string) => store.delete(id),
} satisfies Record<string, (...args: never[]) => Promise<unknown>>;
export type Calls = typeof calls;

addEventListener('message', async ({ data: { id, name, args } }) => {
  try {
    const work = calls[name as keyof Calls] as (...args: unknown[]) => Promise<unknown>;
    postMessage({ id, result: await work(...args) });
  } catch (error) {
    const { message, remedy } = error as { message: string; remedy?: string };
    postMessage({ id, error: { message, remedy } });
  }
});
