// A person's folder (--out) and the lab's files in it. The file `lab-files` lists these, so that nothing else is ever taken for the lab's:
// `--fresh` moves the listed files aside, into a folder beside the rest, and refuses a folder that holds anything else. A folder of an
// earlier lab has no list; there the lab's files are recognised by their names.
import type { Dirent } from 'node:fs';
import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import {
  clearParts,
  diskError,
  makeFolder,
  namesIn,
  readOrNull,
  writeWhole,
} from '@projected-grpo-lab/base/files/disk.node.ts';
import { holdFolder, LOCK } from '@projected-grpo-lab/base/files/lock.node.ts';
import * as z from 'zod/mini';
import type { CommandContext } from './command.ts';

/** The name has no dot, since tools that go through a probe's folder look at names with one. */
export const LIST = 'lab-files';
const LAB = 'projected-grpo-lab';

const plainName = z.string().check(z.regex(/^(?!\.{1,2}$)[^/\\\0]{1,255}$/));
const Listed = z.object({ lab: z.literal(LAB), schema: z.literal(1), wrote: z.array(plainName) });

const PART = /^\..+\.\d+\.part$/;
const BACKUP = /^aside-\d+$/;

/** Names of the lab's files: in a run's folder, in a probe's, and in the folders there. */
const FILES = [
  /^[\w-]+-\d+\.(checkpoint|checkpoint-previous|safetensors|run\.json)$/,
  /^pool-[0-9a-f]{16}\.jsonl(\.sha256)?$/,
  /^basis-[0-9a-f]{16}\.safetensors$/,
  /^(pool\.jsonl\.gz|pool-key|report\.json|ratios\.json)$/,
];
type Folders = readonly (readonly [name: RegExp, files: readonly RegExp[], folders?: Folders])[];
const REPLAYS: Folders = [[/^(vanilla|projected)$/, [/^step_\d+\.jsonl\.gz$/, /^state(-previous)?$/]]];
const RUNS: Folders = [
  [/^[\w-]+-\d+\.rollouts$/, [/^\d+\.jsonl$/]],
  [/^[\w-]+-\d+\.steps$/, [/^\d+$/]],
];
const TRAININGS: Folders = [[/^training$/, [], [[/^[0-9a-f]{12}$/, FILES, RUNS]]]];
const FOLDERS: Folders = [...RUNS, ...REPLAYS, ...TRAININGS, [/^lora$/, [], [...REPLAYS, ...TRAININGS]]];

export class RunDirectory {
  readonly path: string;
  #listed: Set<string> | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  #giveBack: (() => Promise<void>) | null = null;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes the folder, locks it, and removes files that killed processes left half written. Throws InUseError, StorageError. */
  async prepare(note: (line: string) => void): Promise<void> {
    this.#giveBack = await holdFolder(this.path, note);
    await clearParts(this.path);
  }

  /** Releases the folder to other processes. */
  async close(): Promise<void> {
    await this.#giveBack?.();
    this.#giveBack = null;
  }

  /** Must be called before a file or folder of that name is first written here. */
  claim(...names: string[]): Promise<void> {
    const claimed = this.#writing.then(async () => {
      this.#listed ??= new Set((await this.#list()) ?? (await this.#byName([])).own);
      const before = this.#listed.size;
      for (const name of names) this.#listed.add(name);
      if (this.#listed.size > before) await this.#save();
    });
    this.#writing = claimed.catch(() => {});
    return claimed;
  }

  /** Names of the lab's files here, and paths of everything else. */
  async contents(): Promise<{ own: string[]; other: string[] }> {
    const listed = await this.#list();
    const { own, other } = await this.#byName(listed ?? []);
    if (!listed) return { own, other };
    const unlisted = own.filter((name) => !listed.includes(name) && name !== LIST);
    return { own: own.filter((name) => !unlisted.includes(name)), other: [...other, ...unlisted].sort() };
  }

  /** Moves the lab's files into a new folder `aside-N` in this one; returns its name, or null where there is nothing. */
  async backUp(): Promise<string | null> {
    const names = (await this.contents()).own.filter((name) => name !== LIST && !BACKUP.test(name));
    if (names.length === 0) return null;
    const used = (await namesIn(this.path)).filter((name) => BACKUP.test(name)).map((name) => Number(name.slice(6)));
    const backup = `aside-${Math.max(0, ...used) + 1}`;
    await this.claim(backup);
    await makeFolder(join(this.path, backup));
    try {
      for (const name of names) await rename(join(this.path, name), join(this.path, backup, name));
    } catch (error) {
      throw diskError(error, join(this.path, backup));
    }
    return backup;
  }

  /** Removes the lab's files, and the folder where nothing else is left. */
  async remove(): Promise<void> {
    const { own } = await this.contents();
    for (const name of own.filter((name) => name !== LIST))
      await rm(join(this.path, name), { recursive: true, force: true });
    await rm(join(this.path, LIST), { force: true });
    this.#listed = null;
    await this.close();
    // Other files stay, and the folder with them.
    await rmdir(this.path).catch(() => {});
  }

  /** Null where there is no list, or a damaged one: names decide then. */
  async #list(): Promise<string[] | null> {
    const bytes = await readOrNull(join(this.path, LIST));
    if (bytes === null) return null;
    try {
      return Listed.parse(JSON.parse(bytes.toString('utf8'))).wrote;
    } catch {
      return null;
    }
  }

  async #save(): Promise<void> {
    // Another process may have listed more meanwhile.
    for (const name of (await this.#list()) ?? []) this.#listed?.add(name);
    const wrote = [...(this.#listed ?? [])].filter((name) => name !== LIST && !PART.test(name)).sort();
    await writeWhole(join(this.path, LIST), `${JSON.stringify({ lab: LAB, schema: 1, wrote }, null, 1)}\n`);
  }

  async #byName(listed: readonly string[]): Promise<{ own: string[]; other: string[] }> {
    const entries = await readdir(this.path, { withFileTypes: true }).catch((error) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw diskError(error, this.path);
    });
    const own: string[] = [];
    const other: string[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isFile() && entry.name === LOCK) continue;
      const strange = await strangeIn(entry, this.path, FILES, FOLDERS, this.path);
      if (entry.isDirectory() && BACKUP.test(entry.name)) own.push(entry.name);
      else if (entry.isFile() && [LIST, ...listed].includes(entry.name)) own.push(entry.name);
      else if (strange.length === 0) own.push(entry.name);
      else other.push(...strange);
    }
    return { own, other };
  }
}

/** Paths, from `root`, of files that the lab does not make there. */
async function strangeIn(
  entry: Dirent,
  at: string,
  files: readonly RegExp[],
  folders: Folders,
  root: string,
): Promise<string[]> {
  const path = join(at, entry.name);
  if (entry.isFile() && [PART, ...files].some((name) => name.test(entry.name))) return [];
  const known = entry.isDirectory() ? folders.find(([name]) => name.test(entry.name)) : undefined;
  if (!known) return [relative(root, path)];
  const [, ownFiles, runDirectories = []] = known;
  const strange: string[] = [];
  for (const below of await readdir(path, { withFileTypes: true }))
    if (below.name !== LIST) strange.push(...(await strangeIn(below, path, ownFiles, runDirectories, root)));
  return strange.sort();
}

/**
 * Carries out --fresh: all of the lab's files are moved aside, nothing is deleted. On a terminal it asks first, unless --yes is given;
 * without a terminal it goes ahead, since nothing is lost. Throws SpecError for a folder with other files, StoppedError where the answer is
 * no.
 */
export async function beginAnew(
  folder: RunDirectory,
  yes: boolean,
  { progress, ask }: Pick<CommandContext, 'progress' | 'ask'>,
): Promise<void> {
  const { own, other } = await folder.contents();
  if (other.length > 0) {
    const named = other.slice(0, 5).join(', ') + (other.length > 5 ? ` and ${other.length - 5} more` : '');
    throw new SpecError(
      `--fresh: ${folder.path} holds things that the lab did not write (${named}); nothing was changed.`,
      'Move them elsewhere, or name another folder with --out.',
    );
  }
  const kept = own.filter((name) => name !== LIST && !BACKUP.test(name)).length;
  if (kept === 0) return;
  if (
    !yes &&
    ask &&
    !(await ask(`Begin anew, and move ${kept} kept files and folders of ${folder.path} aside? [y/N] `))
  )
    throw new StoppedError(
      '--fresh was declined; nothing was changed.',
      'Leave --fresh away to go on from what is kept.',
    );
  const backup = await folder.backUp();
  if (backup) progress.note(`What was kept there lies in ${join(folder.path, backup)} now.`);
}
