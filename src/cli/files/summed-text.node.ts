// Text files that other tools read as they are (pools), with their sha-256 in a file beside them, as sha256sum writes it. One
// whose text has changed is not used: it is made again.
import { basename } from 'node:path';
import { readOrNull, writeWhole } from '../../storage/disk.node.ts';
import { sha256 } from '../../storage/sources.ts';
import { type Warn, warnOnStderr } from './kept-state.node.ts';

export const sumOf = (path: string): string => `${path}.sha256`;

export async function saveText(path: string, text: string): Promise<void> {
  // The sum first: the same text always has the same, and a text without its sum would go unchecked.
  await writeWhole(sumOf(path), `${await sha256(new TextEncoder().encode(text))}  ${basename(path)}\n`);
  await writeWhole(path, text);
}

/** Null where there is none, or where it is not the one that was written. */
export async function loadText(path: string, warn: Warn = warnOnStderr): Promise<string | null> {
  const bytes = await readOrNull(path);
  if (bytes === null) return null;
  const sum = await readOrNull(sumOf(path));
  if (sum === null || sum.toString('latin1').slice(0, 64) === (await sha256(bytes))) return bytes.toString('utf8');
  warn(`${path} is damaged: its sha-256 is not that of ${basename(sumOf(path))}. It is made again.`);
  return null;
}
