// The only reader of gzip files. A file is a series of members (RFC 1952, 2.2): `cat a.gz b.gz`, bgzip and log rotation write several, and
// tape blocks are padded with zeros. Browsers differ in how DecompressionStream handles several members and trailing bytes, and fflate does
// not verify checksums; so the lab uses a port of zlib, which behaves the same everywhere.
import { Inflate, type ZStream } from 'pako';
import { joinParts } from './streams.ts';

/** zlib's windowBits for gzip only (15 bits of window + 16). */
const GZIP_ALONE = 31;
const [CUT_OFF, HEADER] = [-5, 'incorrect header check'];

/**
 * The concatenated contents of all members, with verified checksums. Zeros after the last member are padding.
 * Throws RangeError for more than `most` bytes, and Error, whose message continues a sentence with "it", for data that is not gzip, damaged,
 * truncated, or has other bytes after its last member.
 */
export function gunzip(packed: Uint8Array, most: number): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  let state: Pick<ZStream, 'next_in' | 'avail_in'> = { next_in: 0, avail_in: 0 };
  const inflate = new Inflate({ windowBits: GZIP_ALONE });
  inflate.onStart = (stream) => {
    state = stream;
  };
  inflate.onData = (part) => {
    length += part.length;
    if (length > most) throw new RangeError(`it holds more than ${most} bytes`);
    parts.push(part);
  };
  inflate.onEnd = () => {};
  inflate.push(packed, true);
  const { next_in: read, avail_in: left } = state;
  if (inflate.err !== 0) throw new Error(whatIsWrong(inflate.err, inflate.msg, read));
  const padding = packed.subarray(read);
  const at = padding.findIndex((byte) => byte !== 0);
  if (at >= 0)
    throw new Error(
      `it has ${left} bytes after its last member, and they are no padding (byte ${read + at} is not zero)`,
    );
  return joinParts(parts);
}

function whatIsWrong(status: number, message: string, read: number): string {
  if (status === CUT_OFF) return read === 0 ? 'it is empty' : `it is cut off: a member has no end after byte ${read}`;
  // The first two bytes determine whether it is gzip at all.
  if (message === HEADER && read <= 2) return 'it is no gzip';
  if (message === HEADER) return `what comes after a member, at byte ${read - 2}, is neither another one nor padding`;
  return `it is damaged before byte ${read} (${message})`;
}
