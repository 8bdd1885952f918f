// Hashes of files that may not fit into memory, with progress and a stop signal; and git's hash of a small file, which is the Hub's only
// hash for files outside LFS.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { digestOf, Sha256 } from '@projected-grpo-lab/base/sha256.ts';
import type { FileLike } from '../sources.ts';

const PART = 4 * 2 ** 20;

interface HashOptions {
  signal?: AbortSignal;
  /** Called with the bytes of the part just hashed. */
  onPart?: (bytes: number) => void;
}

/** The file in parts of 4 MiB, in order. Throws FormatError if it is shorter than its size. */
export async function* partsOf(file: FileLike, from = 0, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let at = from; at < file.size; at += PART) {
    signal?.throwIfAborted();
    const end = Math.min(file.size, at + PART);
    const part = new Uint8Array(await file.slice(at, end).arrayBuffer());
    if (part.length !== end - at) {
      throw new FormatError(`A file ended after ${at + part.length} of ${file.size} bytes.`, 'Get it again.');
    }
    yield part;
  }
}

/** Hex sha-256. */
export async function hashInParts(file: FileLike, { signal, onPart }: HashOptions = {}): Promise<string> {
  const sha = new Sha256();
  for await (const part of partsOf(file, 0, signal)) {
    sha.update(part);
    onPart?.(part.length);
  }
  return sha.digest();
}

/** Hex sha-1 of `blob BYTES\0` and the bytes, as by `git hash-object`. The file is read whole, so it must be small. */
export async function gitBlobSha1(file: FileLike): Promise<string> {
  const head = new TextEncoder().encode(`blob ${file.size}\0`);
  const bytes = new Uint8Array(head.length + file.size);
  bytes.set(head);
  bytes.set(new Uint8Array(await file.arrayBuffer()), head.length);
  return digestOf('SHA-1', bytes);
}
