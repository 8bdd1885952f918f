// Unpacks data whose stated size cannot be trusted: a packed kilobyte can become a megabyte, and a header may state any length. Data is
// unpacked piece by piece and stopped at the first byte beyond the limit. gunzip.ts reads gzip files. Lowest layer.
import { gzipSync, Inflate } from 'fflate';
import { joinParts } from './streams.ts';

/** Packed bytes before the next check of the unpacked size (at most a thousand times as many): a quarter of those already read, so that
 *  the cost of a false size stays proportional, and large files are not split too finely. */
const pieceAfter = (done: number): number => Math.min(65_536, Math.max(1024, done >> 2));

/** Most unpacked bytes of a file of `packed` bytes: `free` plus 100 per packed byte, at most `most`. The lab's texts compress at best
 *  thirtyfold. */
export const roomFor = (packed: number, free: number, most: number): number => Math.min(most, free + 100 * packed);

/** The content of a deflate stream. Throws RangeError for more than `most` bytes, and the library's errors for damage. */
export function inflateUpTo(packed: Uint8Array, most: number): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const take = (part: Uint8Array) => {
    length += part.length;
    if (length > most) throw new RangeError(`it holds more than ${most} bytes`);
    parts.push(part);
  };
  const stream = new Inflate(take);
  for (let at = 0, to = 0; at === 0 || at < packed.length; at = to) {
    to = at + pieceAfter(at);
    stream.push(packed.subarray(at, to), to >= packed.length);
  }
  return joinParts(parts);
}

/** Compresses a text without a timestamp, so that equal texts give equal bytes. */
export const gzipText = (text: string): Uint8Array<ArrayBuffer> =>
  gzipSync(new TextEncoder().encode(text), { level: 9, mtime: 0 }) as Uint8Array<ArrayBuffer>;
