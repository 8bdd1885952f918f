// Reads a whole stream up to a limit, since compressed data may be far larger than it looks. Lowest layer, without a library, since the
// page's first chunk needs it. inflate.ts does the same synchronously for data in memory.

/** The stream's content. Throws RangeError as soon as it exceeds `most` bytes, and the stream's errors. */
export async function readUpTo(
  stream: ReadableStream<Uint8Array>,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.length;
    if (length > most) {
      await reader.cancel();
      throw new RangeError(`more than ${most} bytes`);
    }
    parts.push(read.value);
  }
  return joinParts(parts);
}

/** All parts joined. */
export function joinParts(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** Recognises gzip by its first two bytes. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
