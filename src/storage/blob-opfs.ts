// Blobs by name in the browser's origin-private file system: where the page keeps singular vectors (factor-cache.ts). One flat
// folder; a file is there whole or not at all where the browser has streams, and a half-written one is found damaged and made anew
// where it has not. https://fs.spec.whatwg.org

import { writeError } from './errors.ts';
import type { BlobStore } from './factor-cache.ts';
import { browserRoot, found, overwrite, present } from './opfs.ts';
import type { ByteSource } from './safetensors.ts';

interface OpfsBlobOptions {
  /** Name of the folder in the origin's own file system. */
  folder?: string;
  /** The file system's root; the browser's where absent. */
  root?: () => Promise<FileSystemDirectoryHandle>;
}

export interface OpfsBlobStore extends BlobStore {
  /** What is there, in files and bytes. */
  usage(): Promise<{ files: number; bytes: number }>;
  /** Deletes all of it. */
  clear(): Promise<void>;
}

/** While a model is factored its files are being written: Chromium lists each stream's draft beside its file, until it is closed. */
const SWAP = '.crswap';

/** Opens nothing yet. Where the browser has no such file system, or no room in it, calls throw StorageError. */
export function opfsBlobStore({ folder = 'factors', root = () => browserRoot() }: OpfsBlobOptions = {}): OpfsBlobStore {
  /** Null before the first write: on a full disk not even a folder can be made. */
  const place = async () => found((await root()).getDirectoryHandle(folder));
  return {
    async read(name): Promise<ByteSource | null> {
      const at = await place();
      const handle = at && (await found(at.getFileHandle(name)));
      return handle && found(handle.getFile());
    },

    async write(name, bytes) {
      const top = await root();
      let at: FileSystemDirectoryHandle | undefined;
      try {
        at = await top.getDirectoryHandle(folder, { create: true });
        await overwrite(await at.getFileHandle(name, { create: true }), bytes);
      } catch (error) {
        // Nothing is better than half a file, or the empty one that getFileHandle made.
        await at?.removeEntry(name).catch(() => {});
        throw writeError(error, name, 0, bytes.length, null);
      }
    },

    async usage() {
      let [files, bytes] = [0, 0];
      for await (const handle of present((await place())?.values())) {
        if (handle.kind !== 'file' || handle.name.endsWith(SWAP)) continue;
        const file = await found((handle as FileSystemFileHandle).getFile());
        if (!file) continue;
        files++;
        bytes += file.size;
      }
      return { files, bytes };
    },

    async clear() {
      await found((await root()).removeEntry(folder, { recursive: true }));
    },
  };
}
