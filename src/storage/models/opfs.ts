// Models in the browser's origin-private file system: one folder per model, with its unchanged files and lab-model.json. In a worker, bytes
// are written in place and flushed at each append (FileSystemSyncAccessHandle); elsewhere the browser copies a file to append to it, which
// is correct but slow for large files. https://fs.spec.whatwg.org
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { writeError } from '../errors.ts';
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
import {
  browserRoot,
  existingEntries,
  hasMoved,
  ignoreMissing,
  orNullIfMissing,
  overwrite,
  type SyncAccess,
  type SyncFile,
  writeAndClose,
  writeAt,
} from '../opfs.ts';
import type { FileSource } from '../sources.ts';

export interface OpfsOptions {
  /** Name of the folder in the origin's own file system. */
  folder?: string;
  /** The file system's root; the browser's by default. */
  root?: () => Promise<FileSystemDirectoryHandle>;
  estimate?: () => Promise<{ usage?: number; quota?: number }>;
}

/** Most attempts to read a record while others write it. */
const MOST_TRIES = 3;

/** Opens nothing yet. If the browser has no such file system, every call throws StorageError. */
export function createOpfsModelStore({
  folder = 'models',
  root = () => browserRoot('; a dropped folder can be used without being kept'),
  estimate = browserEstimate,
}: OpfsOptions = {}): ModelStore {
  /** A full disk refuses even a new folder, so only writers create one. */
  const models = async (create = true) => (await root()).getDirectoryHandle(folder, { create });
  const room = async () => {
    const { usage, quota } = await estimate();
    return usage === undefined || quota === undefined ? null : Math.max(0, quota - usage);
  };
  const modelFolder = async (id: string) => {
    checkId(id);
    const all = await orNullIfMissing(models(false));
    return all && orNullIfMissing(all.getDirectoryHandle(id));
  };
  const readFile = async (id: string, path: string): Promise<File | null> => {
    let at = await modelFolder(id);
    const parts = pathParts(path);
    for (const part of parts.slice(0, -1)) at = at && (await orNullIfMissing(at.getDirectoryHandle(part)));
    const handle = at && (await orNullIfMissing(at.getFileHandle(parts[parts.length - 1])));
    return handle && orNullIfMissing(handle.getFile());
  };
  const get = async (id: string): Promise<StoredModel | null> => {
    for (let tries = 0; ; tries++) {
      const record = await (await modelFolder(id))?.getFileHandle(RECORD).catch(ignoreMissing);
      if (!record) return null;
      try {
        return readRecord(await (await record.getFile()).text(), id);
      } catch (error) {
        // The record was deleted or rewritten between opening and reading, so it is opened again.
        if (!hasMoved(error) || tries === MOST_TRIES) throw error;
      }
    }
  };

  const store: ModelStore = {
    get,
    room,

    async list() {
      const kept: StoredModel[] = [];
      const all = await orNullIfMissing(models(false));
      for await (const [name, handle] of existingEntries(all?.entries())) {
        if (handle.kind !== 'directory' || !isId(name)) continue;
        const model = await get(name);
        if (model) kept.push(model);
      }
      return kept.sort((a, b) => a.createdAt - b.createdAt);
    },

    async save(model) {
      const text = new TextEncoder().encode(writeRecord(model));
      try {
        const at = await (await models()).getDirectoryHandle(model.id, { create: true });
        await overwrite(await at.getFileHandle(RECORD, { create: true }), text);
      } catch (error) {
        throw writeError(error, `${model.id}/${RECORD}`, 0, text.length, await room());
      }
    },

    async sizeOf(id, path) {
      return (await readFile(id, path))?.size ?? 0;
    },

    async partial(id, path) {
      checkId(id);
      const parts = pathParts(path);
      return new OpfsPartial({
        path,
        room,
        find: () => readFile(id, path),
        create: async () => {
          let at = await (await models()).getDirectoryHandle(id, { create: true });
          for (const part of parts.slice(0, -1)) at = await at.getDirectoryHandle(part, { create: true });
          return at.getFileHandle(parts[parts.length - 1], { create: true });
        },
      });
    },

    async source(id): Promise<FileSource> {
      const model = await completeModel(store, id);
      const { files } = model;
      return {
        label: id,
        sums: async () => sumsOf(model),
        async read(path) {
          const wanted = files.find((file) => file.path === path);
          if (!wanted) return null;
          const file = await readFile(id, path);
          if (file?.size === wanted.bytes) return file;
          throw new FormatError(
            `${path} of ${id} has ${file?.size ?? 0} of its ${wanted.bytes} bytes: the browser’s store was changed.`,
            'Delete the model and fetch it again.',
          );
        },
      };
    },

    async delete(id) {
      const at = await modelFolder(id);
      if (!at) return;
      try {
        // The record is deleted first: if a crash leaves files, they are no longer a model.
        await at.removeEntry(RECORD).catch(ignoreMissing);
        await (await models()).removeEntry(id, { recursive: true }).catch(ignoreMissing);
      } catch (error) {
        throw writeError(error, id, 0, 0, null);
      }
    },
  };
  return store;
}

interface Place {
  path: string;
  room(): Promise<number | null>;
  find(): Promise<File | null>;
  create(): Promise<SyncFile>;
}

/** One file; it is opened at the first append, and closed for reading. */
class OpfsPartial implements PartialFile {
  readonly #place: Place;
  #access: SyncAccess | null = null;

  constructor(place: Place) {
    this.#place = place;
  }

  async size(): Promise<number> {
    return this.#access ? this.#access.getSize() : ((await this.#place.find())?.size ?? 0);
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.#write(async (access, file) => {
      if (!access) return appendByCopy(file, bytes);
      const at = access.getSize();
      try {
        writeAt(access, bytes, at);
        access.flush();
      } catch (error) {
        access.truncate(at);
        throw error;
      }
    }, bytes.length);
  }

  async clear(): Promise<void> {
    if (!this.#access && !(await this.#place.find())) return;
    await this.#write(async (access, file) => {
      if (!access) return overwrite(file, new Uint8Array(0));
      access.truncate(0);
      access.flush();
    }, 0);
  }

  async read(): Promise<Blob> {
    await this.close();
    return (await this.#place.find()) ?? new Blob();
  }

  async close(): Promise<void> {
    this.#access?.close();
    this.#access = null;
  }

  async #write(work: (access: SyncAccess | null, file: SyncFile) => Promise<void>, adding: number): Promise<void> {
    try {
      const file = await this.#place.create();
      this.#access ??= (await file.createSyncAccessHandle?.()) ?? null;
      await work(this.#access, file);
    } catch (error) {
      const at = await this.size().catch(() => 0);
      throw writeError(error, this.#place.path, at, adding, await this.#place.room().catch(() => null));
    }
  }
}

async function appendByCopy(file: FileSystemFileHandle, bytes: Uint8Array): Promise<void> {
  const { size } = await file.getFile();
  const stream = await file.createWritable({ keepExistingData: true });
  await writeAndClose(stream, { type: 'write', position: size, data: new Uint8Array(bytes) });
}

async function browserEstimate(): Promise<{ usage?: number; quota?: number }> {
  return (await globalThis.navigator?.storage?.estimate?.().catch(() => null)) ?? {};
}
