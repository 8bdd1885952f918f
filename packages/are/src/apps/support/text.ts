// Text functions with Python's rules, for the apps' error texts and searches.
import { quoted } from '../../python-error.ts';

/** Python's repr of a list of strings. */
export const quotedList = (items: readonly string[]): string => `[${items.map(quoted).join(', ')}]`;

/** Whether a text contains another, ignoring case; a missing text contains nothing. */
export const holds = (text: string | null, lowerCaseQuery: string): boolean =>
  text?.toLowerCase().includes(lowerCaseQuery) ?? false;

/** Compares by code points, as Python sorts strings; JavaScript's own order is by UTF-16 units. */
export function compareText(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const difference = (left[i] as string).codePointAt(0)! - (right[i] as string).codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** The reference's sets, whose order Python leaves undefined: each item once, sorted. */
export const sortedSet = (items: Iterable<string>): string[] => [...new Set(items)].sort(compareText);

/** The last part of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** os.path.join of two paths: the second alone if it is absolute. */
export function joinPath(folder: string, name: string): string {
  if (name.startsWith('/')) return name;
  return folder === '' || folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
