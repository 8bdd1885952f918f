// Pending deletions of closed pages, in localStorage: written while a page closes, when only synchronous work is sure to finish. If the
// browser refuses, the entry stays, and can be deleted again.
import type { Later, LaterList } from '../../store/undoable-delete.ts';
import { keepStored, storedList } from '../parts/stored.ts';

const KEY = 'deleted';
const REQUESTS: readonly string[] = ['kept.delete', 'deleteBasis', 'deletePool'];

export const laterList: LaterList = {
  read: () => storedList(KEY).filter(isLater),
  write: (list) => keepStored(KEY, list.length === 0 ? null : JSON.stringify(list)),
};

function isLater(one: unknown): one is Later {
  const { key, request } = (one ?? {}) as Partial<Later>;
  return typeof key === 'string' && REQUESTS.includes(request?.kind ?? '') && typeof request?.params?.id === 'string';
}
