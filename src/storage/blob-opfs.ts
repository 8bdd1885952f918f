// Blobs by name in the browser's origin-private file system, where the page stores singular vectors (factor-cache.ts). One flat folder.
// With streams a file is written whole or not at all; without them, a half-written one is detected as damaged and recomputed.
// https://fs.spec.whatwg.org

import { writeError } from './errors.ts';
import type { BlobStore } from './factor-cache.ts';
import { browserRoot, existingEntries, orNullIfMissing, overwrite } from './opfs.ts';
import type { ByteSource } from './safetensors.ts';

interface OpfsBlobOptions {
  /** Name of the folder in the origin's own file system. */
  folder?: string;
  /** The file system's root; the browser's by default. */
  root?: () => Promise<FileSystemDirectoryHandle>;
}

export interface OpfsBlobStore extends BlobStore {
  /** Files in the folder, and their bytes. */
  usage(): Promise<{ files: number; bytes: number }>;
  /** Deletes all files. */
  clear(): Promise<void>;
}

/** Chromium lists the draft of each open stream as a file beside the target, so drafts appear while a model is factored. */
const SWAP = '.crswap';

/** Opens nothing yet. Calls throw StorageError if the browser has no such file system, or if it is full. */
export function opfsBlobStore({ folder = 'factors', root = () => browserRoot() }: OpfsBlobOptions = {}): OpfsBlobStore {
  /** Null before the first write, which creates the folder: on a full disk it could not be created. */
  const place = async () => orNullIfMissing((await root()).getDirectoryHandle(folder));
  return {
    async read(name): Promise<ByteSource | null> {
      const at = await place();
      const handle = at && (await orNullIfMissing(at.getFileHandle(name)));
      return handle && orNullIfMissing(handle.getFile());
    },

    async write(name, bytes) {
      const top = await root();
      let at: FileSystemDirectoryHandle | undefined;
      try {
        at = await top.getDirectoryHandle(folder, { create: true });
        await overwrite(await at.getFileHandle(name, { create: true }), bytes);
      } catch (error) {
        // A missing file is better than a partial one, or the empty one that getFileHandle made.
        await at?.removeEntry(name).catch(() => {});
        throw writeError(error, name, 0, bytes.length, null);
      }
    },

    async usage() {
      let [files, bytes] = [0, 0];
      for await (const handle of existingEntries((await place())?.values())) {
        if (handle.kind !== 'file' || handle.name.endsWith(SWAP)) continue;
        const file = await orNullIfMissing((handle as FileSystemFileHandle).getFile());
        if (!file) continue;
        files++;
        bytes += file.size;
      }
      return { files, bytes };
    },

    async clear() {
      await orNullIfMissing((await root()).removeEntry(folder, { recursive: true }));
    },
  };
}
