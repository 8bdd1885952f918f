// Pinned runs, whose lines stay in the charts whichever experiment is shown. Pins are stored in this browser, like the theme, and not in
// any record.
import { useSyncExternalStore } from 'react';
import { readStoredList, writeStored } from '../parts/stored.ts';

const KEY = 'pinned';
/** More pins would make the charts unreadable. */
export const MOST_PINS = 4;

let pins: readonly string[] | null = null;
const listeners = new Set<() => void>();

function read(): readonly string[] {
  pins ??= readStoredList(KEY)
    .filter((id) => typeof id === 'string')
    .slice(0, MOST_PINS);
  return pins;
}

/** Pins a run or removes its pin; the oldest pin is dropped if there are too many. */
export function togglePin(id: string): void {
  const before = read();
  pins = before.includes(id) ? before.filter((other) => other !== id) : [...before, id].slice(-MOST_PINS);
  writeStored(KEY, JSON.stringify(pins));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePins = (): readonly string[] => useSyncExternalStore(subscribe, read);
