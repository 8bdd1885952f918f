// Tests what the page reports of its isolation, and when it registers the service worker.
import { describe, expect, it } from 'vitest';
import { type IsolationScope, seekIsolation } from './isolation.ts';

const BASE = 'https://host.example/lab/';
const BOTH = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** A page on a host without headers, where a service worker can help. */
function page(changes: Partial<IsolationScope> = {}, headers: Record<string, string> = {}, start = 'activated') {
  const asked: string[] = [];
  const registered: string[] = [];
  const register = async (url: string | URL) => {
    registered.push(String(url));
    const installing = Object.assign(new EventTarget(), { state: 'installing' });
    setTimeout(() => {
      for (const state of ['installed', start]) {
        installing.state = state;
        installing.dispatchEvent(new Event('statechange'));
      }
    }, 0);
    return { active: null, waiting: null, installing } as unknown as ServiceWorkerRegistration;
  };
  const scope: IsolationScope = {
    crossOriginIsolated: false,
    sharesMemory: false,
    isSecureContext: true,
    framed: false,
    base: BASE,
    serviceWorker: { controller: null, register },
    fetch: async (url, init) => {
      asked.push(`${init.method} ${url}`);
      return { headers: new Headers(headers) };
    },
    ...changes,
  };
  return { scope, asked, registered };
}

describe('the isolation of the page', () => {
  it('is reported at once if the page has it, or if nothing here can add it', async () => {
    const cases: [Partial<IsolationScope>, object][] = [
      [{ crossOriginIsolated: true, sharesMemory: true }, { isolated: true }],
      [{ crossOriginIsolated: true }, { isolated: false, why: expect.stringContaining('no shared memory') }],
      [{ isSecureContext: false }, { isolated: false, why: expect.stringContaining('http') }],
      [{ framed: true }, { isolated: false, why: expect.stringContaining('frame') }],
    ];
    for (const [change, said] of cases) {
      const { scope, asked, registered } = page(change);
      expect(await seekIsolation(scope)).toMatchObject(said);
      expect([asked, registered]).toEqual([[], []]);
    }
  });

  it('is added by a service worker if the host does not send both headers, from the next load on', async () => {
    const [[name, value]] = Object.entries(BOTH);
    for (const headers of [{}, { [name]: value }]) {
      const { scope, asked, registered } = page({}, headers);
      expect(await seekIsolation(scope)).toMatchObject({ isolated: false, remedy: expect.stringContaining('reload') });
      expect([asked, registered]).toEqual([[`HEAD ${BASE}`], [`${BASE}service-worker.js`]]);
    }
    const offline = page({ fetch: () => Promise.reject(new TypeError('offline')) });
    await seekIsolation(offline.scope);
    expect(offline.registered).toHaveLength(1);
  });

  it('registers none if the page was sent the headers anyway', async () => {
    const sent = page({}, BOTH);
    expect(await seekIsolation(sent.scope)).toMatchObject({ isolated: false, why: expect.stringContaining('browser') });
    expect(sent.registered).toEqual([]);
    const { scope, registered } = page();
    const controlled = { ...scope, serviceWorker: { ...scope.serviceWorker!, controller: {} as ServiceWorker } };
    expect(await seekIsolation(controlled)).toMatchObject({ why: expect.stringContaining('browser') });
    expect(registered).toEqual([]);
  });

  it('says what the host must do if no service worker can help', async () => {
    const refuse = () => Promise.reject(new Error('not here'));
    const without = [
      page({ serviceWorker: undefined }),
      page({ serviceWorker: { controller: null, register: refuse } }),
      page({}, {}, 'redundant'),
    ];
    const said = await Promise.all(without.map(({ scope }) => seekIsolation(scope)));
    for (const isolation of said)
      expect(isolation).toMatchObject({ isolated: false, remedy: expect.stringContaining('Embedder-Policy') });
    expect(said[1]).toMatchObject({ why: expect.stringContaining('not here') });
    expect(said[2]).toMatchObject({ why: expect.stringContaining('did not start') });
  });
});
