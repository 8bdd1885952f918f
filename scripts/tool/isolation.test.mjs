// Tests the two headers of cross-origin isolation: Vite's servers send them, and the page's service worker adds the same ones, only to the
// lab's page and its workers. server.test.mjs tests the lab's own server.
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ISOLATION } from './isolation.mjs';
import { at } from './project.mjs';

const SCRIPT = readFileSync(at('public', 'service-worker.js'), 'utf8');
const LAB = readFileSync(at('index.html'), 'utf8');
const HOME = 'https://host.example/lab/';

/** Runs the service worker before a host that responds with `answer`. Returns its response to a request; null if it leaves it to the browser. */
function worker(answer) {
  const seen = { listeners: new Map(), left: 0 };
  const scope = {
    URL,
    Headers,
    Response,
    location: { href: `${HOME}service-worker.js` },
    registration: { unregister: async () => void seen.left++ },
    addEventListener: (type, listener) => seen.listeners.set(type, listener),
    fetch: async () => answer,
  };
  // The context has no `caches` and no `clients`, so that any use of them fails.
  runInContext(SCRIPT, createContext(scope));
  const ask = (url, { mode = 'cors', destination = '' } = {}) => {
    let response = null;
    const event = {
      request: { url: new URL(url, HOME).href, mode, destination },
      respondWith: (made) => {
        response = made;
      },
    };
    seen.listeners.get('fetch')(event);
    return response;
  };
  return { seen, ask };
}
const html = (body, headers = {}) => new Response(body, { headers: { 'content-type': 'text/html', ...headers } });
const document = { mode: 'navigate', destination: 'document' };
const script = { mode: 'same-origin', destination: 'worker' };
const added = (response) => Object.keys(ISOLATION).map((name) => response.headers.get(name));

describe('the service worker of a host without headers', () => {
  it('adds to the page and its workers what the lab’s server sends, and leaves the rest of the answer as it is', async () => {
    const { seen, ask } = worker(html(LAB, { 'content-security-policy': "default-src 'none'", etag: '"1"' }));
    const page = await ask('./?view=device', document);
    expect(added(page)).toEqual(Object.values(ISOLATION));
    expect(page.headers.get('content-security-policy')).toBe("default-src 'none'");
    expect([page.status, page.headers.get('etag'), await page.text()]).toEqual([200, '"1"', LAB]);
    expect(added(await worker(html(LAB)).ask('index.html#2.x', document))).toEqual(Object.values(ISOLATION));

    const code = new Response('self', { headers: { 'content-type': 'text/javascript' } });
    const made = await worker(code).ask('assets/worker-1.js', script);
    expect(added(made)).toEqual(Object.values(ISOLATION));
    expect([made.headers.get('content-type'), await made.text()]).toEqual(['text/javascript', 'self']);
    // Without a list of files nothing is cached, which would need `caches`.
    expect(seen.left).toBe(0);
  });

  it('leaves other files, other folders and other origins to the browser', () => {
    const { ask } = worker(html(LAB));
    expect(ask('models/tiny-coder/model.safetensors')).toBeNull();
    expect(ask('assets/index.js', { mode: 'cors', destination: 'script' })).toBeNull();
    expect(ask('other/', document)).toBeNull();
    expect(ask('other.html', document)).toBeNull();
    expect(ask('other/assets/worker.js', script)).toBeNull();
    expect(ask('../', document)).toBeNull();
    expect(ask('https://hub.example/lab/assets/x', script)).toBeNull();
    expect(ask('https://hub.example/?https://host.example/lab/', document)).toBeNull();
  });

  it('passes redirects and failures on, and unregisters itself where it is not needed or the page is not the lab', async () => {
    // A redirect that the browser follows has status 0, and no other response can be made of it.
    const redirect = { ok: false, status: 0, type: 'opaqueredirect' };
    expect(await worker(redirect).ask('./', document)).toBe(redirect);
    const missing = new Response('', { status: 404 });
    const lost = worker(missing);
    expect(await lost.ask('./', document)).toBe(missing);
    expect(await lost.ask('assets/w.js', script)).toBe(missing);
    expect(lost.seen.left).toBe(0);

    for (const answer of [html(LAB, ISOLATION), html('<title>Something else</title>')]) {
      const { seen, ask } = worker(answer);
      expect(await ask('./', document)).toBe(answer);
      expect(seen.left).toBe(1);
    }
    // A single one of the headers isolates nothing.
    const [[name, value]] = Object.entries(ISOLATION);
    const half = worker(html(LAB, { [name]: value }));
    expect(added(await half.ask('./', document))).toEqual(Object.values(ISOLATION));
    expect(half.seen.left).toBe(0);
  });
});

it('Vite’s servers isolate the page, too', async () => {
  const { loadConfigFromFile } = await import('vite');
  const { config } = await loadConfigFromFile({ command: 'serve', mode: 'development' }, at('vite.config.ts'));
  expect(config.server.headers).toEqual(ISOLATION);
  expect(config.preview.headers).toEqual(ISOLATION);
});
