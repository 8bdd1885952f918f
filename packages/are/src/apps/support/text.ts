// Small texts in Python's way: what error texts and searches of the apps are made of.
import { quoted } from '../../python-error.ts';

/** Python's repr of a list of strings. */
export const quotedList = (items: readonly string[]): string => `[${items.map(quoted).join(', ')}]`;

/** Whether a text holds another, whatever the case; a missing text holds nothing. */
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

/** The reference's sets, whose order Python leaves open: each item once, sorted. */
export const sortedSet = (items: Iterable<string>): string[] => [...new Set(items)].sort(compareText);

/** The last part of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** os.path.join of two: the second alone where it is absolute. */
export function joinPath(folder: string, name: string): string {
  if (name.startsWith('/')) return name;
  return folder === '' || folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
