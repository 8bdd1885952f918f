// What every store in the browser's origin-private file system begins with (https://fs.spec.whatwg.org): its root, and what is not there,
// or not there any more. Several requests and tabs share it, so that a name which was just listed may be gone, or be another file, when it
// is opened. To a reader that is the same as never there.

import { StorageError } from './kv.ts';

/** Workers have it; TypeScript's list of what a page has does not. */
export interface SyncFile extends FileSystemFileHandle {
  createSyncAccessHandle?(): Promise<SyncAccess>;
}
export interface SyncAccess {
  getSize(): number;
  write(bytes: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}

/** `otherwise`: what can be done without it, behind each remedy. Throws StorageError. */
export async function browserRoot(otherwise = ''): Promise<FileSystemDirectoryHandle> {
  const storage = globalThis.navigator?.storage;
  if (!storage?.getDirectory)
    throw new StorageError(
      'This browser gives the page no file system of its own.',
      `Use a newer browser over https:// or http://localhost${otherwise}.`,
    );
  try {
    return await storage.getDirectory();
  } catch (cause) {
    throw new StorageError(
      `The browser refuses the page its own file system (${cause instanceof Error ? cause.name : String(cause)}).`,
      `Leave private browsing, or allow storage for this site${otherwise}.`,
      { cause },
    );
  }
}

/** Null for what is not there. */
export function found<T>(work: Promise<T>): Promise<T | null> {
  return work.catch(ignoreMissing);
}

const nameOf = (error: unknown) => (error as { name?: string } | null)?.name;

export function ignoreMissing(error: unknown): null {
  if (nameOf(error) === 'NotFoundError' || nameOf(error) === 'TypeMismatchError') return null;
  throw error;
}

/** Of a file that was there: deleted since, or written anew, which makes what was opened unreadable. */
export const hasMoved = (error: unknown): boolean =>
  nameOf(error) === 'NotFoundError' || nameOf(error) === 'NotReadableError';

/** The entries of a folder as far as it is there: one that is deleted while it is listed ends. */
export async function* present<T>(entries: AsyncIterable<T> | undefined): AsyncGenerator<T> {
  try {
    if (entries) yield* entries;
  } catch (error) {
    ignoreMissing(error);
  }
}
