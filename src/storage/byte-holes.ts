// Ranges of a file that are not read: the number of bytes outside them, and the remaining bytes as one file, which is hashed.
import type { FileLike } from './sources.ts';

/** Ranges of bytes [from, to) in ascending order, not adjacent. */
export type Holes = readonly (readonly [from: number, to: number])[];

/** Bytes below `upTo` that lie in no hole. */
export function bytesOutside(holes: Holes = [], upTo: number): number {
  return holes.reduce((sum, [from, to]) => sum - Math.max(0, Math.min(upTo, to) - from), upTo);
}

/** A file without its holes, which are not read. */
export function withoutHoles(file: FileLike, holes: Holes): FileLike {
  const size = bytesOutside(holes, file.size);
  /** The remaining ranges, each with its start in the file without holes. */
  const kept: { from: number; to: number; at: number }[] = [];
  let [from, at] = [0, 0];
  for (const [start, end] of [...holes, [file.size, file.size] as const]) {
    if (start > from) kept.push({ from, to: start, at });
    at += start - from;
    from = end;
  }
  const read = async (start: number, end: number): Promise<ArrayBuffer> => {
    const into = new Uint8Array(Math.max(0, Math.min(end, size) - start));
    for (const part of kept) {
      const [first, last] = [Math.max(start, part.at), Math.min(end, part.at + part.to - part.from)];
      if (last <= first) continue;
      const shift = part.from - part.at;
      into.set(new Uint8Array(await file.slice(first + shift, last + shift).arrayBuffer()), first - start);
    }
    return into.buffer;
  };
  return {
    size,
    slice: (start, end) => ({ arrayBuffer: () => read(start, end) }),
    arrayBuffer: () => read(0, size),
    text: async () => new TextDecoder().decode(await read(0, size)),
    ...(file.hasher ? { hasher: file.hasher.bind(file) } : {}),
  };
}
