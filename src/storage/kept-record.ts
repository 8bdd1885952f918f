// What a run goes on from, in the browser's database: each record sealed with its sha-256 (sealed.ts), the newest and the one
// before it. Where the newest is damaged the one before is used, and said so. On disk the same is src/cli/files/kept-state.node.ts.

import { DamagedError, sealRecord, unsealRecord } from '@projected-grpo-lab/base/files/sealed.ts';
import { type KeyValue, StorageError } from './kv.ts';

/** Says a line to the person. */
export type Warn = (line: string) => void;

/** Apart from the records themselves: what lists or exports an experiment sees the newest alone. No id begins like it. */
export const previousKey = (key: string): string => `~previous/${key}`;

/** Of each store, keys whose newest record was found damaged: what is before them is not replaced by them. */
const damaged = new WeakMap<KeyValue, Set<string>>();

export async function saveRecord(store: KeyValue, key: string, record: object): Promise<void> {
  const sealed = await sealRecord(record);
  const broken = damaged.get(store)?.has(key) ?? false;
  const newest = broken ? undefined : await store.get(key);
  try {
    if (newest !== undefined) await store.set(previousKey(key), newest);
    await store.set(key, sealed);
  } catch (error) {
    if (!(error instanceof StorageError && error.isFull)) throw error;
    // One that is whole is worth more than two that find no room.
    await store.delete(previousKey(key));
    await store.set(key, sealed);
  }
  damaged.get(store)?.delete(key);
}

/** Null where there is none. Throws DamagedError where neither the newest nor the one before it can be used. */
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
      if (at === key) damaged.set(store, (damaged.get(store) ?? new Set()).add(key));
    }
  }
  if (failure) throw failure;
  return null;
}

/** Of one record, or of all whose keys begin so. */
export async function deleteRecords(store: KeyValue, prefix: string): Promise<void> {
  await store.deletePrefix(prefix);
  await store.deletePrefix(previousKey(prefix));
}
