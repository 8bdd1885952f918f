// The lab's service worker. On hosts that cannot send headers it gives the lab's page, and the scripts of its workers, the two headers of
// cross-origin isolation, with which the CPU device may use threads. And it keeps the files of one build, so that the lab opens offline
// and a page that is open ends on the version that it began with. It answers only for files that its own build lists, and keeps only
// bytes whose hash is the listed one. It leaves every other request to the browser: other files, other origins, other pages beside or
// below the lab. docs/how-to/host.md says when it is registered (src/lab/isolation.ts, src/lab/offline.ts).

/** Written by the build (scripts/tool/hosting-plugin.mjs): { version, files: { path: [sha256 in base64, 1 if kept at installation] } }. */
const BUILD = null;

const ADDED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};
const names = Object.keys(ADDED);
const home = new URL('./', location.href).href;
const PAGES = ['', 'index.html'];
const PAGE = 'index.html';
const MARK = '<title>Projected GRPO Lab</title>';
/** Caches of this folder's lab; other labs of the same host have other folders. */
const PREFIX = `lab ${home} `;
const CACHE = BUILD && `${PREFIX}${BUILD.version}`;
/** A page waits this long for its host before it is served from the kept files. */
const PATIENCE_MS = 4000;

const listed = (path) => (BUILD && Object.hasOwn(BUILD.files, path) ? BUILD.files[path] : null);
const keyOf = (path) => home + path;

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(forget((name) => name !== CACHE)));

// It claims no open page: a page that is at work stays as it is, and its next visit is served from here.
addEventListener('fetch', (event) => {
  const { url, mode, destination, method, headers } = event.request;
  if (!url.startsWith(home) || (method !== undefined && method !== 'GET')) return;
  const [path, search] = url.slice(home.length).replace(/#.*$/, '').split('?');
  if (mode === 'navigate' && PAGES.includes(path)) event.respondWith(page(event.request));
  else if (destination === 'worker' && path.startsWith('assets/')) event.respondWith(script(event, path));
  else if (listed(path) && mode !== 'navigate' && search === undefined && !headers?.has('range'))
    event.respondWith(file(event, path));
});

// The new version waits until a page asks for it and is the only one: no page is ever continued under another version.
addEventListener('message', (event) => {
  if (event.data !== 'take over') return;
  event.waitUntil(
    (async () => {
      const open = (await clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(isLab);
      if (open.length <= 1) await skipWaiting();
      event.ports[0].postMessage({ others: Math.max(0, open.length - 1) });
    })(),
  );
});

function isLab({ url }) {
  return url.startsWith(home) && PAGES.includes(url.slice(home.length).replace(/[?#].*$/, ''));
}

/**
 * Keeps the files of this build. If that fails and an earlier version is kept, the installation fails, so that the earlier one stays whole.
 * If none is, it goes on without kept files: a full disk or a private window costs no more than offline use.
 */
async function install() {
  if (!BUILD) return;
  let earlier = [];
  try {
    earlier = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
    const cache = await caches.open(CACHE);
    const old = await Promise.all(earlier.map((name) => caches.open(name)));
    for (const [path, [hash, isKeptFirst]] of Object.entries(BUILD.files)) {
      if (!isKeptFirst || (await cache.match(keyOf(path)))) continue;
      await cache.put(keyOf(path), (await sameIn(old, path, hash)) ?? (await verified(path, hash)));
    }
  } catch (error) {
    if (earlier.length > 0) throw error;
    await forget(() => true).catch(() => {});
  }
}

/** A file that an earlier version kept and that has not changed. */
async function sameIn(caches, path, hash) {
  for (const cache of caches) {
    const response = await cache.match(keyOf(path));
    if (response && (await hashOf(await response.clone().arrayBuffer())) === hash) return response;
  }
  return null;
}

/** Fetches a listed file. Throws if the host has other bytes, as in the midst of an upload. */
async function verified(path, hash) {
  const response = await fetch(keyOf(path), { cache: 'no-cache' });
  const kept = response.ok ? await keepable(response, hash) : null;
  if (!kept) throw new Error(`${path} is not the file of this build (status ${response.status})`);
  return kept;
}

/** The response as it is kept; null if its bytes are not the listed ones. */
async function keepable(response, hash) {
  const bytes = await response.arrayBuffer();
  if ((await hashOf(bytes)) !== hash) return null;
  const headers = new Headers(response.headers);
  // These describe how the bytes travelled, and the bytes are unpacked by now.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  for (const name of names) headers.set(name, ADDED[name]);
  return new Response(bytes, { headers });
}

async function hashOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return btoa(String.fromCharCode(...digest));
}

/** Deletes this lab's caches that `which` picks. */
async function forget(which) {
  if (!globalThis.caches) return;
  const own = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && which(name));
  await Promise.all(own.map((name) => caches.delete(name)));
}

/** The kept file; undefined if there is none, or the browser refuses its storage. */
async function keptFile(path) {
  if (!CACHE) return undefined;
  try {
    return await (await caches.open(CACHE)).match(keyOf(path));
  } catch {
    return undefined;
  }
}

async function page(request) {
  const kept = await keptFile(PAGE);
  let response;
  try {
    response = await (kept ? within(fetch(request), PATIENCE_MS) : fetch(request));
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
  if (kept && response.status >= 500) return kept;
  // A redirect (which the browser follows itself), and the host's own word that something went wrong.
  if (!response.ok) return response;
  const isHere = (await response.clone().text()).includes(MARK);
  // Another page lives at this address now, which must not be changed by what the lab left behind; or nothing is to be done here.
  if (!isHere || (!BUILD && names.every((name) => response.headers.has(name)))) {
    await forget(() => true);
    await registration.unregister();
    return response;
  }
  // The page of this version, since the files of this version are what it is served with.
  return kept ?? added(response);
}

async function script(event, path) {
  if (listed(path)) return added(await file(event, path));
  const response = await fetch(event.request);
  return response.ok ? added(response) : response;
}

/** A listed file: the kept one, else the host's, which is kept if its bytes are the listed ones. */
async function file(event, path) {
  const kept = await keptFile(path);
  if (kept) return kept;
  const response = await fetch(event.request);
  if (response.ok && response.type !== 'opaque') event.waitUntil(keep(path, response.clone()));
  return response;
}

/** Whatever fails here costs only that the file is not kept. */
async function keep(path, response) {
  try {
    // Nothing is kept beside an installation that could keep nothing.
    if (!(await caches.has(CACHE))) return;
    const kept = await keepable(response, BUILD.files[path][0]);
    if (kept) await (await caches.open(CACHE)).put(keyOf(path), kept);
  } catch {}
}

function within(promise, ms) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
    promise.then(resolve, reject);
  });
}

function added(response) {
  const headers = new Headers(response.headers);
  for (const name of names) headers.set(name, ADDED[name]);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
