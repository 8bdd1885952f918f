// Tests when the page registers its service worker for offline use, and which versions it reports as new.
import { describe, expect, it, vi } from 'vitest';
import { keepOffline, type NewVersion, type OfflineScope } from './offline.ts';

const worker = (state: string) => Object.assign(new EventTarget(), { state, postMessage: vi.fn() });

function scope(base: string, changes: Partial<OfflineScope> = {}, earlier = false) {
  const registration = Object.assign(new EventTarget(), {
    active: earlier ? worker('activated') : null,
    waiting: null as ReturnType<typeof worker> | null,
    installing: null as ReturnType<typeof worker> | null,
  });
  const register = vi.fn(async () => registration as unknown as ServiceWorkerRegistration);
  const getRegistration = vi.fn(async () =>
    earlier ? (registration as unknown as ServiceWorkerRegistration) : undefined,
  );
  const serviceWorker = { controller: null, register, getRegistration };
  return { registration, register, scope: { isSecureContext: true, framed: false, base, serviceWorker, ...changes } };
}

describe('the lab for offline use', () => {
  it('is stored if it came from another machine; from this one only if its service worker is already registered', async () => {
    const far = scope('https://host.example/lab/?view=kept');
    expect(await keepOffline(far.scope, () => {})).toBe(true);
    expect(far.register).toHaveBeenCalledWith('https://host.example/lab/service-worker.js');
    for (const base of ['http://localhost:5173/', 'http://127.0.0.1/', 'http://[::1]:80/']) {
      const own = scope(base);
      expect(await keepOffline(own.scope, () => {}), base).toBe(false);
      expect(await keepOffline(scope(base, {}, true).scope, () => {}), base).toBe(true);
      expect(own.register).not.toHaveBeenCalled();
    }
  });

  it('does nothing if no service worker may run', async () => {
    const base = 'https://host.example/lab/';
    const refused = scope(base);
    refused.register.mockRejectedValue(new DOMException('blocked', 'SecurityError'));
    const cases = [{ serviceWorker: undefined }, { framed: true }, { isSecureContext: false }];
    for (const changes of cases) expect(await keepOffline(scope(base, changes).scope, () => {})).toBe(false);
    expect(await keepOffline(refused.scope, () => {})).toBe(false);
  });

  it('reports a waiting version, not the first installed one', async () => {
    const seen: NewVersion[] = [];
    const first = scope('https://host.example/lab/');
    await keepOffline(first.scope, (version) => seen.push(version));
    const installed = (registration: typeof first.registration) => {
      registration.installing = worker('installing');
      registration.dispatchEvent(new Event('updatefound'));
      registration.waiting = registration.installing;
      registration.installing.state = 'installed';
      registration.waiting.dispatchEvent(new Event('statechange'));
    };
    installed(first.registration);
    expect(seen).toHaveLength(0);
    const later = scope('https://host.example/lab/', {}, true);
    await keepOffline(later.scope, (version) => seen.push(version));
    expect(seen).toHaveLength(0);
    installed(later.registration);
    expect(seen).toHaveLength(1);

    // It takes over once no other page is open.
    const { waiting } = later.registration;
    const answer = (others: number) => waiting?.postMessage.mock.lastCall?.[1][0].postMessage({ others });
    const held = seen[0].takeOver();
    answer(2);
    expect(await held).toBe(2);
    const taken = seen[0].takeOver();
    answer(0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    waiting!.state = 'activated';
    waiting!.dispatchEvent(new Event('statechange'));
    expect(await taken).toBe(0);
  });
});
