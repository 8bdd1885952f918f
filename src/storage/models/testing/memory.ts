// Models in memory, for tests: a store that can be full, like a browser's file system.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { writeError } from '../../errors.ts';
import { StorageError } from '../../kv.ts';
import {
  checkId,
  completeModel,
  type ModelStore,
  type PartialFile,
  pathParts,
  type StoredModel,
} from '../../model-store.ts';
import { type FileSource, memorySource } from '../../sources.ts';

export class MemoryModelStore implements ModelStore {
  readonly #models = new Map<string, StoredModel>();
  /** `id/path` → appended bytes. */
  readonly #files = new Map<string, Blob>();
  readonly #open = new Set<string>();
  readonly #room: number;

  /** `room` is the most bytes of all files. */
  constructor({ room = Number.POSITIVE_INFINITY }: { room?: number } = {}) {
    this.#room = room;
  }

  async list(): Promise<StoredModel[]> {
    return [...this.#models.values()].sort((a, b) => a.createdAt - b.createdAt).map((model) => structuredClone(model));
  }

  async get(id: string): Promise<StoredModel | null> {
    return structuredClone(this.#models.get(id) ?? null);
  }

  async save(model: StoredModel): Promise<void> {
    checkId(model.id);
    for (const { path } of model.files) pathParts(path);
    this.#models.set(model.id, structuredClone(model));
  }

  async sizeOf(id: string, path: string): Promise<number> {
    return this.#files.get(`${id}/${path}`)?.size ?? 0;
  }

  async partial(id: string, path: string): Promise<PartialFile> {
    checkId(id);
    pathParts(path);
    const key = `${id}/${path}`;
    if (this.#open.has(key)) throw new StorageError(`${path} is being written already.`, 'Wait for the other writer.');
    this.#open.add(key);
    const size = () => this.#files.get(key)?.size ?? 0;
    return {
      size: async () => size(),
      append: async (bytes) => {
        const left = this.#left();
        if (bytes.length > left) {
          throw writeError(new DOMException('full', 'QuotaExceededError'), path, size(), bytes.length, left);
        }
        // The bytes are copied, since the caller may reuse its buffer.
        this.#files.set(key, new Blob([this.#files.get(key) ?? '', new Uint8Array(bytes)]));
      },
      clear: async () => void this.#files.delete(key),
      read: async () => this.#files.get(key) ?? new Blob(),
      close: async () => void this.#open.delete(key),
    };
  }

  async source(id: string): Promise<FileSource> {
    const { files } = await completeModel(this, id);
    const held = files.map(({ path }): [string, Blob] => {
      const file = this.#files.get(`${id}/${path}`);
      if (!file) throw new FormatError(`${path} of ${id} is gone.`, 'Get the model again.');
      return [path, file];
    });
    return memorySource(new Map(held), id);
  }

  async delete(id: string): Promise<void> {
    this.#models.delete(id);
    for (const key of [...this.#files.keys()]) if (key.startsWith(`${id}/`)) this.#files.delete(key);
  }

  async room(): Promise<number | null> {
    const left = this.#left();
    return Number.isFinite(left) ? left : null;
  }

  #left(): number {
    return this.#room - [...this.#files.values()].reduce((sum, { size }) => sum + size, 0);
  }
}
