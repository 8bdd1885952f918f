// The embedding or the head on a device, [vocab, dim]: the one matrix that can exceed a binding (Qwen: 151,936 rows), so it may
// be split along the vocabulary, packed or not. Rows are gathered from the part that holds them; logits are computed one chunk
// of the vocabulary at a time, each column summed as in the whole matrix, so splitting leaves every logit identical.

import type { Device, DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { Arena } from '../arena.ts';
import { LAYOUTS, tableLayout, type WeightStorage } from '../storage-layouts.ts';
import type { Filling, SliceRoom } from './filling.ts';
import { productsOfStep, productsTogether } from './fused.ts';
import {
  fillMatrix,
  freeMatrix,
  gatherInto,
  isFasterPacked,
  packedProduct,
  type StoredMatrix,
  unpackInto,
} from './packed.ts';

/** Most elements of the table that are unpacked or multiplied at a time (32 MB), but at most an eighth of the table, so that
 *  scratch does not undo what packing saves. */
const CHUNK = 1 << 23;
const CHUNKS = 8;

interface Part extends StoredMatrix {
  /** First row, and number of rows. */
  first: number;
  count: number;
}

interface Chunk {
  first: number;
  count: number;
  b: DeviceBuffer;
  bOff: number;
  /** The packed part, if products read it as stored; b then holds its words. */
  packedPart: Part | null;
}

/** Layout of a table of these sizes; a pure function, so that the memory plan can use it too. */
export function vocabLayout(vocab: number, dim: number, storage: WeightStorage, maxBindingBytes: number) {
  const layout = tableLayout(storage);
  const rowBytes = (LAYOUTS[layout].bits / 8) * dim;
  // The last word of a part may be partly filled, hence − 4.
  const most = Math.max(1, Math.floor((maxBindingBytes - 4) / rowBytes));
  const fits = vocab * rowBytes <= maxBindingBytes;
  const partRows = fits ? vocab : Math.ceil(vocab / Math.ceil(vocab / most));
  const isWhole = fits && layout === 'f32';
  const fitting = Math.floor(Math.min(CHUNK, maxBindingBytes / 4) / dim);
  const chunkRows = Math.max(1, Math.min(partRows, Math.ceil(vocab / CHUNKS), fitting));
  const parts: { first: number; count: number }[] = [];
  for (let first = 0; first < vocab; first += partRows) {
    parts.push({ first, count: Math.min(partRows, vocab - first) });
  }
  return { layout, parts, isWhole, chunkRows };
}

/** The same filling with its requests shifted by `by` elements. */
function* shifted<T>(filling: Filling<T>, by: number): Filling<T> {
  let step = filling.next();
  try {
    while (!step.done) {
      const given = yield { from: step.value.from + by, count: step.value.count };
      step = filling.next(given);
    }
  } catch (error) {
    // The filling must see the error, so that it frees its buffers.
    if (!step.done) filling.throw(error);
    throw error;
  }
  return step.value;
}

export class VocabTable {
  private constructor(
    private readonly device: Device,
    private readonly vocab: number,
    private readonly dim: number,
    private readonly chunkRows: number,
    private readonly parts: readonly Part[],
    /** The whole table if it is one piece in f32, else null. */
    readonly whole: DeviceBuffer | null,
  ) {}

  /** Uploads a table [vocab, dim] to the device. Throws as fillMatrix does; then nothing stays allocated. */
  static *fill(
    device: Device,
    vocab: number,
    dim: number,
    storage: WeightStorage,
    label: string,
    room: SliceRoom,
  ): Filling<VocabTable> {
    const { layout, parts, isWhole, chunkRows } = vocabLayout(vocab, dim, storage, device.limits.maxBindingBytes);
    const filled: Part[] = [];
    try {
      for (const { first, count } of parts) {
        const name = parts.length === 1 ? label : `${label} rows ${first} to ${first + count - 1}`;
        const filling = fillMatrix(device, count * dim, layout, name, room);
        filled.push({ first, count, ...(yield* shifted(filling, first * dim)) });
      }
    } catch (error) {
      for (const part of filled) freeMatrix(part);
      throw error;
    }
    return new VocabTable(device, vocab, dim, chunkRows, filled, isWhole ? filled[0].data : null);
  }

  /** dst[i,:] = row index[i], for i < rows. */
  gather(index: DeviceBuffer, dst: DeviceBuffer, rows: number): void {
    const { device, dim } = this;
    if (this.whole) {
      ops.gatherRows(device, { src: this.whole, index, dst, rows, dim });
      return;
    }
    for (const part of this.parts) {
      const { first, count } = part;
      gatherInto(device, part, { index, dst, rows, dim, first, count });
    }
  }

  /** The logits [rows, vocab] of a decoding step, for which a device may round x (productsOfStep). */
  stepLogits(arena: Arena, x: DeviceBuffer, rows: number, logits: DeviceBuffer): void {
    const { device, dim: k, vocab } = this;
    const [part] = this.parts;
    const args = { a: x, c: logits, m: rows, k, n: [vocab] };
    if (part.count !== vocab || !productsOfStep(device, [part], args, arena)) this.logits(arena, x, rows, logits);
  }

  /** logits [rows, vocab] = x [rows, dim] tableᵀ, x from element xOff on. */
  logits(arena: Arena, x: DeviceBuffer, rows: number, logits: DeviceBuffer, xOff = 0): void {
    const { device, dim: k, vocab } = this;
    const [part] = this.parts;
    const isOne = part.count === vocab && xOff === 0;
    if (isOne && productsTogether(device, [part], { a: x, c: logits, m: rows, k, n: [vocab] })) return;
    if (this.whole) {
      ops.matmul(device, { a: x, b: this.whole, c: logits, m: rows, n: vocab, k, tb: 1, aOff: xOff });
      return;
    }
    if (part.count === vocab && isFasterPacked(device, part, rows)) {
      packedProduct(device, part, { a: x, c: logits, m: rows, n: vocab, k, aOff: xOff });
      return;
    }
    const c = arena.take('head.cols', rows * this.chunkRows);
    for (const { first, count, b, bOff, packedPart } of this.chunks(arena, rows)) {
      const args = { a: x, c, m: rows, n: count, k, aOff: xOff, bOff };
      if (packedPart) packedProduct(device, packedPart, args);
      else ops.matmul(device, { ...args, b, tb: 1 });
      ops.moveCols(device, {
        src: c,
        dst: logits,
        rows,
        cols: count,
        srcStride: count,
        dstStride: vocab,
        dstOff: first,
      });
    }
  }

  /** dx [rows, dim], from element dxOff on, = dlogits [rows, vocab] table: chunks are added in ascending order. */
  backward(arena: Arena, dlogits: DeviceBuffer, rows: number, dx: DeviceBuffer, dxOff = 0): void {
    const { device, dim: n, vocab } = this;
    if (this.whole) {
      ops.matmul(device, { a: dlogits, b: this.whole, c: dx, m: rows, n, k: vocab, cOff: dxOff });
      return;
    }
    const a = arena.take('head.cols', rows * this.chunkRows);
    for (const { first, count, b, bOff } of this.chunks(arena)) {
      ops.moveCols(device, {
        src: dlogits,
        dst: a,
        rows,
        cols: count,
        srcStride: vocab,
        srcOff: first,
        dstStride: count,
      });
      ops.matmul(device, { a, b, c: dx, m: rows, n, k: count, bOff, cOff: dxOff, beta: first > 0 ? 1 : 0 });
    }
  }

  /** The table in chunks. With `rows`, a part is yielded packed if a product of so many rows is faster that way; otherwise all is f32.
   *  A chunk is overwritten by the next one. */
  private *chunks(arena: Arena, rows?: number): Generator<Chunk> {
    const { device, dim, chunkRows } = this;
    for (const part of this.parts) {
      for (let from = 0; from < part.count; from += chunkRows) {
        const count = Math.min(chunkRows, part.count - from);
        const packedPart = rows !== undefined && isFasterPacked(device, part, rows) ? part : null;
        const at = { first: part.first + from, count, packedPart };
        if (packedPart || part.storage === 'f32') yield { ...at, b: part.data, bOff: from * dim };
        else {
          const b = arena.take('head.rows', chunkRows * dim);
          unpackInto(device, part, b, count * dim, from * dim);
          yield { ...at, b, bOff: 0 };
        }
      }
    }
  }

  free(): void {
    for (const part of this.parts) freeMatrix(part);
  }
}
