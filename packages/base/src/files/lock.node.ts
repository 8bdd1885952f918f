// A lock for writing to a folder or to a file of rows: a file that names the process and its machine, so that two commands do not mix their
// output. It is removed when the holder ends. A killed process's lock is recognised by the missing process, reported, and taken over.
import { readFileSync, rmSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { LabError } from '../errors.ts';
import { parseJsonText } from '../json.ts';
import { diskError, isPlainFile, makeFolder, partOf, readOrNull } from './disk.node.ts';

/** The name has no dot, since tools that scan a probe's folder look at names with one. */
export const LOCK = 'lab-lock';

/** Another command is writing there. */
export class InUseError extends LabError {}

const Holder = z.object({
  pid: z.int().check(z.positive()),
  host: z.string().check(z.maxLength(255)),
  /** The process's start in its system's units, because process numbers are reused. Null if unknown. */
  began: z.nullable(z.string().check(z.maxLength(40))),
  /** Time at which the lock was taken. */
  since: z.string().check(z.maxLength(40)),
});
type Holder = z.infer<typeof Holder>;

/** Locks of this process, by path. */
const held = new Map<string, string>();
let isWatching = false;
/** Number of temporary files that takeFile has created. */
let parts = 0;

/** Creates the folder if needed; resolves with a function that releases the lock. Throws InUseError, StorageError. */
export async function holdFolder(folder: string, note: (line: string) => void): Promise<() => Promise<void>> {
  const path = join(resolve(folder), LOCK);
  const isNew = !(await isThere(folder));
  const release = await hold(path, folder, note);
  return async () => {
    await release();
    if (isNew && (await readdir(folder).catch(() => [LOCK])).length === 0) await rmdir(folder).catch(() => {});
  };
}

/** Locks one file by a lock beside it: other files of its folder stay free. Throws InUseError, StorageError. */
export const holdFile = (file: string, note: (line: string) => void): Promise<() => Promise<void>> =>
  hold(`${resolve(file)}.${LOCK}`, file, note);

/** Takes a lock at `path`; `what` names the locked file or folder in messages. */
async function hold(path: string, what: string, note: (line: string) => void): Promise<() => Promise<void>> {
  const own: Holder = { ...thisProcess(), since: new Date().toISOString() };
  const text = `${JSON.stringify(own)}\n`;
  if (held.has(path)) throw inUse(what, own, path);
  held.set(path, text);
  try {
    await makeFolder(dirname(path));
    while (!(await takeFile(path, text))) await makeRoom(path, what, note);
  } catch (error) {
    held.delete(path);
    throw error;
  }
  watch();
  return async () => {
    if ((await readOrNull(path))?.toString() === text) await rm(path, { force: true });
    held.delete(path);
  };
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

export async function whileHeld<T>(folder: string, note: (line: string) => void, work: () => Promise<T>): Promise<T> {
  const release = await holdFolder(folder, note);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Creates the file with its contents atomically; false if another process has created it already. Throws StorageError. */
export async function takeFile(path: string, text: string): Promise<boolean> {
  // This process may also take several at once.
  const part = partOf(`${path}-${++parts}`);
  try {
    await writeFile(part, text);
    await link(part, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // Some disks do not support hard links.
    if (['EPERM', 'ENOSYS', 'ENOTSUP', 'EMLINK'].includes(code ?? '')) return await takenAlone(path, text);
    throw diskError(error, path);
  } finally {
    await rm(part, { force: true }).catch(() => {});
  }
}

async function takenAlone(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw diskError(error, path);
  }
}

/** Removes a stale lock. Throws InUseError if a process holds it. */
async function makeRoom(path: string, what: string, note: (line: string) => void): Promise<void> {
  const found = await contentsOf(path);
  if (found === null) return;
  const holder = holderIn(found);
  if (holder !== null && isAtWork(holder)) throw inUse(what, holder, path);
  // Several processes may see the same lock: only the one that moves this very file away continues.
  const old = join(dirname(path), `.${basename(path)}-old.${process.pid}.part`);
  await rename(path, old).catch(() => {});
  const moved = await readOrNull(old);
  if (moved !== null && moved.toString() !== found) await link(old, path).catch(() => {});
  await rm(old, { force: true });
  const whose = holder === null ? 'by a file that cannot be read' : `by process ${holder.pid}, which has ended`;
  if (moved?.toString() === found) note(`${what} was left locked ${whose}; it is taken over.`);
}

const inUse = (what: string, { pid, host, since }: Holder, path: string) =>
  new InUseError(
    `${what} is in use: process ${pid} on ${host} has been writing there since ${since}. Nothing was changed.`,
    host === hostname()
      ? 'Wait until it has ended, or name another place with --out.'
      : `Name another place with --out; or, where nothing runs on ${host} any more, delete ${path}.`,
  );

/** Null if the file is gone. An empty file is read again, since not every disk creates it with its contents. */
async function contentsOf(path: string): Promise<string | null> {
  for (let tries = 0; ; tries++) {
    if (!(await isPlainFile(path))) return null;
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw diskError(error, path);
    });
    if (text === null || text !== '' || tries === 10) return text;
    await setTimeout(50);
  }
}

function holderIn(text: string): Holder | null {
  try {
    return Holder.parse(parseJsonText(text));
  } catch {
    return null;
  }
}

function isAtWork({ pid, host, began }: Holder): boolean {
  // This process would know its own lock, so an earlier process had the same number.
  if (host === hostname() && pid === process.pid) return false;
  return !hasEnded({ pid, host, began });
}

/** Identifies a process across machines and time. */
type ProcessId = Pick<Holder, 'pid' | 'host' | 'began'>;

export const thisProcess = (): ProcessId => ({ pid: process.pid, host: hostname(), began: beganAt(process.pid) });

/** Whether the process is known to have ended; unknown for another machine's process. */
export function hasEnded({ pid, host, began }: ProcessId): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const now = beganAt(pid);
  return began !== null && now !== null && began !== now;
}

/** A process's start time on Linux; null elsewhere. */
function beganAt(pid: number): string | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 22; the second is a name in brackets, which may contain anything.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Removes the locks when the process ends. */
function watch(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const [path, text] of held) {
      try {
        if (readFileSync(path, 'utf8') === text) rmSync(path, { force: true });
      } catch {}
    }
  });
}
