// Zstandard frames for tests: one written by zstd, and simple frames of raw blocks.

/** A frame with neither size nor checksum, with a window of 128 KiB. */
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

/** A frame of 1,200 bytes written by zstd -19, with one stream of literals and a checksum. */
export const SMALL = Uint8Array.from(
  atob(
    'KLUv/QRoHQkA4pAsFaDrBOm2dfP8/6PqOdGmpKTMza+nYNcYdL9LVy5cagG+3L2dfV09HV050Ku9u7m3tbOxVQO82LmZeVk5GVkxsGt9e3l3dXNx1QK61LWVdVU1FVUpkCs9Ozk3NTMxVQK4HL/RYYwOu198xWhYgkW5T2wIxJYcrLhX+EBqyLIk9ys5zICO3XsiksOA7jsRT+NcI1rj1Bh0v6khoKawGxR2r8lphHMtYsx9JkRgxj0mwnDuVVaoMQj0pAVNZZoDYBWk6RAYY4iM0GkHgqiPCq5qKBgFFT5VmOqBMCxQ9KVgqwaiiSATzx7rKH0w7+Q0voL3N4DcU7v0qMTr4OoI+0aPAhGy1kZznrjSiUGBf6aJajmm/vj6/S+lPvRmrAq6JjDQgGi+xA==',
  ),
  (char) => char.charCodeAt(0),
);
