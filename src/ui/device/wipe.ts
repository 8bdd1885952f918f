// "Delete everything" that the lab stores in this browser for this origin. The page cannot delete databases while its worker has them open,
// so it sets a flag and reloads, and the next page deletes them before it opens anything.
import { WIPE_KEY } from './wipe-requested.ts';

export function wipeAtNextLoad(): void {
  localStorage.setItem(WIPE_KEY, 'yes');
  window.location.reload();
}

/**
 * Deletes databases, files, localStorage and the copy for offline use. A database that another tab has open is deleted when that tab is
 * closed.
 */
export async function deleteAllData(): Promise<void> {
  localStorage.clear();
  const databases = (await indexedDB.databases?.()) ?? [];
  await Promise.all(databases.map(({ name }) => (name === undefined ? null : deleteDatabase(name))));
  const own = await navigator.serviceWorker?.getRegistration(document.baseURI).catch(() => undefined);
  await own?.unregister();
  const caches = await globalThis.caches?.keys().catch(() => []);
  await Promise.all((caches ?? []).map((name) => globalThis.caches.delete(name)));
  const root = await navigator.storage?.getDirectory?.().catch(() => null);
  if (!root) return;
  const names: string[] = [];
  for await (const name of root.keys()) names.push(name);
  for (const name of names) await root.removeEntry(name, { recursive: true }).catch(() => {});
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    for (const event of ['success', 'error', 'blocked']) request.addEventListener(event, () => resolve());
  });
}
