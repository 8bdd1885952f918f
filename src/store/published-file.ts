// A gzipped file of the page's own folder: whether there is one, and its contents. Some servers unzip it on the way.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';

/** Unzipped; a damaged file must not fill the page's memory. */
const MOST_BYTES = 256 * 2 ** 20;

/** A development server answers everything with the page itself. */
export const isNone = (response: Response): boolean =>
  response.status === 404 || (response.headers.get('content-type')?.includes('text/html') ?? false);

export const isZipped = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** @param name below the folder of results */
export async function unpacked(response: Response, name: string): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return new TextDecoder().decode(isZipped(bytes) ? await inflate(bytes, name) : bytes);
}

/** In the browser's own thread: a click need not wait for it. */
export async function inflate(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      chunks.push(value);
      length += value.byteLength;
      if (length > MOST_BYTES) {
        await reader.cancel();
        throw new RangeError(`more than ${MOST_BYTES} bytes`);
      }
    }
  } catch (cause) {
    throw new FormatError(`results/${name} is damaged.`, 'Reload the page.', { cause });
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
