// Keeps the lab's files for offline use by its service worker (public/service-worker.js), and reports a newer version of the lab. A page
// that is open is never continued under another version: the new one waits until it is asked for from the only page that is open. Whatever
// fails here, the lab works as without it.

import { isOwnMachine } from '../lib/own-machine.ts';

/** Parts of the page's scope that are read. */
export interface OfflineScope {
  isSecureContext: boolean;
  /** Whether the page is in a frame of another one. */
  framed: boolean;
  /** The page's own address; the service worker's script is beside it. */
  base: string;
  /** Absent if the browser allows no service worker (some private windows). */
  serviceWorker?: Pick<ServiceWorkerContainer, 'controller' | 'register' | 'getRegistration'>;
}

/** A newer version of the lab that waits. */
export interface NewVersion {
  /** Lets it take over. Resolves to the number of other open pages of the lab, because of which it goes on waiting; 0 if it took over. */
  takeOver(): Promise<number>;
}

const SCRIPT = 'service-worker.js';

/**
 * Registers the service worker if the lab was loaded from elsewhere; one that is already registered (for a host without headers:
 * isolation.ts) is taken as it is. Calls `onNewVersion` for each version that waits. Never rejects; returns whether one is registered.
 */
export async function keepOffline(scope: OfflineScope, onNewVersion: (version: NewVersion) => void): Promise<boolean> {
  const { serviceWorker, base } = scope;
  if (!serviceWorker || scope.framed || !scope.isSecureContext) return false;
  try {
    const registration = isOwnMachine(new URL(base).hostname)
      ? await serviceWorker.getRegistration(base)
      : await serviceWorker.register(new URL(SCRIPT, base).href);
    if (!registration) return false;
    watch(registration, onNewVersion);
    return true;
  } catch {
    return false;
  }
}

/** Reports the waiting version, now and whenever another one is installed. The first one ever is no new version. */
function watch(registration: ServiceWorkerRegistration, onNewVersion: (version: NewVersion) => void): void {
  const report = () => {
    const { waiting, active } = registration;
    if (waiting && active) onNewVersion({ takeOver: () => takeOver(waiting) });
  };
  report();
  registration.addEventListener('updatefound', () => {
    const { installing } = registration;
    installing?.addEventListener('statechange', () => installing.state === 'installed' && report());
  });
}

function takeOver(waiting: ServiceWorker): Promise<number> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => {
      const others = Number(data.others);
      if (others > 0 || waiting.state === 'activated') return resolve(others);
      waiting.addEventListener('statechange', () => waiting.state === 'activated' && resolve(0));
    };
    waiting.postMessage('take over', [port2]);
  });
}

/** Keeps this page's lab. */
export function keepPageOffline(onNewVersion: (version: NewVersion) => void): Promise<boolean> {
  const { serviceWorker } = navigator;
  const framed = window.top !== window;
  return keepOffline({ isSecureContext, framed, base: document.baseURI, serviceWorker }, onNewVersion);
}
