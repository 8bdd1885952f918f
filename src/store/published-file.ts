// Files that are published with the page, by their paths below its own address: whether one exists, and its contents. Needs no worker, no
// model and no GPU.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { isGzip, readUpTo } from '../lib/streams.ts';

export type Fetch = (url: string) => Promise<Response>;

/** Null for a missing file. Throws FormatError for a file that could not be loaded or is damaged, and errors of fetch. */
export interface PublishedFiles {
  /** Bytes as received. Some servers unzip a file in transit. */
  bytes(path: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Unzipped text. */
  text(path: string): Promise<string | null>;
}

/** @param base the page's own address */
export function publishedFiles(base: string, get: Fetch = (url) => fetch(url)): PublishedFiles {
  async function bytes(path: string) {
    const response = await get(new URL(path, base).href);
    // A development server returns the page itself for every unknown path.
    if (response.status === 404 || response.headers.get('content-type')?.includes('text/html')) return null;
    if (!response.ok) throw notLoaded(path, response.status);
    return new Uint8Array(await response.arrayBuffer());
  }
  return {
    bytes,
    async text(path) {
      const found = await bytes(path);
      return found && new TextDecoder().decode(await unzipped(found, path));
    },
  };
}

/** Reads a file that must exist because another file names it. Throws FormatError. */
export async function readExisting<T>(path: string, read: (path: string) => Promise<T | null>): Promise<T> {
  const found = await read(path);
  if (found === null) throw notLoaded(path, 404);
  return found;
}

const notLoaded = (path: string, status: number) =>
  new FormatError(`${path} could not be loaded (${status}).`, 'Reload the page.');

/** Maximum number of unzipped bytes, so that a damaged file cannot fill the page's memory. */
const MOST_BYTES = 256 * 2 ** 20;

/**
 * The browser unzips outside the page's thread, so that a click need not wait. Unlike lib/gunzip.ts it reads a single gzip member, which is
 * enough for files that the lab publishes. Throws FormatError.
 */
export async function unzipped(bytes: Uint8Array<ArrayBuffer>, path: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!isGzip(bytes)) return bytes;
  try {
    return await readUpTo(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')), MOST_BYTES);
  } catch (cause) {
    throw new FormatError(`${path} is damaged.`, 'Reload the page.', { cause });
  }
}
