// Models on disk, for the command line: one folder per model, with its unchanged files and lab-model.json, so that other tools can read it
// too.
import { type FileHandle, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { makeFolder } from '@projected-grpo-lab/base/files/disk.node.ts';
import { writeError } from '../errors.ts';
import { StorageError } from '../kv.ts';
import {
  checkId,
  completeModel,
  isId,
  type ModelStore,
  type PartialFile,
  pathParts,
  RECORD,
  readRecord,
  type StoredModel,
  sumsOf,
  writeRecord,
} from '../model-store.ts';
import { diskFile, diskSource } from '../sources.node.ts';

/** `folderOf` can place a model elsewhere than in `root`. */
export class FolderModelStore implements ModelStore {
  readonly #root: string;
  readonly #folderOf: (id: string) => string;
  readonly #open = new Set<string>();

  constructor(root: string, folderOf: (id: string) => string = (id) => join(root, id)) {
    this.#root = resolve(root);
    this.#folderOf = folderOf;
  }

  async list(): Promise<StoredModel[]> {
    const names = await readdir(this.#root, { withFileTypes: true }).catch((error) => ifMissing(error, []));
    const models: StoredModel[] = [];
    for (const name of names) {
      if (!name.isDirectory() || !isId(name.name)) continue;
      const model = await this.get(name.name);
      if (model) models.push(model);
    }
    return models.sort((a, b) => a.createdAt - b.createdAt);
  }

  async get(id: string): Promise<StoredModel | null> {
    const text = await readFile(join(this.#folder(id), RECORD), 'utf8').catch((error) => ifMissing(error, null));
    return text === null ? null : readRecord(text, id);
  }

  async save(model: StoredModel): Promise<void> {
    const path = join(this.#folder(model.id), RECORD);
    const text = writeRecord(model);
    try {
      await makeFolder(dirname(path));
      const file = await open(`${path}.new`, 'w');
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      // The rename makes the write atomic.
      await rename(`${path}.new`, path);
    } catch (error) {
      throw writeError(error, path, 0, text.length, await this.room());
    }
  }

  async sizeOf(id: string, path: string): Promise<number> {
    return (await diskFile(this.#path(id, path)))?.size ?? 0;
  }

  async partial(id: string, path: string): Promise<PartialFile> {
    const full = this.#path(id, path);
    if (this.#open.has(full)) throw new StorageError(`${full} is being written already.`, 'Wait for the other writer.');
    this.#open.add(full);
    let handle: FileHandle | null = null;
    const size = async () => (handle ? (await handle.stat()).size : this.sizeOf(id, path));
    const close = async () => {
      await handle?.close();
      handle = null;
    };
    return {
      size,
      append: async (bytes) => {
        let at: number | null = null;
        try {
          if (!handle) {
            await makeFolder(dirname(full));
            handle = await open(full, 'a+');
          }
          at = (await handle.stat()).size;
          await handle.appendFile(bytes);
          await handle.datasync();
        } catch (error) {
          if (at !== null) await handle?.truncate(at).catch(() => {});
          throw writeError(error, full, at ?? 0, bytes.length, await this.room());
        }
      },
      clear: async () => {
        await close();
        await rm(full, { force: true });
      },
      read: async () => {
        await close();
        return (await diskFile(full)) ?? new Blob();
      },
      close: async () => {
        this.#open.delete(full);
        await close();
      },
    };
  }

  async source(id: string) {
    const model = await completeModel(this, id);
    const { files } = model;
    const disk = diskSource(this.#folder(id));
    for (const { path, bytes } of files) {
      const size = await this.sizeOf(id, path);
      if (size !== bytes) {
        throw new FormatError(
          `${path} of ${id} has ${size} of its ${bytes} bytes.`,
          'Delete the model and fetch it again.',
        );
      }
    }
    const kept = new Set(files.map(({ path }) => path));
    const read = async (path: string) => (kept.has(path) ? disk.read(path) : null);
    return { label: disk.label, read, sums: async () => sumsOf(model) };
  }

  async delete(id: string): Promise<void> {
    const model = await this.get(id);
    if (!model) return;
    const folder = this.#folder(id);
    // The record is deleted first: if a crash leaves files, they are no longer a model. Other files stay.
    await rm(join(folder, RECORD));
    for (const { path } of model.files) await rm(this.#path(id, path), { force: true });
    const rest = await readdir(folder, { recursive: true, withFileTypes: true });
    if (!rest.some((entry) => !entry.isDirectory())) await rm(folder, { recursive: true, force: true });
  }

  async room(): Promise<number | null> {
    for (let at = this.#root; ; at = dirname(at)) {
      if (await stat(at).catch(() => null)) {
        const { bavail, bsize } = await statfs(at);
        return bavail * bsize;
      }
      if (dirname(at) === at) return null;
    }
  }

  #folder(id: string): string {
    checkId(id);
    return this.#folderOf(id);
  }

  #path(id: string, path: string): string {
    return join(this.#folder(id), ...pathParts(path));
  }
}

function ifMissing<T>(error: unknown, instead: T): T {
  const { code } = error as { code?: string };
  if (code === 'ENOENT' || code === 'ENOTDIR') return instead;
  throw error;
}
