// Unpacks data whose size may be false: a packed kilobyte can become a megabyte, and anybody may write a length into a header or a
// directory. It is unpacked piece by piece, and stopped at the first byte too many. Gzip files are read by gunzip.ts. Lowest layer.
import { gzipSync, Inflate } from 'fflate';
import { joinParts } from './streams.ts';

/** Packed bytes between two checks of the unpacked size (at most a thousand times as many): a quarter of those before, so that the cost of
 *  a false size stays in proportion, and a large file is not cut into crumbs. */
const pieceAfter = (done: number): number => Math.min(65_536, Math.max(1024, done >> 2));

/** Most unpacked bytes of a file of `packed` bytes: `free`, and 100 for each byte, within `most`. Our texts pack to a thirtieth at best. */
export const roomFor = (packed: number, free: number, most: number): number => Math.min(most, free + 100 * packed);

/** The whole content of a deflate stream. Throws RangeError for more than `most` bytes, and what the library throws for damage. */
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

/** Equal texts give equal bytes, whenever they are packed. */
export const gzipText = (text: string): Uint8Array<ArrayBuffer> =>
  gzipSync(new TextEncoder().encode(text), { level: 9, mtime: 0 }) as Uint8Array<ArrayBuffer>;
