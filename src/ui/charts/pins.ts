// Which kept runs are pinned: their lines stay in the charts of whatever is on show. A matter of this browser, like the theme, and of
// no record; what is in its storage may have been written by any version of the lab, or by hand.

import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { useSyncExternalStore } from 'react';

const KEY = 'pinned';
/** More lines than this are no picture. */
export const MOST_PINS = 4;

let pins: readonly string[] | null = null;
const listeners = new Set<() => void>();

function read(): readonly string[] {
  if (pins) return pins;
  try {
    const list = parseJsonText(localStorage.getItem(KEY) ?? '[]');
    pins = Array.isArray(list) ? list.filter((id) => typeof id === 'string').slice(0, MOST_PINS) : [];
  } catch {
    pins = [];
  }
  return pins;
}

/** Pinned or not any longer; the oldest pin gives way where there are too many. */
export function togglePin(id: string): void {
  const before = read();
  pins = before.includes(id) ? before.filter((other) => other !== id) : [...before, id].slice(-MOST_PINS);
  try {
    localStorage.setItem(KEY, JSON.stringify(pins));
  } catch {
    // A browser without storage: then they last as long as the page.
  }
  for (const tell of listeners) tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePins = (): readonly string[] => useSyncExternalStore(subscribe, read);
