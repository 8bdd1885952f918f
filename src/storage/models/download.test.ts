// Tests downloads from a local server with the Hub's HTTP API: the result, and how many bytes are fetched twice after an
// interruption.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { HubError } from '../errors.ts';
import { loadModelFiles } from '../model-files.ts';
import { openModelText } from '../model-text.ts';
import { downloadModel } from './download.ts';
import { inspectHub } from './hub.ts';
import type { ModelProgress } from './progress.ts';
import {
  get,
  hashOf,
  options,
  ranges,
  server,
  stopAt,
  stored,
  TINY,
  tiny,
  USED,
  usedBytes,
  WEIGHTS,
  waits,
  weights,
  withHub,
} from './testing/hub.ts';
import { plain } from './testing/hub-server.ts';
import { MemoryModelStore } from './testing/memory.ts';
import { sharded } from './testing/models.ts';

withHub();

describe('a model of the Hub', () => {
  it('can be inspected with 128 KiB of its weights', async () => {
    const store = new MemoryModelStore({ room: 10 ** 9 });
    const seen = await inspectHub(TINY, 'main', { ...options(), store });
    expect(seen).toMatchObject({
      id: 'lab--tiny-coder',
      repo: TINY,
      revision: 'main',
      gated: false,
      kept: null,
      roomBytes: 10 ** 9,
      hasTokenizer: true,
      hasChatTemplate: true,
      bytes: usedBytes(),
      missingBytes: usedBytes(),
      warnings: [],
      weightBytes: weights().length,
    });
    // A weight has two bytes, and the file also has a header.
    expect(seen.parameters * 2).toBeLessThan(weights().length);
    expect(seen.parameters * 2).toBeGreaterThan(0.99 * weights().length);
    expect(seen.files.map(({ path }) => path)).toEqual(USED);
    expect(server.served.get('tokenizer.json')).toBeUndefined();
    expect(server.served.get(WEIGHTS)).toBe(128 * 2 ** 10);
    expect(await store.list()).toEqual([]);
  });

  it('is complete and checked after the download, and loads', async () => {
    const store = new MemoryModelStore();
    const reports: ModelProgress[] = [];
    const model = await get(store, { onProgress: (progress) => reports.push(progress) });
    expect(model).toMatchObject({ id: 'lab--tiny-coder', complete: true });
    expect(model.origin).toMatchObject({ kind: 'hub', repo: TINY, revision: 'main' });
    expect(model.files.map(({ path, bytes, checked }) => ({ path, bytes, checked }))).toEqual(
      USED.map((path) => ({ path, bytes: tiny[path].bytes.length, checked: true })),
    );
    expect(model.files.every(({ sha256 }) => sha256 !== null)).toBe(true);
    const source = await store.source(model.id);
    const files = await loadModelFiles(source);
    expect(files.sha256).toBe(model.files.find(({ path }) => path === WEIGHTS)!.sha256);
    expect((await openModelText(files, model.id)).codec.vocabSize).toBeGreaterThan(0);
    expect(server.served.has('pytorch_model.bin')).toBe(false);
    const last = reports.filter(({ what }) => what === WEIGHTS).at(-1)!;
    expect(last).toMatchObject({ done: usedBytes(), total: usedBytes(), etaSeconds: 0 });
    expect(reports.map(({ what }) => what)).toContain(`checking ${WEIGHTS}`);
  });

  it('is fetched once: the second time no file is requested', async () => {
    const store = new MemoryModelStore();
    const first = await get(store);
    server.forget();
    expect(await get(store)).toEqual(first);
    expect(server.totalServed()).toBe(0);
    expect((await inspectHub(TINY, 'main', { ...options(), store })).missingBytes).toBe(0);
  });

  it('at a new commit with the same files is the same model, with the new commit', async () => {
    const store = new MemoryModelStore();
    const first = await get(store);
    const commit = server.commit(TINY, { ...tiny, 'README.md': plain('# Another text') });
    server.forget();
    const again = await get(store);
    expect(again).toEqual({ ...first, origin: { ...first.origin, commit } });
    expect(await store.get(first.id)).toEqual(again);
    expect(server.totalServed()).toBe(0);
  });

  it('in shards has only the shards of its index; a listing may have pages', async () => {
    server.commit('lab/sharded', sharded());
    server.pageSize = 2;
    const store = new MemoryModelStore();
    const seen = await inspectHub('lab/sharded', 'main', options());
    expect(seen).toMatchObject({ hasTokenizer: false, hasChatTemplate: false });
    expect(seen.warnings.join()).toMatch(/no tokenizer\.json and tokenizer_config\.json/);
    const model = await get(store, {}, 'lab/sharded');
    expect(model.files.map(({ path }) => path)).toEqual([
      'config.json',
      'model.safetensors.index.json',
      ...[1, 2, 3].map((n) => `model-0000${n}-of-00003.safetensors`),
    ]);
    expect((await loadModelFiles(await store.source(model.id))).parameters).toBe(seen.parameters);
  });

  it('of another revision is another model, and a branch with a slash can be named', async () => {
    server.commit(
      TINY,
      { ...tiny, 'config.json': plain(`${new TextDecoder().decode(tiny['config.json'].bytes)} `) },
      'v2',
    );
    const store = new MemoryModelStore();
    await get(store);
    const other = await downloadModel(store, TINY, 'v2', options());
    expect(other.id).toBe('lab--tiny-coder--v2');
    expect((await store.list()).length).toBe(2);
    server.commit(TINY, tiny, 'refs/pr/1');
    expect((await inspectHub(TINY, 'refs/pr/1', options())).id).toBe('lab--tiny-coder--refs-pr-1');
  });
});

describe('a download that breaks', () => {
  it('resumes at the byte where the connection was cut', async () => {
    const store = new MemoryModelStore();
    // The header was inspected before, since the inspection would consume the faults.
    await get(store, stopAt(10)).catch(() => {});
    server.forget();
    server.fail(WEIGHTS, { kind: 'status', status: 503 }, { kind: 'cut', after: 100_000 }, { kind: 'cut', after: 0 });
    const reports: string[] = [];
    expect((await get(store, { onProgress: ({ what }) => reports.push(what) })).complete).toBe(true);
    expect(await stored(store)).toBe(hashOf(weights()));
    expect(waits).toEqual([500, 500, 1000]);
    const at = reports.indexOf('waiting 1 s (status 503)');
    expect(reports[at - 1]).toBe(WEIGHTS);
    expect(reports.slice(at).filter((what) => what === WEIGHTS).length).toBeGreaterThan(0);
    expect(ranges().slice(0, 4)).toEqual([0, 0, 100_000, 100_000].map((at) => `bytes=${at}-${at + 299_999}`));
    expect(server.served.get(WEIGHTS)).toBe(weights().length);
  });

  it('waits longer each time, and gives up with the file’s name if nothing more comes', async () => {
    const store = new MemoryModelStore();
    await get(store, stopAt(700_000)).catch(() => {});
    const there = await store.sizeOf('lab--tiny-coder', WEIGHTS);
    // Ten more bytes come, and then nothing: this progress counts, so the waits start again once.
    server.fail(WEIGHTS, { kind: 'cut', after: 0 }, { kind: 'cut', after: 10 });
    server.fail(WEIGHTS, ...Array.from({ length: 20 }, () => ({ kind: 'cut', after: 0 }) as const));
    const lost = await get(store).catch((error) => error);
    expect(lost).toBeInstanceOf(HubError);
    expect(lost.message).toMatch(/was lost 6 times in a row at model\.safetensors/);
    expect(lost.remedy).toMatch(/continues where it stopped/);
    expect(waits).toEqual([500, 500, 1000, 2000, 4000, 8000]);
    expect(await store.sizeOf('lab--tiny-coder', WEIGHTS)).toBe(there + 10);
  });

  it('detects a stalled connection', async () => {
    const store = new MemoryModelStore();
    await get(store, stopAt(200_000)).catch(() => {});
    const there = await store.sizeOf('lab--tiny-coder', WEIGHTS);
    server.fail(WEIGHTS, { kind: 'hang', after: 1000 });
    const retries: string[] = [];
    await get(store, { stallMs: 500, onRetry: (why) => retries.push(why) });
    // A slow machine may retry more often.
    expect(new Set(retries)).toEqual(new Set(['nothing came for 0.5 s']));
    expect(there).toBeGreaterThan(0);
    expect(await stored(store)).toBe(hashOf(weights()));
  });

  it('keeps the received bytes after a stop, and later fetches only the rest', async () => {
    const store = new MemoryModelStore();
    const stopped = await get(store, stopAt(700_000)).catch((error) => error);
    expect(stopped).toBeInstanceOf(StoppedError);
    const there = await store.sizeOf('lab--tiny-coder', WEIGHTS);
    expect(there).toBeGreaterThanOrEqual(600_000);
    expect(there).toBeLessThan(weights().length);
    expect(await store.get('lab--tiny-coder')).toMatchObject({ complete: false });
    const seen = await inspectHub(TINY, 'main', { ...options(), store });
    expect(seen.missingBytes).toBe(weights().length - there);
    await expect(store.source('lab--tiny-coder')).rejects.toThrow(/half kept/);

    server.forget();
    const reports: ModelProgress[] = [];
    await get(store, { onProgress: (progress) => reports.push(progress) });
    expect(server.totalServed()).toBe(weights().length - there);
    expect(reports[0]).toMatchObject({
      what: WEIGHTS,
      done: usedBytes() - weights().length + there,
      total: usedBytes(),
    });
    expect(await stored(store)).toBe(hashOf(weights()));
  });

  it('requests consecutive parts in order', async () => {
    const store = new MemoryModelStore();
    await get(store, { partBytes: 1_000_000 });
    // The first range is the inspection of the header.
    expect(ranges().slice(1)).toEqual(['bytes=0-999999', `bytes=1000000-${weights().length - 1}`]);
  });

  it('resumes with a server without ranges, without writing a byte twice', async () => {
    const store = new MemoryModelStore();
    await get(store, stopAt(700_000)).catch(() => {});
    const there = await store.sizeOf('lab--tiny-coder', WEIGHTS);
    server.knowsRanges = false;
    server.forget();
    const model = await get(store);
    expect(there).toBeGreaterThan(0);
    expect(model.complete).toBe(true);
    expect(server.served.get(WEIGHTS)).toBe(weights().length);
    expect(await stored(store)).toBe(hashOf(weights()));
  });

  it('can inspect and download a model from a server without ranges', async () => {
    server.knowsRanges = false;
    const store = new MemoryModelStore();
    expect((await get(store)).complete).toBe(true);
    expect(await stored(store)).toBe(hashOf(weights()));
  });
});
