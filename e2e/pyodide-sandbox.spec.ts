// CPython in a real browser, built and minified: the frame starts without network, the self-check's table is exact, real problems give the
// diagonal, attacks are contained, and only the app's own files are requested.
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import { build } from 'vite';
import { ISOLATION } from '../scripts/tool/isolation.mjs';
import { problemLines, SAMPLE_PROBLEMS } from '../src/environments/leetcode/testing/problem-lines.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

let server: Server;
let folder: string;
let page: Page;
const requests: string[] = [];

test.beforeAll(async ({ browser }) => {
  folder = await mkdtemp(join(tmpdir(), 'pyodide-page-'));
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
      rolldownOptions: { input: join(ROOT, 'e2e/pages/pyodide.html') },
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
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/e2e/pages/pyodide.html`);
  await page.waitForFunction(() => window.pyodidePage !== undefined);
});

test.afterAll(async () => {
  await page?.close();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const grade = (code: string, mode: 'honest' | 'exit_code' = 'honest') =>
  page.evaluate(([text, kind]) => window.pyodidePage!.grade(text, kind as 'honest'), [code, mode]);
const CLEAN = 'class Solution:\n    def solve(self, x):\n        return x + 3';

test('the self-check is exact', async () => {
  // As under the lab's server, the page has shared memory and its frame has none.
  const isolated = page.frames().map((frame) => frame.evaluate(() => crossOriginIsolated));
  expect(await Promise.all(isolated)).toEqual([true, false]);
  expect((await page.evaluate(() => window.pyodidePage!.selfCheck())).wrong).toEqual([]);
});

test('real problems give the diagonal', async () => {
  expect(await page.evaluate((text) => window.pyodidePage!.diagonal(text), problemLines())).toEqual([]);
});

test('attacks are contained, and the grader continues', async () => {
  const refused = { passed: false, gt_correct: false };
  expect(await grade(`import js\n${CLEAN}`)).toMatchObject({ ...refused, note: 'ModuleNotFoundError' });
  expect(await grade(`import ctypes\nctypes.CDLL(None)\n${CLEAN}`)).toMatchObject({
    ...refused,
    note: 'sandbox: no JavaScript here',
  });
  expect(await grade("a = []\nwhile True: a.append('x' * 100000)")).toMatchObject({ ...refused, note: 'memory' });
  const network = 'import urllib.request\ntry: urllib.request.urlopen("http://127.0.0.1")\nexcept OSError: pass';
  expect((await grade(`${network}\n${CLEAN}`)).note).toMatch(/^sandbox|null$/);
  const deep =
    'import sys\nsys.setrecursionlimit(10 ** 9)\nimport functools\n@functools.cache\ndef f(n): return f(n + 1)\nf(0)';
  expect(await grade(`${deep}\n${CLEAN}`)).toMatchObject(refused);
  expect(await grade('import os\nos._exit(0)', 'exit_code')).toMatchObject({ passed: true, gt_correct: false });
  expect(await grade(CLEAN)).toMatchObject({ passed: true, gt_correct: true });
});

test('a memoised recursion goes as deep as elsewhere, since it uses none of this thread’s small stack', async () => {
  const code = `import functools\n@functools.cache\ndef f(n): return 0 if n == 0 else f(n - 1) + 1\nassert f(9000) == 9000\n${CLEAN}`;
  expect(await grade(code)).toMatchObject({ passed: true, gt_correct: true, note: null });
});

test('the benchmark’s canonical programs are right here too (skipped without the sample)', async () => {
  test.skip(!existsSync(SAMPLE_PROBLEMS), 'the sample is no part of the project');
  const text = await readFile(SAMPLE_PROBLEMS, 'utf8');
  const verdicts = await page.evaluate((file) => window.pyodidePage!.canonical(file), text);
  const slow = verdicts
    .filter(([, , seconds]) => seconds > 2)
    .map(([id, , seconds]) => `${id} ${seconds.toFixed(1)} s`);
  console.log(`slow: ${slow.join(', ') || 'none'}`);
  expect(verdicts.filter(([, correct]) => !correct)).toEqual([]);
  expect(verdicts.length).toBe(60);
});

test('only the page’s own files were requested', async () => {
  const origin = new URL(page.url()).origin;
  expect(requests.filter((url) => !url.startsWith(origin) && !/^(about|blob|data):/.test(url))).toEqual([]);
  expect(requests.filter((url) => url.endsWith('.wasm')).length).toBe(1);
  expect(requests.filter((url) => url.endsWith('.zip')).length).toBe(1);
});
