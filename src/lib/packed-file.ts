// Reads files that may be gzipped: gzip is recognised by its first bytes, and a file named .gz must be gzip.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { gunzip } from './gunzip.ts';
import { isGzip } from './streams.ts';

/** Limit on unpacked bytes: V8's longest string. */
const MAX_UNPACKED = 2 ** 29 - 24;

export const isPackedFile = (bytes: Uint8Array, path: string): boolean => path.endsWith('.gz') || isGzip(bytes);

/** Content of a packed file, or the file's own bytes. Throws FormatError, naming the file, for gzip that cannot be read whole. */
export function unpackedFile(bytes: Uint8Array, path: string): Uint8Array {
  if (!isPackedFile(bytes, path)) return bytes;
  try {
    return gunzip(bytes, MAX_UNPACKED);
  } catch (cause) {
    throw new FormatError(
      `${path} cannot be read as gzip: ${(cause as Error).message}.`,
      'Get the file again from its source, or give the text itself.',
      { cause },
    );
  }
}
