// Records that a run resumes from, in the browser's database: each sealed with its sha-256 (sealed.ts), the newest and the one before it.
// If the newest is damaged, the one before is used, with a warning. src/cli/files/kept-state.node.ts does the same on disk.

import { DamagedError, sealRecord, unsealRecord } from '@projected-grpo-lab/base/files/sealed.ts';
import { type KeyValue, StorageError } from './kv.ts';

/** Shows a line to the person. */
export type Warn = (line: string) => void;

/** Key of the previous record, with a prefix that no id has, so that lists and exports of an experiment see only the newest. */
export const previousKey = (key: string): string => `~previous/${key}`;

/** Keys by store whose newest record was found damaged: it must not replace the record before it. */
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
    // One intact record is worth more than two that find no room.
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

/** Deletes one record, or all whose keys have this prefix. */
export async function deleteRecords(store: KeyValue, prefix: string): Promise<void> {
  await store.deletePrefix(prefix);
  await store.deletePrefix(previousKey(prefix));
}
