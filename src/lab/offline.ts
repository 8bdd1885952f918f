// Stores the lab's files for offline use with its service worker (public/service-worker.js), and reports a newer version of the lab. An
// open page never continues under another version: the new one waits until the only open page requests it. If any of this fails, the lab
// works without it.

import { isOwnMachine } from '../lib/own-machine.ts';

/** The parts of the page's scope that are used. */
export interface OfflineScope {
  isSecureContext: boolean;
  /** Whether the page is in a frame of another one. */
  framed: boolean;
  /** The page's own address; the service worker's script is beside it. */
  base: string;
  /** Absent if the browser allows no service worker (some private windows). */
  serviceWorker?: Pick<ServiceWorkerContainer, 'controller' | 'register' | 'getRegistration'>;
}

/** A newer version of the lab that is waiting. */
export interface NewVersion {
  /** Lets it take over. Resolves to the number of other open pages of the lab, which keep it waiting; 0 if it took over. */
  takeOver(): Promise<number>;
}

const SCRIPT = 'service-worker.js';

/**
 * Registers the service worker if the lab was loaded from another machine; an existing one (for a host without headers: isolation.ts) is
 * used as it is. Calls `onNewVersion` for each waiting version. Never rejects; returns whether one is registered.
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

/** Stores this page's lab for offline use. */
export function keepPageOffline(onNewVersion: (version: NewVersion) => void): Promise<boolean> {
  const { serviceWorker } = navigator;
  const framed = window.top !== window;
  return keepOffline({ isSecureContext, framed, base: document.baseURI, serviceWorker }, onNewVersion);
}
