// Who writes in a folder, or in a file of rows: a file there that names the process and its machine, so that two commands do not mix
// what they keep. It goes when the holder ends. What a killed process left behind is seen by its process being gone, said, and taken over.
import { readFileSync, rmSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { LabError } from '../errors.ts';
import { parseJsonText } from '../json.ts';
import { diskError, isPlainFile, makeFolder, partOf, readOrNull } from './disk.node.ts';

/** Without a dot: tools that go through a probe's folder look at names that have one. */
export const LOCK = 'lab-lock';

/** Another command writes there. */
export class InUseError extends LabError {}

const Holder = z.object({
  pid: z.int().check(z.positive()),
  host: z.string().check(z.maxLength(255)),
  /** When the process began, as its system counts it: a number is given to another process after it. Null where not known. */
  began: z.nullable(z.string().check(z.maxLength(40))),
  /** When the folder was taken. */
  since: z.string().check(z.maxLength(40)),
});
type Holder = z.infer<typeof Holder>;

/** Locks of this process, by path. */
const held = new Map<string, string>();
let isWatching = false;
/** Begun by takeFile. */
let parts = 0;

/** Resolves with what gives the folder back. Makes it where it is not there. Throws InUseError, StorageError. */
export async function holdFolder(folder: string, note: (line: string) => void): Promise<() => Promise<void>> {
  const path = join(resolve(folder), LOCK);
  const isNew = !(await isThere(folder));
  const giveBack = await hold(path, folder, note);
  return async () => {
    await giveBack();
    if (isNew && (await readdir(folder).catch(() => [LOCK])).length === 0) await rmdir(folder).catch(() => {});
  };
}

/** Of one file, by a lock beside it: others in its folder are free. Throws InUseError, StorageError. */
export const holdFile = (file: string, note: (line: string) => void): Promise<() => Promise<void>> =>
  hold(`${resolve(file)}.${LOCK}`, file, note);

/** `what` is held, as a person calls it, by a lock at `path`. */
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

/** Holds the folder while `work` goes on. */
export async function whileHeld<T>(folder: string, note: (line: string) => void, work: () => Promise<T>): Promise<T> {
  const giveBack = await holdFolder(folder, note);
  try {
    return await work();
  } finally {
    await giveBack();
  }
}

/** The file comes into being with its contents, or (false) is another's already. Throws StorageError. */
export async function takeFile(path: string, text: string): Promise<boolean> {
  // Of this process too several may come at once.
  const part = partOf(`${path}-${++parts}`);
  try {
    await writeFile(part, text);
    await link(part, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // Some disks have no second names.
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

/** Takes a lock away that nobody holds any more. Throws InUseError where somebody does. */
async function makeRoom(path: string, what: string, note: (line: string) => void): Promise<void> {
  const found = await contentsOf(path);
  if (found === null) return;
  const holder = holderIn(found);
  if (holder !== null && isAtWork(holder)) throw inUse(what, holder, path);
  // Two may see the same one: only who moves that very file away goes on.
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

/** Null where the file has gone. A file that is still empty is given time: not every disk makes it with its contents. */
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
  // This process would have known; another one had its number before it.
  if (host === hostname() && pid === process.pid) return false;
  return !hasEnded({ pid, host, began });
}

/** A process, among those of all machines and times. */
type ProcessId = Pick<Holder, 'pid' | 'host' | 'began'>;

export const thisProcess = (): ProcessId => ({ pid: process.pid, host: hostname(), began: beganAt(process.pid) });

/** Whether it is known to have ended. Nobody here can tell about another machine's. */
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

/** Linux says it of every process; elsewhere null. */
function beganAt(pid: number): string | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 22; the second is a name in brackets, which may hold anything.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** However the process ends by itself, its locks go. */
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
