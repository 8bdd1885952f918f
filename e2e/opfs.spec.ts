// Tests the store of models in the browser's file system, used by a worker, and downloads as a page makes them: across origins, behind a redirect,
// from a CDN that exposes no headers and answers no preflight. The server is on this machine.
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import { build } from 'vite';
import { ISOLATION } from '../scripts/tool/isolation.mjs';
import { HubServer, lfs, plain } from '../src/storage/models/testing/hub-server.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };
const REPO = 'lab/tiny-coder';
const ID = 'lab--tiny-coder';
const WEIGHTS = 'model.safetensors';

let server: Server;
let hub: HubServer;
let folder: string;
let page: Page;
let weights: Uint8Array;

test.beforeAll(async ({ browser }) => {
  folder = await mkdtemp(join(tmpdir(), 'opfs-page-'));
  await build({
    root: ROOT,
    configFile: false,
    base: './',
    logLevel: 'error',
    publicDir: false,
    worker: { format: 'es' },
    build: {
      target: 'es2023',
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: { input: join(ROOT, 'e2e/pages/opfs.html') },
    },
  });
  server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream');
    for (const [name, value] of Object.entries(ISOLATION)) response.setHeader(name, value);
    createReadStream(join(folder, path))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const read = async (name: string) => new Uint8Array(await readFile(join(ROOT, 'public/models/tiny-coder', name)));
  weights = await read(WEIGHTS);
  hub = await new HubServer().start();
  hub.commit(REPO, {
    'config.json': plain(await read('config.json')),
    'tokenizer.json': lfs(await read('tokenizer.json')),
    'tokenizer_config.json': plain(await read('tokenizer_config.json')),
    [WEIGHTS]: lfs(weights),
  });
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/e2e/pages/opfs.html`);
  await page.waitForFunction(() => window.opfsPage !== undefined);
});

test.afterAll(async () => {
  await page?.close();
  await hub?.stop();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const options = () => ({ endpoint: hub.endpoint, partBytes: 400_000 });
const download = (more: { accessToken?: string } = {}) =>
  page.evaluate(([repo, how]) => window.opfsPage!.call('download', repo, how), [
    REPO,
    { ...options(), ...more },
  ] as const);
const sizeOf = async (path: string) =>
  (await page.evaluate(([id, name]) => window.opfsPage!.call('sizeOf', id, name), [ID, path] as const)).result ?? -1;
const load = (id: string) => page.evaluate((name) => window.opfsPage!.call('load', name), id);

test('a download that ends with its tab resumes after the written bytes', async () => {
  // The page is isolated, as by the lab's server, so it may read other origins only by CORS.
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  hub.fail(WEIGHTS, { kind: 'cut', after: 0 });
  const seen = await page.evaluate(([repo, how]) => window.opfsPage!.call('inspect', repo, how), [
    REPO,
    options(),
  ] as const);
  expect(seen.error).toBeUndefined();
  expect(seen.result).toMatchObject({ id: ID, kept: null, missingBytes: seen.result!.bytes, hasChatTemplate: true });
  expect(seen.result!.roomBytes).toBeGreaterThan(1e6);

  const whole = { kind: 'cut', after: Number.POSITIVE_INFINITY } as const;
  // The header and two parts are served; the third part never ends.
  hub.fail(WEIGHTS, whole, whole, { kind: 'cut', after: 0 }, whole, { kind: 'hang', after: 100 });
  // The call is never answered, since its worker is ended; an unhandled rejection would fail the test.
  void download().catch(() => {});
  await expect.poll(() => sizeOf(WEIGHTS)).toBe(800_000);
  await page.evaluate(() => window.opfsPage!.restart());
  const there = await sizeOf(WEIGHTS);
  expect(there).toBe(800_000);
  hub.forget();
  const { result, error } = await download();
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ id: ID, complete: true });
  expect(hub.served.get(WEIGHTS) ?? 0).toBe(weights.length - there);
  expect((await load(ID)).result).toMatchObject({ sha256: result!.files.at(-1)!.sha256 });
  // No request needs a preflight.
  expect(hub.asked.filter(({ method }) => method === 'OPTIONS')).toEqual([]);
});

test('a token is sent only to the Hub', async () => {
  await page.evaluate((id) => window.opfsPage!.call('delete', id), ID);
  hub.gate(REPO, { gated: true });
  expect((await download()).error?.message).toMatch(/gated, and it needs an access token/);
  hub.forget();
  const { result, error } = await download({ accessToken: 'hf_accepted' });
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ complete: true });
  const toCdn = hub.asked.filter(({ isCdn }) => isCdn);
  expect(toCdn.length).toBeGreaterThan(4);
  expect(toCdn.every(({ authorization, method }) => authorization === null && method === 'GET')).toBe(true);
});

test('dropped files are kept beside a download, listed, refused to a second writer, and deleted', async () => {
  const kept = await page.evaluate(
    async ([id, base]) => {
      const names = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors'];
      const root = await navigator.storage.getDirectory();
      const model = await (await root.getDirectoryHandle('e2e-models')).getDirectoryHandle(id);
      const files = await Promise.all(
        names.map(async (path) => ({ path, file: await (await model.getFileHandle(path)).getFile() })),
      );
      return window.opfsPage!.call('keep', base, files);
    },
    [ID, 'my folder'] as const,
  );
  expect(kept.error).toBeUndefined();
  expect(kept.result).toMatchObject({ id: 'my-folder', complete: true });
  expect((await load('my-folder')).result).toEqual((await load(ID)).result);
  const list = async () => (await page.evaluate(() => window.opfsPage!.call('list'))).result!.map(({ id }) => id);
  expect(await list()).toEqual([ID, 'my-folder']);

  const hold = () => page.evaluate(() => window.opfsPage!.call('hold', 'half', 'x.bin'));
  expect((await hold()).error).toBeUndefined();
  expect((await hold()).error).toMatchObject({ message: 'x.bin is being written by another tab of the lab.' });
  await page.evaluate(() => window.opfsPage!.restart());
  // The lock is released when its worker ends.
  await expect.poll(async () => (await hold()).error ?? null).toBeNull();
  for (const id of [ID, 'my-folder', 'my-folder']) {
    expect((await page.evaluate((name) => window.opfsPage!.call('delete', name), id)).error).toBeUndefined();
  }
  expect(await list()).toEqual([]);
  expect((await load(ID)).error?.message).toMatch(/No model "lab--tiny-coder" is kept here/);
});

test('a full disk gives its named error, and stored files stay', async ({ browser }) => {
  const context = await browser.newContext();
  const full = await context.newPage();
  await full.goto(page.url());
  await full.waitForFunction(() => window.opfsPage !== undefined);
  const session = await context.newCDPSession(full);
  const { origin } = new URL(full.url());
  // The browser reports more room than this quota, which shows only on writing.
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1_000_000 });

  hub.gate(REPO, { gated: false });
  const ask = () =>
    full.evaluate(([repo, how]) => window.opfsPage!.call('download', repo, how), [REPO, options()] as const);
  const kept = () => full.evaluate(([id, name]) => window.opfsPage!.call('sizeOf', id, name), [ID, WEIGHTS] as const);
  expect((await ask()).error?.message).toMatch(
    /^There was no room for 400 kB more of model\.safetensors after its first 800 kB \(.* are said to be free\)\.$/,
  );
  expect((await kept()).result).toBe(800_000);
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 3_000_000 });
  expect((await ask()).result).toMatchObject({ complete: true });
  await context.close();
});
