// The part of the origin-private file system that the lab uses, in memory: with handles that write in place, as in a worker, or without, as
// in a page. It can be full, in the standard's way or in Chromium's; it loses the bytes of an unclosed stream, and refuses files that were
// removed or rewritten after they were opened.

interface Node {
  kind: 'file' | 'directory';
  bytes: Uint8Array;
  children: Map<string, Node>;
  isLocked: boolean;
}

const node = (kind: Node['kind']): Node => ({ kind, bytes: new Uint8Array(0), children: new Map(), isLocked: false });
const fail = (name: string): never => {
  throw new DOMException(name, name);
};
/** Handles of a removed folder find nothing. */
const empty = ({ children }: Node): void => {
  for (const child of children.values()) empty(child);
  children.clear();
};

export class FakeOpfs {
  readonly #root = node('directory');
  readonly #inPlace: boolean;
  /** When full, a write in place does not throw but returns -8 as an unsigned number. */
  readonly #isChromium: boolean;
  quota: number;

  constructor({
    inPlace = true,
    quota = Number.POSITIVE_INFINITY,
    isChromium = false,
  }: { inPlace?: boolean; quota?: number; isChromium?: boolean } = {}) {
    this.#inPlace = inPlace;
    this.#isChromium = isChromium;
    this.quota = quota;
  }

  readonly root = async (): Promise<FileSystemDirectoryHandle> => this.#directory('', this.#root);

  readonly estimate = async () => ({ usage: this.#used(this.#root), quota: this.quota });

  #used({ bytes, children }: Node): number {
    return [...children.values()].reduce((sum, child) => sum + this.#used(child), bytes.length);
  }

  /** A write that does not fit is truncated. */
  #put(file: Node, at: number, bytes: Uint8Array): number {
    const grows = Math.max(0, at + bytes.length - file.bytes.length);
    const left = this.quota - this.#used(this.#root);
    const fits = grows > left ? Math.max(0, bytes.length - (grows - left)) : bytes.length;
    const grown = new Uint8Array(Math.max(file.bytes.length, at + fits));
    grown.set(file.bytes);
    grown.set(bytes.subarray(0, fits), at);
    file.bytes = grown;
    if (fits === bytes.length) return fits;
    return this.#isChromium ? 2 ** 32 - 8 : fail('QuotaExceededError');
  }

  #directory(name: string, at: Node): FileSystemDirectoryHandle {
    const child = (key: string, kind: Node['kind'], create: boolean): Node => {
      const found = at.children.get(key);
      if (found && found.kind !== kind) fail('TypeMismatchError');
      if (!found && !create) fail('NotFoundError');
      if (!found) at.children.set(key, node(kind));
      return at.children.get(key)!;
    };
    const handle = {
      kind: 'directory',
      name,
      getDirectoryHandle: async (key: string, options?: { create?: boolean }) =>
        this.#directory(key, child(key, 'directory', options?.create ?? false)),
      getFileHandle: async (key: string, options?: { create?: boolean }) =>
        this.#file(key, child(key, 'file', options?.create ?? false), at),
      removeEntry: async (key: string, options?: { recursive?: boolean }) => {
        const found = at.children.get(key) ?? fail('NotFoundError');
        if (found.children.size > 0 && !options?.recursive) fail('InvalidModificationError');
        at.children.delete(key);
        empty(found);
      },
      entries: async function* (this: { list: () => [string, unknown][] }) {
        yield* this.list();
      },
      list: () =>
        [...at.children].map(([key, found]) => [
          key,
          found.kind === 'file' ? this.#file(key, found, at) : this.#directory(key, found),
        ]),
    };
    // The object has only the methods that the tested code calls.
    return handle as unknown as FileSystemDirectoryHandle;
  }

  #file(name: string, file: Node, folder: Node): FileSystemFileHandle {
    const handle = {
      kind: 'file',
      name,
      getFile: async () => {
        if (folder.children.get(name) !== file) fail('NotFoundError');
        const then = file.bytes;
        const found = new File([new Uint8Array(then)], name);
        const text = found.text.bind(found);
        return Object.assign(found, { text: () => (file.bytes === then ? text() : fail('NotReadableError')) });
      },
      createWritable: async (options?: { keepExistingData?: boolean }) => {
        const draft = node('file');
        if (options?.keepExistingData) draft.bytes = file.bytes.slice();
        return {
          write: async (chunk: Uint8Array | { position: number; data: Uint8Array }) => {
            const { position, data } = 'data' in chunk ? chunk : { position: 0, data: chunk };
            const left = this.quota - this.#used(this.#root);
            if (data.length > left) fail('QuotaExceededError');
            const grown = new Uint8Array(Math.max(draft.bytes.length, position + data.length));
            grown.set(draft.bytes);
            grown.set(data, position);
            draft.bytes = grown;
          },
          close: async () => {
            file.bytes = draft.bytes;
          },
          abort: async () => {},
        };
      },
      ...(this.#inPlace ? { createSyncAccessHandle: async () => this.#access(file) } : {}),
    };
    // The object has only the methods that the tested code calls.
    return handle as unknown as FileSystemFileHandle;
  }

  #access(file: Node) {
    if (file.isLocked) fail('NoModificationAllowedError');
    file.isLocked = true;
    return {
      getSize: () => file.bytes.length,
      write: (bytes: Uint8Array, { at }: { at: number }) => this.#put(file, at, bytes),
      truncate: (size: number) => {
        file.bytes = file.bytes.slice(0, size);
      },
      flush: () => {},
      close: () => {
        file.isLocked = false;
      },
    };
  }
}
