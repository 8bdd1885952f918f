// What closed pages have deleted, noted in the browser's own storage: written in the moment in which a page closes, when only what
// needs no time is sure to happen. What stands there may have been written by any version of the lab, or by hand.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { Later, LaterList } from '../store/undoable-delete.ts';

const KEY = 'deleted';
const REQUESTS: readonly string[] = ['kept.delete', 'deleteBasis', 'deletePool'];

export const laterList: LaterList = {
  read() {
    try {
      const list = parseJsonText(localStorage.getItem(KEY) ?? '[]');
      return Array.isArray(list) ? list.filter(isLater) : [];
    } catch {
      return [];
    }
  },
  write(list) {
    try {
      if (list.length === 0) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, JSON.stringify(list));
    } catch {
      // A browser without storage: then it stays, and can be deleted again.
    }
  },
};

function isLater(one: Partial<Later> | null): one is Later {
  const { key, request } = one ?? {};
  return typeof key === 'string' && REQUESTS.includes(request?.kind ?? '') && typeof request?.params?.id === 'string';
}
