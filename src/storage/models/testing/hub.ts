// Helpers for the download tests: a local Hub with the embedded model, a client whose waits take no time, and a stop at a known byte.
import { createHash } from 'node:crypto';
import { beforeAll, beforeEach } from 'vitest';
import { withPartial } from '../../model-store.ts';
import { type DownloadOptions, downloadModel } from '../download.ts';
import { type HubFiles, HubServer } from './hub-server.ts';
import type { MemoryModelStore } from './memory.ts';
import { tinyCoder } from './models.ts';

export const TINY = 'lab/tiny-coder';
export const WEIGHTS = 'model.safetensors';
export const USED = ['config.json', 'tokenizer.json', 'tokenizer_config.json', WEIGHTS];

/** The server of the current test. */
export let server: HubServer;
export let tiny: HubFiles;
/** The requested waits in milliseconds. */
export const waits: number[] = [];

/** Must be called once, at the top of a test file. */
export function withHub(): void {
  beforeAll(async () => {
    tiny = await tinyCoder();
  });
  beforeEach(async () => {
    server = await new HubServer().start();
    server.commit(TINY, tiny);
    waits.length = 0;
    return () => server.stop();
  });
}

/** Download options whose waits take no time. */
export const options = (more: DownloadOptions = {}): DownloadOptions => ({
  endpoint: more.endpoint ?? server.endpoint,
  partBytes: 300_000,
  stallMs: 5_000,
  sleep: async (ms) => void waits.push(ms),
  ...more,
});
export const get = (store: MemoryModelStore, more: DownloadOptions = {}, repo = TINY) =>
  downloadModel(store, repo, 'main', options(more));
export const weights = () => tiny[WEIGHTS].bytes;
export const usedBytes = () => USED.reduce((sum, path) => sum + tiny[path].bytes.length, 0);

/** Tests compare hashes, since vitest needs many seconds to compare large arrays. */
export const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
export const stored = (store: MemoryModelStore, id = 'lab--tiny-coder', path = WEIGHTS): Promise<string> =>
  withPartial(store, id, path, async (file) => hashOf(new Uint8Array(await (await file.read()).arrayBuffer())));

/** Stops after this number of bytes; parts are written when they end, so it is always at the same byte. */
export function stopAt(bytes: number): Pick<DownloadOptions, 'signal' | 'now' | 'onProgress'> {
  const stop = new AbortController();
  let clock = 0;
  return {
    signal: stop.signal,
    now: () => {
      clock += 1000;
      return clock;
    },
    onProgress: ({ what, done }) => {
      if (done >= bytes && !what.startsWith('checking')) stop.abort();
    },
  };
}
/** Requested ranges of the weights. */
export const ranges = () =>
  server.asked.filter(({ url, isCdn }) => isCdn && url.endsWith(WEIGHTS)).map(({ range }) => range);
