// What this browser keeps of a page beside the lab's databases: a theme, what is pinned. Where it refuses, as a private window may, a
// choice lasts as long as the page.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';

export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** A list, of which any version of the lab may have written the entries, or a hand. */
export function storedList(key: string): readonly unknown[] {
  try {
    const list = parseJsonText(stored(key) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** Null forgets it. */
export function keepStored(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // As above.
  }
}
