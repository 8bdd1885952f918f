// Records by key, in IndexedDB or in memory, with one schema version. src/lab/records/records.ts defines the records; this file only stores
// them, and reports when there is no room.

import { FormatError, StorageError } from '@projected-grpo-lab/base/errors.ts';
import { clear, createStore, del, get, promisifyRequest, set, setMany, type UseStore } from 'idb-keyval';

export { StorageError };

const STORE_NAMES = [
  'meta',
  'experiments',
  'runs',
  'rollouts',
  'checkpoints',
  'steps',
  'pools',
  'bases',
  'pairs',
  'probes',
  'problems',
  'labels',
] as const;
export type StoreName = (typeof STORE_NAMES)[number];

export interface KeyValue {
  get<T>(key: string): Promise<T | undefined>;
  set(key: string, value: unknown): Promise<void>;
  /** Stores all entries or none. */
  setMany(entries: readonly (readonly [string, unknown])[]): Promise<void>;
  delete(key: string): Promise<void>;
  deletePrefix(prefix: string): Promise<void>;
  /** Keys in ascending order. */
  keys(prefix?: string): Promise<string[]>;
  clear(): Promise<void>;
}
export type Stores = Readonly<Record<StoreName, KeyValue>>;

/** Newest layout of the records. Raising it requires a migration. */
const SCHEMA_VERSION = 1;
/** migrations[n] turns version n into n + 1, in place. */
type Migration = (stores: Stores) => Promise<void>;
const MIGRATIONS: Readonly<Record<number, Migration>> = {};

/** Timeouts in milliseconds: of the first reads, for which the page waits, and of any request, which may be a large archive. */
const LIMITS = { open: 20_000, answer: 120_000 };

/** Opens IndexedDB and migrates it. Throws StorageError if the browser has no IndexedDB or it does not answer, FormatError for records of
 *  a newer version. */
export async function openStores(prefix = 'projected-grpo-lab', limits = LIMITS): Promise<Stores> {
  if (!globalThis.indexedDB) {
    throw new StorageError(
      'This browser gives the page no IndexedDB.',
      'Leave private browsing, or allow storage for this site.',
    );
  }
  // idb-keyval supports one store per database, so each store has its own database.
  const stores = makeStores((name) => indexedDbStore(createStore(`${prefix}.${name}`, name), limits.answer));
  // Every opening reads these two stores, and may write to them.
  await withTimeout(Promise.all([stores.meta.get('schema'), stores.experiments.get('')]), limits.open);
  await migrate(stores);
  return stores;
}

/** Stores in memory, for tests and for browsers that refuse storage. */
export async function memoryStores(): Promise<Stores> {
  const stores = makeStores(() => memoryStore());
  await migrate(stores);
  return stores;
}

export async function migrate(
  stores: Stores,
  target = SCHEMA_VERSION,
  migrations: Readonly<Record<number, Migration>> = MIGRATIONS,
): Promise<void> {
  // Stores without a version are empty, so they start with the newest layout.
  const marked = await stores.meta.get<number>('schema');
  let version = marked ?? target;
  if (version > target) {
    throw new FormatError(
      `The records in this browser were written by a newer lab (layout ${version}; this one knows ${target}).`,
      'Reload the page to get the newer lab.',
    );
  }
  for (; version < target; version++) {
    const step = migrations[version];
    if (!step)
      throw new FormatError(`There is no way from record layout ${version} to ${version + 1}.`, 'Report this fault.');
    await step(stores);
    await stores.meta.set('schema', version + 1);
  }
  // The version is not written at every opening: the user may leave the page early, which must not interrupt a write (see `withTimeout`).
  if (marked === undefined) await stores.meta.set('schema', target);
}

function makeStores(open: (name: StoreName) => KeyValue): Stores {
  return Object.fromEntries(STORE_NAMES.map((name) => [name, open(name)])) as Record<StoreName, KeyValue>;
}

const END_OF_PREFIX = '\uffff';

function indexedDbStore(store: UseStore, limitMs: number): KeyValue {
  const guarded = <T>(work: Promise<T>) => asStorageError(withTimeout(work, limitMs));
  const range = (prefix: string) => IDBKeyRange.bound(prefix, prefix + END_OF_PREFIX);
  return {
    get: (key) => guarded(get(key, store)),
    set: (key, value) => guarded(set(key, value, store)),
    setMany: (entries) => guarded(setMany([...entries] as [string, unknown][], store)),
    delete: (key) => guarded(del(key, store)),
    deletePrefix: (prefix) =>
      guarded(
        store('readwrite', (objects) => {
          objects.delete(range(prefix));
          return promisifyRequest(objects.transaction);
        }),
      ),
    keys: (prefix = '') =>
      guarded(
        store('readonly', (objects) => promisifyRequest(objects.getAllKeys(range(prefix)) as IDBRequest<string[]>)),
      ),
    clear: () => guarded(clear(store)),
  };
}

export function memoryStore(): KeyValue {
  const map = new Map<string, unknown>();
  return {
    get: async <T>(key: string) => structuredClone(map.get(key)) as T | undefined,
    set: async (key, value) => void map.set(key, structuredClone(value)),
    setMany: async (entries) => {
      const cloned = entries.map(([key, value]) => [key, structuredClone(value)] as const);
      for (const [key, value] of cloned) map.set(key, value);
    },
    delete: async (key) => void map.delete(key),
    deletePrefix: async (prefix) => {
      for (const key of [...map.keys()]) if (key.startsWith(prefix)) map.delete(key);
    },
    keys: async (prefix = '') => [...map.keys()].filter((key) => key.startsWith(prefix)).sort(),
    clear: async () => map.clear(),
  };
}

/** Rejects with StorageError after a timeout. In WebKit a worker that ends with its page between a read and a write blocks their database
 *  until the browser is quit (bugs.webkit.org, 324094). */
async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () =>
      reject(
        new StorageError(
          `The browser’s database has not answered for ${limitMs / 1000} s.`,
          'Quit the browser and open it again: in Safari a page that is left while it writes can block it.',
        ),
      );
    // The timer has two halves: after a long computation, an answer may be queued behind the first half, but not behind the second.
    timer = setTimeout(() => {
      timer = setTimeout(giveUp, limitMs / 2);
    }, limitMs / 2);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function asStorageError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storageError(error);
  }
}

/** Turns a DOMException into an error with a remedy. */
export function storageError(error: unknown): unknown {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  if (name === 'QuotaExceededError') {
    return new StorageError(
      'The browser has no room left for the lab’s records.',
      'Delete old runs in the list of runs, or free disk space; then resume the run.',
      { cause: error },
    );
  }
  if (name === 'InvalidStateError' || name === 'UnknownError' || name === 'SecurityError') {
    return new StorageError(
      `The browser’s database cannot be used (${name}).`,
      'Leave private browsing or allow storage for this site, then reload the page.',
      { cause: error },
    );
  }
  return error;
}
