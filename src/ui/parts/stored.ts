// Small values that the page keeps in localStorage, separate from the lab's databases: the theme and pinned runs, for example. If the
// browser refuses, as in a private window, a choice lasts as long as the page.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';

export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** A stored list. Its entries are unchecked, because another version of the lab or a user may have written them. */
export function readStoredList(key: string): readonly unknown[] {
  try {
    const list = parseJsonText(readStored(key) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** Stores a text; null removes it. */
export function writeStored(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The browser refuses storage, so the choice lasts as long as the page.
  }
}
