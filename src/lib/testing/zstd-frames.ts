// Zstandard written in the simplest way, as blocks that are not packed, for tests of what reads it.

/** A frame that states neither its size nor a checksum, with a window of 128 KiB. */
export function rawFrame(content: Uint8Array, window = 7 << 3): Uint8Array {
  const parts: number[] = [0x28, 0xb5, 0x2f, 0xfd, 0, window];
  for (let at = 0, isLast = false; !isLast; at += 1000) {
    const block = content.subarray(at, at + 1000);
    isLast = at + 1000 >= content.length;
    const head = (block.length << 3) | (isLast ? 1 : 0);
    parts.push(head & 255, head >> 8, 0, ...block);
  }
  return Uint8Array.from(parts);
}
