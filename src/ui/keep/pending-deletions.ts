// Pending deletions of closed pages, in localStorage. They are written while a page closes, when only synchronous work is certain to
// finish. If the browser refuses, the entry stays stored and can be deleted again.
import type { PendingDeletion, PendingDeletionList } from '../../store/undoable-delete.ts';
import { readStoredList, writeStored } from '../parts/stored.ts';

const KEY = 'deleted';
const REQUESTS: readonly string[] = ['kept.delete', 'deleteBasis', 'deletePool'];

export const storedDeletions: PendingDeletionList = {
  read: () => readStoredList(KEY).filter(isPendingDeletion),
  write: (list) => writeStored(KEY, list.length === 0 ? null : JSON.stringify(list)),
};

function isPendingDeletion(one: unknown): one is PendingDeletion {
  const { key, request } = (one ?? {}) as Partial<PendingDeletion>;
  return typeof key === 'string' && REQUESTS.includes(request?.kind ?? '') && typeof request?.params?.id === 'string';
}
