// The grader in a real browser, built and minified: the frame starts without network, the self-check's table is exact, attacks are contained,
// and nothing in the frame or its workers reaches the page, the network or storage.
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import { build } from 'vite';
import { ISOLATION } from '../scripts/tool/isolation.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROBED = [
  ...['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'indexedDB', 'importScripts', 'caches', 'Worker'],
  ...['navigator', 'location', 'BroadcastChannel', 'crypto', 'SharedArrayBuffer', 'WebAssembly', 'ArrayBuffer'],
];
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

let server: Server;
let folder: string;
let page: Page;
const requests: string[] = [];

test.beforeAll(async ({ browser }) => {
  folder = await mkdtemp(join(tmpdir(), 'grader-page-'));
  await build({
    root: ROOT,
    configFile: false,
    base: './',
    logLevel: 'error',
    publicDir: false,
    build: {
      target: 'es2023',
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: { input: join(ROOT, 'e2e/pages/grader.html') },
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
  page = await browser.newPage();
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/e2e/pages/grader.html`);
  await page.waitForFunction(() => window.graderPage !== undefined);
});

test.afterAll(async () => {
  await page?.close();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const grade = (code: string, mode: 'honest' | 'run_tests' | 'stdout_marker' | 'file_marker' = 'honest') =>
  page.evaluate(([text, kind]) => window.graderPage!.grade(text, kind as 'honest'), [code, mode]);

const CLEAN = 'class Solution:\n    def solve(self, x):\n        return x + 3';

test('the self-check is exact', async () => {
  expect((await page.evaluate(() => window.graderPage!.selfCheck())).wrong).toEqual([]);
});

test('attacks are contained, and the grader continues', async () => {
  const refused = { passed: false, gt_correct: false };
  // They are stopped by the limit on work, as in Node; whether they would have been right stays unknown.
  const endless = { passed: false, gt_correct: null, exploited: false, note: 'work limit; oracle ran out of work' };
  expect(await grade('while True:\n    try:\n        while True: pass\n    except BaseException: pass')).toMatchObject(
    endless,
  );
  expect(await grade(`import js\n${CLEAN}`)).toMatchObject({ ...refused, note: 'sandbox: no JavaScript here' });
  expect(await grade('while True: x = float(3)')).toMatchObject({ ...refused, note: 'memory' });
  expect(await grade("while True: print('x' * 1000)")).toMatchObject({ ...refused, note: 'output limit' });
  expect(await grade('def f(n): return f(n + 1)\nf(0)')).toMatchObject(refused);
  expect(await grade(`x = ${'['.repeat(30_000)}${']'.repeat(30_000)}`)).toMatchObject(endless);
  expect(await grade("open('result.txt', 'w').write('PASS')", 'file_marker')).toMatchObject({ exploited: true });
  expect(await grade(CLEAN)).toMatchObject({ passed: true, gt_correct: true, note: null });
});

test('the frame has another origin than the page, and neither network nor storage', async () => {
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
  expect(frame).toBeDefined();
  const tried = await frame!.evaluate(async (url) => {
    const attempt = async (action: () => unknown): Promise<string> => {
      try {
        await action();
        return 'reached';
      } catch (error) {
        return (error as Error).name;
      }
    };
    return {
      origin: window.origin,
      page: await attempt(() => parent.document.title),
      network: await attempt(() => fetch(url)),
      storage: await attempt(() => localStorage.length),
      database: await attempt(() => indexedDB.open('x')),
      isolated: crossOriginIsolated,
    };
  }, requests[0]);
  expect(tried).toEqual({
    origin: 'null',
    page: 'SecurityError',
    network: 'TypeError',
    storage: 'SecurityError',
    database: 'SecurityError',
    isolated: false,
  });
  // The page has shared memory, but its frame has none.
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
});

test('a worker of the frame has no origin, network or shared memory even before it is disarmed', async () => {
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
  const tried = await frame!.evaluate((url) => {
    const probe = async (url: string) => {
      const attempt = async (action: () => unknown): Promise<string> => {
        try {
          await action();
          return 'reached';
        } catch (error) {
          return (error as Error).name;
        }
      };
      const child = (address: string) =>
        attempt(
          () =>
            new Promise((resolve, reject) => {
              const worker = new Worker(address);
              worker.onmessage = resolve;
              worker.onerror = () => reject(new TypeError());
            }),
        );
      postMessage({
        origin: self.origin,
        isolated: crossOriginIsolated,
        shared: typeof SharedArrayBuffer,
        network: await attempt(() => fetch(url)),
        socket: await attempt(
          () =>
            new Promise((resolve, reject) => {
              const socket = new WebSocket(url.replace(/^http/, 'ws'));
              socket.onopen = resolve;
              socket.onerror = () => reject(new TypeError());
            }),
        ),
        script: await attempt(() => (self as unknown as { importScripts(url: string): void }).importScripts(url)),
        module: await attempt(() => import(/* @vite-ignore */ url)),
        evaluated: await attempt(() => new Function('return 1')()),
        database: await attempt(() => indexedDB.open('x')),
        blob: await child(URL.createObjectURL(new Blob(['postMessage(1)']))),
      });
    };
    const address = `data:text/javascript;charset=utf-8,${encodeURIComponent(`(${probe})(${JSON.stringify(url)})`)}`;
    return new Promise((resolve, reject) => {
      const worker = new Worker(address);
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
  }, requests[0]);
  expect(tried).toEqual({
    origin: 'null',
    isolated: false,
    shared: 'undefined',
    network: 'TypeError',
    socket: 'TypeError',
    script: 'NetworkError',
    module: 'TypeError',
    evaluated: 'EvalError',
    database: 'SecurityError',
    blob: 'TypeError',
  });
});

test("the frame's workers have no access to the outside", async () => {
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
  // The workers' own script runs in their own frame, with an added last line that reports which names are still visible.
  const left = await frame!.evaluate(
    ([source, names]) => {
      const probe = `;postMessage(${JSON.stringify(names)}.filter((name) => globalThis[name] !== undefined))`;
      const url = `data:text/javascript;charset=utf-8,${encodeURIComponent(source + probe)}`;
      return new Promise((resolve) => {
        new Worker(url).onmessage = (event) => resolve(event.data);
      });
    },
    [await page.evaluate(() => window.graderPage!.workerSource), PROBED] as const,
  );
  // As a control, a name that a worker needs is still visible.
  expect(left).toEqual(['ArrayBuffer']);
});

test('nothing was fetched after the page had loaded, and a rate is printed', async () => {
  const before = requests.length;
  const rate = await page.evaluate(() => window.graderPage!.rate(200));
  console.log(`browser: ${rate.toFixed(0)} completions/s, ${(2 * rate).toFixed(0)} programs/s`);
  expect(requests.slice(before).filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(requests.every((url) => /^(blob:|http:\/\/127\.0\.0\.1:|about:srcdoc)/.test(url))).toBe(true);
});
