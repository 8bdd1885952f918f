// A service worker for hosts that cannot send headers: it gives the lab's page, and the scripts of its workers, the two headers of
// cross-origin isolation, with which the CPU device may use threads. src/lab/isolation.ts registers it, and only where the
// host does not send them itself. It keeps nothing, and leaves every other request to the browser: other files, other origins,
// other pages beside or below the lab.
const ADDED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};
const names = Object.keys(ADDED);
const home = new URL('./', location.href).href;
const PAGES = ['', 'index.html'];
const MARK = '<title>Projected GRPO Lab</title>';

// No claim of open pages and no reload: a page that is at work stays as it is, and its next visit is isolated.
addEventListener('fetch', (event) => {
  const { url, mode, destination } = event.request;
  if (!url.startsWith(home)) return;
  const path = url.slice(home.length).replace(/[?#].*$/, '');
  if (mode === 'navigate' && PAGES.includes(path)) event.respondWith(page(event.request));
  else if (destination === 'worker' && path.startsWith('assets/')) event.respondWith(script(event.request));
});

async function page(request) {
  const response = await fetch(request);
  // A redirect (which the browser follows itself), and the host's own word that something went wrong.
  if (!response.ok) return response;
  // No longer needed, or another page lives at this address now: that one must not be changed by what the lab left behind.
  const needless = names.every((name) => response.headers.has(name));
  if (needless || !(await response.clone().text()).includes(MARK)) {
    await registration.unregister();
    return response;
  }
  return added(response);
}

async function script(request) {
  const response = await fetch(request);
  return response.ok ? added(response) : response;
}

function added(response) {
  const headers = new Headers(response.headers);
  for (const name of names) headers.set(name, ADDED[name]);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
