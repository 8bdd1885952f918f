// Tests the service worker with a build's list of files, before a simulated host and cache storage: what it caches, serves and refuses, and when
// it unregisters itself.
import { createHash, webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { headersFile, isKeptFirst, labUrl, nginxFile, workerOf } from './hosting-plugin.mjs';
import { at } from './project.mjs';

const SCRIPT = readFileSync(at('public', 'service-worker.js'), 'utf8');
const LAB = readFileSync(at('index.html'), 'utf8');
const HOME = 'https://host.example/lab/';
const hash = (text) => createHash('sha256').update(text).digest('base64');
const document = { mode: 'navigate', destination: 'document' };

/** A simulated cache storage with the methods that the worker uses. */
function storage() {
  const all = new Map();
  return {
    all,
    broken: false,
    async keys() {
      return [...all.keys()];
    },
    async has(name) {
      return all.has(name);
    },
    async delete(name) {
      return all.delete(name);
    },
    async open(name) {
      if (this.broken) throw new DOMException('no storage here', 'SecurityError');
      if (!all.has(name)) all.set(name, new Map());
      const files = all.get(name);
      return {
        match: async (key) => files.get(key)?.clone(),
        put: async (key, response) => {
          if (this.full) throw new DOMException('full', 'QuotaExceededError');
          files.set(key, response);
        },
      };
    },
  };
}

/** A build of `files` ({ path: text }), of which `first` are cached at installation. */
const build = (files, first = Object.keys(files)) =>
  workerOf(
    SCRIPT,
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, [hash(text), first.includes(path) ? 1 : 0]])),
  );

/** Runs the worker; `host` maps paths to texts or responses, and any other path is offline. */
function worker(script, host, caches, windows = []) {
  const seen = { listeners: new Map(), asked: [], left: 0, skipped: 0, late: [] };
  const scope = {
    URL,
    Headers,
    Response,
    DOMException,
    Uint8Array,
    btoa,
    caches,
    setTimeout,
    crypto: webcrypto,
    location: { href: `${HOME}service-worker.js` },
    registration: { unregister: async () => void seen.left++ },
    clients: { matchAll: async () => windows.map((path) => ({ url: HOME + path })) },
    skipWaiting: async () => void seen.skipped++,
    addEventListener: (type, listener) => seen.listeners.set(type, listener),
    fetch: async (request) => {
      const path = (request.url ?? request).slice(HOME.length).replace(/[?#].*$/, '');
      seen.asked.push(path);
      const answer = host[path];
      if (answer === undefined) throw new TypeError('offline');
      return typeof answer === 'string' ? new Response(answer) : answer.clone();
    },
  };
  scope.globalThis = scope;
  runInContext(script, createContext(scope));
  const settle = async (type, event = {}) => {
    const waits = [];
    seen.listeners.get(type)({ ...event, waitUntil: (promise) => waits.push(promise) });
    await Promise.all(waits);
  };
  const ask = async (path, { mode = 'cors', destination = '', headers = new Headers(), method = 'GET' } = {}) => {
    let made = null;
    const waits = [];
    seen.listeners.get('fetch')({
      request: { url: new URL(path, HOME).href, mode, destination, headers, method },
      respondWith: (response) => {
        made = response;
      },
      waitUntil: (promise) => waits.push(promise),
    });
    const response = await made;
    await Promise.all(waits);
    return response;
  };
  return { seen, settle, ask };
}

const FILES = { 'index.html': LAB, 'assets/a-1.js': 'self', 'models/m/model.safetensors': 'weights' };

describe('a cached lab', () => {
  it('answers offline with the files of its build, isolated, and for nothing else', async () => {
    const caches = storage();
    const online = worker(
      build({ ...FILES, 'results/q1.json.gz': 'rows' }, Object.keys(FILES)),
      { ...FILES, 'results/q1.json.gz': 'rows' },
      caches,
    );
    await online.settle('install');
    expect(online.seen.asked.sort()).toEqual(Object.keys(FILES).sort());
    // A file that is not cached at installation is cached when first used.
    expect(await (await online.ask('results/q1.json.gz')).text()).toBe('rows');

    const { ask, seen } = worker(build({ ...FILES, 'results/q1.json.gz': 'rows' }, Object.keys(FILES)), {}, caches);
    const page = await ask('./?view=kept#2.x', document);
    expect(await page.text()).toBe(LAB);
    expect(page.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    const script = await ask('assets/a-1.js', { destination: 'worker' });
    expect([await script.text(), script.headers.get('cross-origin-opener-policy')]).toEqual(['self', 'same-origin']);
    expect(await (await ask('models/m/model.safetensors')).text()).toBe('weights');
    expect(await (await ask('results/q1.json.gz')).text()).toBe('rows');
    seen.asked.length = 0;
    for (const path of [
      'other.json',
      'docs/',
      '../lab2/assets/a-1.js',
      'https://hub.example/lab/assets/a-1.js',
      'assets/a-1.js?x',
    ])
      expect(await ask(path), path).toBeNull();
    expect(await ask('docs/', document)).toBeNull();
    expect(await ask('models/m/model.safetensors', { headers: new Headers({ range: 'bytes=0-1' }) })).toBeNull();
    expect(await ask('assets/a-1.js', { method: 'POST' })).toBeNull();
    expect(seen.asked).toEqual([]);
  });

  it('caches only bytes that match the list', async () => {
    const caches = storage();
    const lazy = build({ ...FILES, 'results/q1.json.gz': 'rows' }, Object.keys(FILES));
    const { settle, ask } = worker(lazy, { ...FILES, 'results/q1.json.gz': 'others' }, caches);
    await settle('install');
    // Other bytes reach the page, as they would without a worker, and are not cached.
    expect(await (await ask('results/q1.json.gz')).text()).toBe('others');
    expect([...[...caches.all.values()][0].keys()]).not.toContain(`${HOME}results/q1.json.gz`);
    // During an upload the host has another version of a listed file.
    const fresh = storage();
    await worker(lazy, { ...FILES, 'assets/a-1.js': 'other' }, fresh).settle('install');
    expect([...fresh.all.keys()]).toEqual([]);
  });

  it('opens the page of its version, even if the host has a newer one, unless the host has no lab any more', async () => {
    const caches = storage();
    const script = build(FILES);
    await worker(script, FILES, caches).settle('install');
    const newer = worker(script, { '': LAB.replace('</head>', '<!-- newer --></head>') }, caches);
    expect(await (await newer.ask('./', document)).text()).toBe(LAB);
    const failing = worker(script, { '': new Response('bad gateway', { status: 502 }) }, caches);
    expect(await (await failing.ask('./', document)).text()).toBe(LAB);
    const moved = worker(script, { '': new Response('', { status: 404 }) }, caches);
    expect((await moved.ask('./', document)).status).toBe(404);
    expect(caches.all.size).toBe(1);
    const gone = worker(script, { '': '<title>Something else</title>' }, caches);
    expect(await (await gone.ask('./', document)).text()).toBe('<title>Something else</title>');
    expect([gone.seen.left, caches.all.size]).toEqual([1, 0]);
  });

  it('takes over from an earlier version as a whole or not at all, and only when one page is open', async () => {
    const caches = storage();
    await worker(build(FILES), FILES, caches).settle('install');
    const next = { ...FILES, 'index.html': `${LAB}<!-- 2 -->`, 'assets/b-2.js': 'next' };
    // The upload is not finished, so the earlier version stays.
    await expect(worker(build(next), FILES, caches).settle('install')).rejects.toThrow();
    const { 'index.html': page, 'assets/b-2.js': script } = next;
    const one = worker(build(next), { 'index.html': page, 'assets/b-2.js': script }, caches, [
      '',
      'index.html?view=kept',
    ]);
    // Unchanged files are taken from the earlier version's cache.
    await one.settle('install');
    expect(one.seen.asked.sort()).toEqual(['assets/b-2.js', 'index.html']);
    expect(caches.all.size).toBe(2);
    const replies = [];
    const take = (w) =>
      w.settle('message', { data: 'take over', ports: [{ postMessage: (data) => replies.push(data) }] });
    await take(one);
    expect([replies, one.seen.skipped]).toEqual([[{ others: 1 }], 0]);
    const alone = worker(build(next), {}, caches, ['', 'embed.html', '../elsewhere/']);
    await take(alone);
    expect([replies[1], alone.seen.skipped]).toEqual([{ others: 0 }, 1]);
    caches.all.set('lab https://host.example/other/ 1', new Map());
    caches.all.set('somebody else', new Map());
    await alone.settle('activate');
    expect([...caches.all.keys()].filter((name) => name.includes(`${HOME} `))).toHaveLength(1);
    expect(caches.all.has('somebody else') && caches.all.has('lab https://host.example/other/ 1')).toBe(true);
    expect(await (await alone.ask('assets/b-2.js')).text()).toBe('next');
  });

  it('loses only offline use where storage is refused or full', async () => {
    for (const fault of ['broken', 'full']) {
      const caches = Object.assign(storage(), { [fault]: true });
      const { settle, ask } = worker(build(FILES), { ...FILES, '': LAB }, caches);
      await settle('install');
      const page = await ask('./', document);
      expect(await page.text(), fault).toBe(LAB);
      expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(await (await ask('assets/a-1.js', { destination: 'worker' })).text()).toBe('self');
      expect(await (await ask('models/m/model.safetensors')).text()).toBe('weights');
    }
  });

  it('has another version for other files and for another script', () => {
    const versions = [build(FILES), build({ ...FILES, 'assets/a-1.js': 'x' }), workerOf(`${SCRIPT}\n`, {})];
    expect(new Set(versions.map((text) => /version: '([0-9a-f]{16})'/.exec(text)[1])).size).toBe(3);
    expect(() => workerOf('', {})).toThrow('const BUILD');
  });
});

it('large runtimes are cached when used, models and code at installation', () => {
  expect(isKeptFirst('assets/ort-wasm-simd-threaded-D.wasm', 14e6)).toBe(false);
  expect(isKeptFirst('models/tiny-coder/model.safetensors', 1_711_568)).toBe(true);
  expect(isKeptFirst('results/q1.json.gz', 9000)).toBe(false);
});

it('hosts get the headers at the lab’s path', () => {
  expect(headersFile('/')).toContain('\n/assets/*\n  ');
  expect(headersFile('/a/lab/')).toMatch(/^\/a\/lab\/\n {2}/);
  expect(nginxFile('/lab/')).toContain('location = /lab/index.html {');
  expect([labUrl(undefined), labUrl('https://a.example/lab'), labUrl('http://h/')]).toEqual([
    null,
    'https://a.example/lab/',
    'http://h/',
  ]);
  for (const bad of ['a.example/lab', 'ftp://a/', 'https://a/?x', 'https://u:p@a/', 'javascript:1'])
    expect(() => labUrl(bad), bad).toThrow('LAB_URL');
});
