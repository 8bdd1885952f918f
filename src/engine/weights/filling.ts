// Uploads a matrix to its device slice by slice, so that the host never holds a second copy of it in f32. The consumer
// (packed.ts, vocab-table.ts) is a generator that requests ranges of elements; fillFrom supplies them from memory, fillBy from a file.

import type { FloatArray } from '../../kernels/device.ts';
import type { MatrixLayout } from '../storage-layouts.ts';

/** Elements per slice (4 MB in f32); a multiple of the word and block sizes of every layout. */
export const SLICE = 1 << 20;

/** Elements [from, from + count) of the flattened tensor. */
interface Piece {
  from: number;
  count: number;
}

/** Requests pieces in ascending order, receives their elements, and returns T. A piece may be overwritten once the next one is
 *  requested. */
export type Filling<T> = Generator<Piece, T, FloatArray>;

/** Fills from memory. */
export function fillFrom<T>(filling: Filling<T>, data: FloatArray): T {
  let step = filling.next();
  while (!step.done) {
    const { from, count } = step.value;
    step = filling.next(data.subarray(from, from + count));
  }
  return step.value;
}

/**
 * Fills from a file; each piece is read when requested. Rethrows errors of `read` after the filling has freed its buffers.
 */
export async function fillBy<T>(
  filling: Filling<T>,
  read: (from: number, into: Float32Array) => Promise<void>,
  room: SliceRoom,
): Promise<T> {
  let step = filling.next();
  while (!step.done) {
    const { from, count } = step.value;
    const into = room.floats(count);
    try {
      await read(from, into);
    } catch (error) {
      filling.throw(error);
      throw error;
    }
    step = filling.next(into);
  }
  return step.value;
}

/** Packs elements [from, from + floats.length) of a matrix, `from` a multiple of SLICE, into arrays of the room. Throws FormatError. */
export type PackSlice = (
  layout: Exclude<MatrixLayout, 'f32'>,
  floats: Float32Array,
  label: string,
  from: number,
  room: SliceRoom,
) => { words: Uint32Array; scales?: Float32Array | Uint32Array };

/** Reuses arrays for slices, since garbage of this size accumulates before it is collected. */
export class SliceRoom {
  /** `pack` packs a slice; null if all matrices are in f32. */
  constructor(readonly pack: PackSlice | null) {}

  readonly #made = new Map<string, Float32Array | Uint32Array>();

  /** [count] floats, copied from `from` if given. */
  floats(count: number, from?: FloatArray): Float32Array {
    const floats = this.#take('floats', count, Float32Array);
    if (from) floats.set(from);
    return floats;
  }

  words(count: number): Uint32Array {
    return this.#take('words', count, Uint32Array);
  }

  scales(count: number): Float32Array {
    return this.#take('scales', count, Float32Array);
  }

  halves(count: number): Uint32Array {
    return this.#take('halves', count, Uint32Array);
  }

  #take<T extends Float32Array | Uint32Array>(name: string, count: number, type: new (n: number) => T): T {
    let array = this.#made.get(name) as T | undefined;
    if (!array || array.length < count) {
      array = new type(count);
      this.#made.set(name, array);
    }
    return array.subarray(0, count) as T;
  }
}
