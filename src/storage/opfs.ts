// What every store in the browser's origin-private file system begins with (https://fs.spec.whatwg.org): its root, what is not
// there, or not there any more, and a file written whole. Several requests and tabs share it, so that a name which was just listed
// may be gone, or be another file, when it is opened. To a reader that is the same as never there.

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

/**
 * All of it, or an error. Chromium does not throw where there is no room: it writes what fits and returns an error's number, -8
 * read as 4294967288, so no more is believed than was given and is there.
 */
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

/** The whole file anew. A stream replaces it at once when it is closed; in place, a crash may leave half a record. */
export async function overwrite(file: SyncFile, bytes: Uint8Array): Promise<void> {
  if (typeof file.createWritable === 'function') {
    return finish(await file.createWritable(), new Uint8Array(bytes));
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

export async function finish(
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
