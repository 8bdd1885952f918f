// Writes to disk: creates folders, writes files atomically, and turns system errors into sentences. The only place where the lab creates a
// file or a folder for the user.
import { createHash } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { LabError, StorageError } from '../errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk’s quota is used up',
  EFBIG: 'the file would be larger than the system allows',
  EACCES: 'permission is denied',
  EPERM: 'the system does not permit it',
  EROFS: 'the disk is read-only',
  ENOENT: 'the folder above it is not there, or nothing can be made in it',
  ENOTDIR: 'a part of its path is a file, no folder',
  EISDIR: 'it is a folder',
  EEXIST: 'there is a file of that name',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
  EBUSY: 'the system is using it',
};
const FULL = ['ENOSPC', 'EDQUOT'];

/** Turns an error of the file system into a sentence that names the file; returns any other error unchanged. */
export function diskError(error: unknown, path?: string): unknown {
  if (error instanceof LabError) return error;
  const { code, syscall, path: own } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || typeof code !== 'string' || typeof syscall !== 'string') return error;
  if (!/^E[A-Z0-9]+$/.test(code)) return error;
  const reading = ['open', 'read', 'scandir', 'stat', 'lstat'].includes(syscall) && path === undefined;
  return new StorageError(
    `${path ?? own ?? 'A file'} cannot be ${reading ? 'opened' : 'written'}: ${REASONS[code] ?? 'the system refused it'} (${code}).`,
    FULL.includes(code)
      ? 'Free disk space, and give the same command again: what was kept before is whole.'
      : 'Choose a place that can be written (--out), and give the same command again.',
    { cause: error },
  );
}

/**
 * Creates folder after folder, with at most one attempt each: Node's own recursive mkdir never ends below /proc, which always reports a
 * missing parent folder. Throws StorageError.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    throw diskError(error, path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A folder on a read-only disk answers EROFS even if it exists.
    if (code !== 'ENOENT' && (await isFolder(path))) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeOne(dirname(path));
    await mkdir(path).catch(async (again) => {
      if (!(await isFolder(path))) throw again;
    });
  }
}

const isFolder = (path: string) =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );

/** Identifies this machine: several may share a folder, and their process numbers overlap. */
const MACHINE = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** Temporary path of this process for a file, so that no other process writes there. */
export const partOf = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${MACHINE}.${process.pid}.part`);

/**
 * At any time the file is either the old or the complete new one; `backup` keeps the old one under that path. A partially written file is
 * removed. Throws StorageError.
 */
export async function writeWhole(path: string, data: string | Uint8Array, backup?: string): Promise<void> {
  const part = partOf(path);
  try {
    await makeFolder(dirname(path));
    const file = await open(part, 'w');
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    if (backup !== undefined) await rename(path, backup).catch(absent);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw diskError(error, path);
  }
}

/** Contents of the file; null if it does not exist. */
export async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    return absent(error);
  }
}

/** Whether the file at `path` can be read to its end; false if nothing is there. A pipe never ends, and a link may lead nowhere. Throws
 *  StorageError for both. */
export async function isPlainFile(path: string): Promise<boolean> {
  const info = await lstat(path).catch(absent);
  if (info === null || info.isFile()) return info !== null;
  throw new StorageError(`${path} is no file of the lab’s, but a link, a pipe or a folder.`, 'Delete it.');
}

/** Names in the folder; empty if the folder does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    return absent(error) ?? [];
  }
}

function absent(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

const PART = /^\..+?(?:\.([0-9a-f]{8}))?\.(\d+)\.part$/;

/**
 * Removes partial files of ended processes in the folder and `depth` folders below; keeps those that are being written, and those of
 * another machine, whose processes are not visible here.
 */
export async function clearParts(folder: string, depth = 3): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const part = PART.exec(entry.name);
    if (entry.isDirectory() && depth > 0) await clearParts(path, depth - 1);
    else if (entry.isFile() && part && (part[1] ?? MACHINE) === MACHINE && !(await isWritten(path, Number(part[2]))))
      await rm(path, { force: true });
  }
}

/** Whether the writing process is alive: another process with that number, or this one if the part is no older than it. */
async function isWritten(path: string, pid: number): Promise<boolean> {
  if (pid === process.pid)
    return stat(path).then(
      ({ mtimeMs }) => mtimeMs >= performance.timeOrigin,
      () => true,
    );
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
