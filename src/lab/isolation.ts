// Whether the page has shared memory, which its worker's threads need and only a cross-origin isolated page gets; and if not, why, and what
// to do. If only the host's headers are missing, a service worker is registered that adds them (public/service-worker.js). It takes effect
// at the next visit: the page is never reloaded, so that nothing is lost. If any of this fails, the lab works with one thread.
import { sharesMemory } from '../lib/shared-memory.ts';

export type Isolation = { isolated: true } | { isolated: false; why: string; remedy: string };

/** The parts of the page's scope that are used. */
export interface IsolationScope {
  crossOriginIsolated: boolean;
  /** The purpose of isolation; an isolated page may lack it (WebKit). */
  sharesMemory: boolean;
  isSecureContext: boolean;
  /** Whether the page is in a frame of another one, which would also have to be isolated. */
  framed: boolean;
  /** The page's own address; the service worker's script is beside it. */
  base: string;
  /** Absent if the browser allows no service worker (some private windows). */
  serviceWorker?: Pick<ServiceWorkerContainer, 'controller' | 'register'>;
  fetch(url: string, init: RequestInit): Promise<Pick<Response, 'headers'>>;
}

const HEADERS = ['cross-origin-opener-policy', 'cross-origin-embedder-policy'];
const ASK_HOST = 'Let the host send Cross-Origin-Opener-Policy and Cross-Origin-Embedder-Policy.';

const notIsolated = (why: string, remedy: string): Isolation => ({ isolated: false, why, remedy });
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reports the isolation and registers a service worker if one can help. Never rejects. */
export async function seekIsolation(scope: IsolationScope): Promise<Isolation> {
  const { serviceWorker, base } = scope;
  if (scope.sharesMemory) return { isolated: true };
  if (scope.crossOriginIsolated)
    return notIsolated(
      'the page is isolated, but the browser gives it no shared memory',
      'Use another browser, or a newer one.',
    );
  if (!scope.isSecureContext)
    return notIsolated('the page was loaded over http', 'Open it over https, or from this machine as localhost.');
  if (scope.framed) return notIsolated('the page is in a frame of another one', 'Open it in a tab of its own.');
  if (serviceWorker?.controller || (await sendsHeaders(scope)))
    return notIsolated(
      'the browser does not isolate it, though it has the headers',
      'Reload the page, or use a current browser.',
    );
  if (!serviceWorker)
    return notIsolated('its host does not send the headers, and no service worker can run here', ASK_HOST);
  try {
    await untilActive(await serviceWorker.register(new URL('service-worker.js', base).href));
    return notIsolated(
      'its host does not send the headers for it',
      'A service worker adds them from the next load on: reload.',
    );
  } catch (error) {
    return notIsolated(
      `its host does not send the headers for it, and no service worker can (${messageOf(error)})`,
      ASK_HOST,
    );
  }
}

/** False also if the host does not answer. */
async function sendsHeaders({ fetch, base }: IsolationScope): Promise<boolean> {
  try {
    const { headers } = await fetch(base, { method: 'HEAD' });
    return HEADERS.every((name) => headers.has(name));
  } catch {
    return false;
  }
}

/** Resolves when the service worker handles requests. */
function untilActive({ active, waiting, installing }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting;
  if (active || !worker) return Promise.resolve();
  return new Promise((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve();
      else if (worker.state === 'redundant') reject(new Error('it did not start'));
    });
  });
}

let isolationPromise: Promise<Isolation> | null = null;

/** Isolation of this page; checked and registered only at the first call. */
export function pageIsolation(): Promise<Isolation> {
  isolationPromise ??= seekIsolation({
    crossOriginIsolated,
    sharesMemory: sharesMemory(),
    isSecureContext,
    framed: window.top !== window,
    base: document.baseURI,
    serviceWorker: navigator.serviceWorker,
    fetch: (url, init) => fetch(url, init),
  });
  return isolationPromise;
}
