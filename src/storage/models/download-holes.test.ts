// Tests downloads of a model with parts that the lab does not read: they are not fetched, are stored as zeros, and an interrupted download
// resumes before and after them.
import { expect, it } from 'vitest';
import { loadModelFiles } from '../model-files.ts';
import { sumsOf, withPartial } from '../model-store.ts';
import { SafetensorsFile } from '../safetensors.ts';
import { writeSafetensors } from '../safetensors-write.ts';
import { memorySource } from '../sources.ts';
import { hybridConfigJson, hybridTensors } from '../testing/hybrid.ts';
import { inspectHub } from './hub.ts';
import type { ModelProgress } from './progress.ts';
import { get, options, server, stopAt, WEIGHTS, withHub } from './testing/hub.ts';
import { lfs, plain } from './testing/hub-server.ts';
import { MemoryModelStore } from './testing/memory.ts';

withHub();

const REPO = 'lab/hybrid';
const ID = 'lab--hybrid';
const weights = writeSafetensors(hybridTensors());
const config = JSON.stringify(hybridConfigJson());
const publish = () => server.commit(REPO, { 'config.json': plain(config), [WEIGHTS]: lfs(weights) });
const CUT = 2 * (64 * 1024 + 64 + 64 * 512);
const NEEDED = weights.length - CUT + config.length;
/** Number of bytes that an inspection of the headers fetches. */
const HEAD = Math.min(weights.length, 128 * 2 ** 10);

const kept = (store: MemoryModelStore) =>
  withPartial(store, ID, WEIGHTS, async (file) => new Uint8Array(await (await file.read()).arrayBuffer()));

async function expected(): Promise<Uint8Array> {
  const { tensors } = await SafetensorsFile.open(new Blob([weights]), 'weights');
  const bytes = weights.slice();
  for (const [name, { start, end }] of tensors) if (/^(model\.visual|mtp)\./.test(name)) bytes.fill(0, start, end);
  return bytes;
}
const isEqual = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

it('reports how many bytes it will fetch, and fetches no more', async () => {
  publish();
  const store = new MemoryModelStore();
  const seen = await inspectHub(REPO, 'main', { ...options(), store });
  expect(seen).toMatchObject({ bytes: NEEDED, missingBytes: NEEDED, weightBytes: weights.length });
  expect(seen.warnings.join(' ')).toMatch(/The text part needs [\d.]+ kB of [\d.]+ kB/);
  const looked = server.served.get(WEIGHTS)!;
  expect(looked).toBe(HEAD);

  const reports: ModelProgress[] = [];
  const model = await get(store, { onProgress: (progress) => reports.push(progress) }, REPO);
  expect(model.complete).toBe(true);
  // The download reads the headers once more.
  expect(server.served.get(WEIGHTS)! - looked).toBe(HEAD + weights.length - CUT);
  expect(reports.filter(({ what }) => what === WEIGHTS).at(-1)).toMatchObject({ done: NEEDED, total: NEEDED });
  expect(isEqual(await kept(store), await expected())).toBe(true);

  const files = await loadModelFiles(await store.source(ID));
  const whole = new Map([
    ['config.json', new Blob([config])],
    [WEIGHTS, new Blob([weights])],
  ]);
  expect(files.sha256).toBe((await loadModelFiles(memorySource(whole))).sha256);
  expect(model.files.find(({ path }) => path === WEIGHTS)?.sha256WithoutHoles).toBe(files.sha256);
  // A second request fetches nothing.
  const asked = server.served.get(WEIGHTS);
  expect((await get(store, {}, REPO)).complete).toBe(true);
  expect(server.served.get(WEIGHTS)).toBe(asked);
  expect((await inspectHub(REPO, 'main', { ...options(), store })).missingBytes).toBe(0);
});

it.each([1_000, 20_000, 140_000, 200_000])('stopped after %i bytes, resumes with the rest', async (bytes) => {
  publish();
  const store = new MemoryModelStore();
  const parts = { partBytes: 7_000 };
  const stopped = await get(store, { ...stopAt(bytes), ...parts }, REPO).catch(() => null);
  const first = server.served.get(WEIGHTS)!;
  const model = stopped ?? (await get(store, parts, REPO));
  expect(model.complete).toBe(true);
  expect(isEqual(await kept(store), await expected())).toBe(true);
  // Nothing was fetched twice except headers and at most one part.
  expect(server.served.get(WEIGHTS)!).toBeLessThanOrEqual(2 * HEAD + weights.length - CUT + 7_000);
  expect(first).toBeGreaterThan(0);
});

it('detects bytes that changed after the download', async () => {
  publish();
  const store = new MemoryModelStore();
  const model = await get(store, {}, REPO);
  const bytes = await kept(store);
  // Folder and OPFS stores supply their record's hashes with the files.
  const source = async () => ({ ...(await store.source(ID)), sums: async () => sumsOf(model) });
  await loadModelFiles(await source());
  bytes[bytes.length - 64 * 512 * 2 - 3] ^= 1;
  await withPartial(store, ID, WEIGHTS, async (file) => {
    await file.clear();
    await file.append(bytes);
  });
  await expect(loadModelFiles(await source())).rejects.toThrow('is damaged or was changed');
});
