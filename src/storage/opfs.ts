// Basics of all stores in the browser's origin-private file system (https://fs.spec.whatwg.org): its root, missing or moved entries, and
// whole-file writes. Several requests and tabs share it, so a listed file may be deleted or replaced before it is opened; readers treat it
// as missing.

import { StorageError } from './kv.ts';

/** Workers have these methods; TypeScript's page types do not. */
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

/** `otherwise`: an alternative, which is appended to each remedy. Throws StorageError. */
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

/** Null for a missing entry. */
export function orNullIfMissing<T>(work: Promise<T>): Promise<T | null> {
  return work.catch(ignoreMissing);
}

const nameOf = (error: unknown) => (error as { name?: string } | null)?.name;

export function ignoreMissing(error: unknown): null {
  if (nameOf(error) === 'NotFoundError' || nameOf(error) === 'TypeMismatchError') return null;
  throw error;
}

/** Whether an opened file was deleted or rewritten, which makes it unreadable. */
export const hasMoved = (error: unknown): boolean =>
  nameOf(error) === 'NotFoundError' || nameOf(error) === 'NotReadableError';

/** Entries of a folder that may be missing; if it is deleted during the listing, the listing ends. */
export async function* existingEntries<T>(entries: AsyncIterable<T> | undefined): AsyncGenerator<T> {
  try {
    if (entries) yield* entries;
  } catch (error) {
    ignoreMissing(error);
  }
}

/** Writes all bytes or throws. On a full disk Chromium does not throw: it writes what fits and returns the error number -8 as 4294967288,
 *  so the result is compared with the number of bytes and the file's size. */
export function writeAt(access: SyncAccess, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    const left = bytes.length - done;
    const written = access.write(bytes.subarray(done), { at: at + done });
    if (!(written > 0 && written <= left) || access.getSize() < at + done + written) {
      throw new DOMException(`${written} of ${left} bytes were written.`, 'QuotaExceededError');
    }
    done += written;
  }
}

/** Replaces the whole file. A stream replaces it atomically when it is closed; in place, a crash may leave half a record. */
export async function overwrite(file: SyncFile, bytes: Uint8Array): Promise<void> {
  if (typeof file.createWritable === 'function') {
    return writeAndClose(await file.createWritable(), new Uint8Array(bytes));
  }
  const access = await file.createSyncAccessHandle!();
  try {
    access.truncate(0);
    writeAt(access, bytes, 0);
    access.flush();
  } finally {
    access.close();
  }
}

export async function writeAndClose(
  stream: FileSystemWritableFileStream,
  chunk: WriteParams | Uint8Array<ArrayBuffer>,
): Promise<void> {
  try {
    await stream.write(chunk);
    await stream.close();
  } catch (error) {
    await stream.abort().catch(() => {});
    throw error;
  }
}
