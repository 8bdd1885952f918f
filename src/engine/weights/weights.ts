// The model's weights on a device, by Hugging Face name, checked against the shapes that the config implies and uploaded
// slice by slice. Norms and biases are always f32; `storage` sets that of Linears, embedding and head (packed.ts).

import { FormatError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { type Device, type DeviceBuffer, put } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { Arena } from '../arena.ts';
import { ropeTables } from '../rope.ts';
import { linearLayout } from '../storage-layouts.ts';
import type { ModelConfig, WeightReader, WeightStorage, Weights } from '../types.ts';
import { EMBEDDING, HEAD, isVocab, isZeroCentred, weightShapes } from '../weight-names.ts';
import { type Filling, fillBy, fillFrom, SliceRoom } from './filling.ts';
import { type GatedArgs, gatedTogether, productsOfStep, productsTogether, type TogetherArgs } from './fused.ts';
import {
  fillMatrix,
  freeMatrix,
  isFasterPacked,
  type ProductArgs,
  packedProduct,
  type StoredMatrix,
  unpackInto,
} from './packed.ts';
import { checkShapes, readerOf } from './reader.ts';
import { roomFor } from './slice-room.ts';
import { VocabTable } from './vocab-table.ts';

const COS = 'rope.cos';
const SIN = 'rope.sin';
const UNIT_KEYS = 'delta.unitKeys';

/** A term of a Linear's update ΔW: up [dOut, r] · down [r, dIn]. */
export interface LowRankTerm {
  r: number;
  up: StoredMatrix;
  down: StoredMatrix;
  /** The term is up diag(s) down, with s [r] from offset `sOff`. */
  scale?: { s: DeviceBuffer; sOff: number };
}

/** An adapter's update ΔW of a Linear, kept beside its frozen W [dOut, dIn]. Scratch comes from the arena. */
export interface LinearUpdate {
  /** The update is the sum of these, in this order. */
  readonly terms: readonly LowRankTerm[];
  /** c [m, dOut] += a [m, dIn] ΔWᵀ, c from cOff on. */
  add(args: UpdateArgs): void;
  /** c [m, dIn] += a [m, dOut] ΔW */
  addBack(args: UpdateArgs): void;
}
type UpdateArgs = Pick<ProductArgs, 'a' | 'c' | 'm' | 'cOff'> & { arena: Arena };

interface LoadOptions {
  storage?: WeightStorage;
  signal?: AbortSignal;
}

/** Whether several Linears' updates have terms of the same ranks, so that one kernel call can compute them. */
function areAlike(updates: readonly (LinearUpdate | undefined)[]): updates is LinearUpdate[] {
  const ranks = updates.map((update) => update?.terms.map(({ r }) => r).join() ?? '');
  return ranks[0] !== '' && ranks.every((own) => own === ranks[0]);
}

export class DeviceWeights {
  /** Buffers in f32 by name: norms, biases, rotary tables, unpacked Linears, and the folded W' of adapters. */
  private readonly buffers = new Map<string, DeviceBuffer>();
  private readonly packed = new Map<string, StoredMatrix>();
  private readonly tables = new Map<string, VocabTable>();
  /** Updates by name, for the Linears whose adapter is not folded. */
  private readonly updates = new Map<string, LinearUpdate>();
  /** Scratch into which a packed Linear is unpacked; allocated on first use. */
  private scratch: DeviceBuffer | null = null;

  private constructor(
    private readonly device: Device,
    private readonly config: ModelConfig,
    readonly storage: WeightStorage,
  ) {}

  /** Loads all weights from memory, in f32. Throws FormatError if weights and config disagree. */
  static of(device: Device, config: ModelConfig, weights: Weights): DeviceWeights {
    checkShapes(readerOf(weights), weightShapes(config));
    const held = new DeviceWeights(device, config, 'f32');
    const room = new SliceRoom(null);
    try {
      for (const [name, shape] of weightShapes(config))
        fillFrom(held.place(name, shape, room), weights.get(name)!.data);
      return held.finish();
    } catch (error) {
      // A partly loaded model is useless, and the next attempt needs its memory.
      held.free();
      throw error;
    }
  }

  /** Loads slice by slice if the reader can, otherwise tensor by tensor. Throws FormatError, DeviceError, StoppedError; then nothing
   *  stays allocated. */
  static async load(
    device: Device,
    config: ModelConfig,
    weights: Weights | WeightReader,
    { storage = 'f32', signal }: LoadOptions = {},
  ): Promise<DeviceWeights> {
    const reader = readerOf(weights);
    checkShapes(reader, weightShapes(config));
    const held = new DeviceWeights(device, config, storage);
    const room = await roomFor(storage);
    try {
      for (const [name, shape] of weightShapes(config)) {
        if (signal?.aborted) throw new StoppedError('loading stopped', 'Load the model again.');
        const filling = held.place(name, shape, room);
        if (reader.readPart) await fillBy(filling, (from, into) => reader.readPart!(name, from, into), room);
        else fillFrom(filling, (await reader.read(name)).data);
      }
      return held.finish();
    } catch (error) {
      held.free();
      throw error;
    }
  }

  private *place(name: string, shape: readonly number[], room: SliceRoom): Filling<void> {
    const { device, config, storage } = this;
    if (isVocab(name)) {
      this.tables.set(name, yield* VocabTable.fill(device, config.vocab, config.hiddenSize, storage, name, room));
      return;
    }
    const layout = shape.length === 2 ? linearLayout(storage) : 'f32';
    const length = shape.reduce((n, size) => n * size, 1);
    const matrix = yield* fillMatrix(device, length, layout, name, room);
    if (layout === 'f32') this.buffers.set(name, matrix.data);
    else this.packed.set(name, matrix);
  }

  private finish(): this {
    const { cos, sin } = ropeTables(this.config);
    this.buffers.set(COS, put(this.device, cos, COS));
    this.buffers.set(SIN, put(this.device, sin, SIN));
    const { delta } = this.config;
    if (delta) {
      const unit = new Float32Array(delta.keyDim).fill(1 / Math.sqrt(delta.keyDim));
      this.buffers.set(UNIT_KEYS, put(this.device, unit, UNIT_KEYS));
    }
    this.centre(1);
    return this;
  }

  /** Stores norms that scale by 1 + w as 1 + w on the device, so that kernels need only one kind. −1 turns them back to w, as in files. */
  centre(by: 1 | -1): void {
    const names = [...weightShapes(this.config)].filter(([name]) => isZeroCentred(this.config, name));
    if (names.length === 0) return;
    const longest = Math.max(...names.map(([, [length]]) => length));
    const y = put(this.device, new Float32Array(longest).fill(by), 'centre');
    for (const [name, [n]] of names) ops.add(this.device, { x: this.get(name), y, n });
    y.free();
  }

  /** RMSNorm weights [keyDim] that scale a linear layer's queries and keys to length 1. */
  get unitKeys(): DeviceBuffer {
    return this.get(UNIT_KEYS);
  }

  /** cos/sin tables, [maxPositions, rotaryDim/2] (rope.ts). */
  get cos(): DeviceBuffer {
    return this.get(COS);
  }
  get sin(): DeviceBuffer {
    return this.get(SIN);
  }

  get embedding(): VocabTable {
    return this.tables.get(EMBEDDING)!;
  }

  /** lm_head, or the embedding if the two are tied. */
  get head(): VocabTable {
    return this.tables.get(HEAD) ?? this.embedding;
  }

  /** A weight that is a single f32 buffer. */
  get(name: string): DeviceBuffer {
    const buffer = this.buffers.get(name) ?? this.tables.get(name)?.whole;
    if (!buffer)
      throw new FormatError(
        `no weight "${name}" in f32 on the device`,
        'This is a bug: report the model’s config.json.',
      );
    return buffer;
  }

  /** A Linear's matrix as it is stored. */
  private linear(name: string): StoredMatrix {
    const packed = this.packed.get(name);
    if (packed) return packed;
    const data = this.get(name);
    return { storage: 'f32', length: data.length, data };
  }

  /** A matrix in f32, no larger than the largest Linear. If it was packed, the result is valid until the next call. */
  plain(matrix: StoredMatrix): DeviceBuffer {
    if (matrix.storage === 'f32') return matrix.data;
    this.scratch ??= this.device.alloc(
      Math.max(...[...this.packed.values()].map(({ length }) => length)),
      'f32',
      'unpacked',
    );
    unpackInto(this.device, matrix, this.scratch, matrix.length);
    return this.scratch;
  }

  /** c [m,n] (+)= a [m,k] Mᵀ with a matrix M [n,k]; a packed one is read as stored if that is faster. */
  times(matrix: StoredMatrix, args: ProductArgs): void {
    if (isFasterPacked(this.device, matrix, args.m)) packedProduct(this.device, matrix, args);
    else ops.matmul(this.device, { ...args, b: this.plain(matrix), tb: 1 });
  }

  /** c [m,n] (+)= a [m,k] Wᵀ of a Linear W [n,k], plus its adapter's update. */
  product(name: string, args: ProductArgs, arena: Arena): void {
    this.times(this.linear(name), args);
    this.updates.get(name)?.add({ ...args, arena });
  }

  /** C_i [m,n_i] (+)= a [m,k] W_iᵀ of several Linears, end to end in c, plus their adapters' updates. */
  products(names: readonly string[], args: TogetherArgs, arena: Arena): void {
    const { a, c, m, k, n, beta } = args;
    const matrices = names.map((name) => this.linear(name));
    const isOneCall = productsOfStep(this.device, matrices, args, arena);
    const updates = names.map((name) => this.updates.get(name));
    const areTogether = isOneCall && updates.length > 1 && areAlike(updates);
    let cOff = 0;
    for (const [i, update] of updates.entries()) {
      if (!isOneCall) this.times(matrices[i], { a, c, cOff, m, n: n[i], k, beta });
      if (!areTogether) update?.add({ a, c, cOff, m, arena });
      cOff += m * n[i];
    }
    if (areTogether) this.addTogether(updates, args, arena);
  }

  /** Adds the updates of several Linears together, in the same order of terms as one by one. */
  private addTogether(updates: readonly LinearUpdate[], { a, c, m, k, n }: TogetherArgs, arena: Arena): void {
    const { device } = this;
    for (const [t, { r }] of updates[0].terms.entries()) {
      const terms = updates.map(({ terms }) => terms[t]);
      const p = arena.take('roll.update', updates.length * m * r);
      const downs = { a, c: p, m, k, n: terms.map(() => r) };
      const [toRank, fromRank] = [terms.map(({ down }) => down), terms.map(({ up }) => up)];
      if (!productsTogether(device, toRank, downs))
        for (const [i, down] of toRank.entries()) this.times(down, { a, c: p, cOff: i * m * r, m, n: r, k });
      for (const [i, { scale }] of terms.entries())
        if (scale) ops.scaleCols(device, { x: p, ...scale, xOff: i * m * r, rows: m, cols: r });
      if (productsTogether(device, fromRank, { a: p, c, m, k: r, n, apart: 1, beta: 1 })) continue;
      let cOff = 0;
      for (const [i, up] of fromRank.entries()) {
        this.times(up, { a: p, aOff: i * m * r, c, cOff, m, n: n[i], k: r, beta: 1 });
        cOff += m * n[i];
      }
    }
  }

  /** out = silu(h Wᵀ) · (h Uᵀ) with h = RMSNorm(x), in one call. Returns false, without computing anything, if the device has no such
   *  kernel or an adapter updates either matrix. */
  gated(gate: string, up: string, args: GatedArgs): boolean {
    if (this.updates.has(gate) || this.updates.has(up)) return false;
    return gatedTogether(this.device, this.linear(gate), this.linear(up), args);
  }

  /** c [m,n] (+)= a [m,k] W of a Linear W [k,n], plus its adapter's update: the gradient of its input from that of its output. */
  productBack(name: string, args: ProductArgs, arena: Arena): void {
    ops.matmul(this.device, { ...args, b: this.plain(this.linear(name)) });
    this.updates.get(name)?.addBack({ ...args, arena });
  }

  /** Sets a Linear's update, or removes it (null). The adapter frees it. */
  setUpdate(name: string, update: LinearUpdate | null): void {
    if (update) this.updates.set(name, update);
    else this.updates.delete(name);
  }

  /** Replaces a Linear's matrix (by a folded W' in f32) and returns the old one. The new one is freed with the other weights. */
  swap(name: string, buffer: DeviceBuffer): StoredMatrix {
    const old = this.packed.get(name) ?? { storage: 'f32', length: buffer.length, data: this.get(name) };
    this.packed.delete(name);
    this.buffers.set(name, buffer);
    return old;
  }

  free(): void {
    for (const buffer of this.buffers.values()) buffer.free();
    for (const matrix of this.packed.values()) freeMatrix(matrix);
    for (const table of this.tables.values()) table.free();
    this.scratch?.free();
  }
}
