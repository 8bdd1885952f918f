// Records from which a run resumes, in the browser's database: the newest and the previous one, each with its sha-256 (sealed.ts). If the
// newest is damaged, the previous one is used, with a warning. src/cli/files/kept-state.node.ts does the same on disk.

import { DamagedError, sealRecord, unsealRecord } from '@projected-grpo-lab/base/files/sealed.ts';
import { type KeyValue, StorageError } from './kv.ts';

/** Shows a line to the user. */
export type Warn = (line: string) => void;

/** Key of the previous record; no id has this prefix, so lists and exports of an experiment contain only the newest. */
export const previousKey = (key: string): string => `~previous/${key}`;

/** Keys, by store, whose newest record is damaged: it must not replace the previous one. */
const damagedKeys = new WeakMap<KeyValue, Set<string>>();

export async function saveRecord(store: KeyValue, key: string, record: object): Promise<void> {
  const sealed = await sealRecord(record);
  const broken = damagedKeys.get(store)?.has(key) ?? false;
  const newest = broken ? undefined : await store.get(key);
  try {
    if (newest !== undefined) await store.set(previousKey(key), newest);
    await store.set(key, sealed);
  } catch (error) {
    if (!(error instanceof StorageError && error.isFull)) throw error;
    // One intact record is better than two that do not fit.
    await store.delete(previousKey(key));
    await store.set(key, sealed);
  }
  damagedKeys.get(store)?.delete(key);
}

/** Null if there is none. Throws DamagedError if neither the newest nor the previous record can be used. */
export async function loadRecord<T extends object>(
  store: KeyValue,
  key: string,
  what: string,
  { warn, remedy }: { warn: Warn; remedy: string },
): Promise<T | null> {
  let failure: DamagedError | null = null;
  for (const at of [key, previousKey(key)]) {
    const kept = await store.get<T>(at);
    if (kept === undefined) continue;
    try {
      const record = await unsealRecord(kept, what, remedy);
      if (failure) warn(`${failure.message} The one before it is used.`);
      return record;
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      failure ??= error;
      if (at === key) damagedKeys.set(store, (damagedKeys.get(store) ?? new Set()).add(key));
    }
  }
  if (failure) throw failure;
  return null;
}

/** Deletes one record, or all with this prefix. */
export async function deleteRecords(store: KeyValue, prefix: string): Promise<void> {
  await store.deletePrefix(prefix);
  await store.deletePrefix(previousKey(prefix));
}
