// The AntiPaSTO adapter: every Linear's W = U Σ Vh gets parameters δS [r] with y = W x + U (δS ⊙ (Vh x)), computed this way (beside.ts) or
// folded as W' = W + U diag(δS_total) Vh. The gradient is ∂L/∂δS = Σ_t (Uᵀ dy_t) ⊙ (Vh x_t) = diag(Uᵀ dW Vhᵀ) with dW = Σ_t dy_t x_tᵀ;
// the cheaper of these two expressions is computed. METHOD: "Adapter (AntiPaSTO)".

import { ShapeError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { Device, DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { AdapterLayout, AdapterModule } from '../types.ts';
import type { SliceRoom } from '../weights/filling.ts';
import { factorStorage, freeMatrix, putMatrix, type StoredMatrix, unpackInto } from '../weights/packed.ts';
import { roomFor } from '../weights/slice-room.ts';
import type { DeviceWeights } from '../weights/weights.ts';
import {
  type AdaptedLinear,
  type AdaptLinear,
  checkAdapterParams,
  type LinearAdapter,
  type LinearGradient,
  restore,
  type WrappedLinear,
  wrapLinear,
  wrappedBy,
} from './adapter.ts';

/** Singular vectors of one Linear on the host: U [dOut, r], S [r], Vh [r, dIn]. */
export interface Factors {
  U: Float32Array | Float64Array;
  S: Float32Array | Float64Array;
  Vh: Float32Array | Float64Array;
}

/** Reads or computes singular vectors on demand, so that the host holds one Linear's at a time. */
export interface FactorReader {
  read(module: AdapterModule): Promise<Factors>;
}

interface FactoredLinear {
  module: AdapterModule;
  /** The Linear in its folded or unfolded form. */
  linear: WrappedLinear | AdaptedLinear;
  u: StoredMatrix;
  vh: StoredMatrix;
}

export class SvdAdapter implements LinearAdapter {
  readonly initialAdapterParams: Float32Array;
  private readonly modules = new Map<string, FactoredLinear>();
  private adapterParams!: DeviceBuffer;
  /** Scratch of folding. */
  private scaled: DeviceBuffer | null = null;
  /** Scratch of folding into which U or Vh is unpacked; null if they are in f32. */
  private scratch: DeviceBuffer | null = null;
  private readonly isPacked: boolean;
  /** Whether the Linears currently differ from W. */
  private changed = false;
  /** Scratch sizes of the largest Linear, allocated at once, since growing would add the arena's slack. */
  private readonly most: { r: number; weight: number };
  /** Buffers that `free` releases, also if loading fails halfway. */
  private readonly owned: DeviceBuffer[] = [];
  private readonly matrices: StoredMatrix[] = [];

  private constructor(
    private readonly device: Device,
    private readonly weights: DeviceWeights,
    readonly layout: AdapterLayout,
    /** Factors on the host if they were given as a map; null if they were read one by one. */
    readonly factors: ReadonlyMap<string, Factors> | null,
  ) {
    this.initialAdapterParams = new Float32Array(layout.total);
    this.isPacked = factorStorage(weights.storage) !== 'f32';
    this.most = {
      r: Math.max(...layout.modules.map(({ r }) => r)),
      weight: Math.max(...layout.modules.map(({ dOut, dIn }) => dOut * dIn)),
    };
  }

  /** U and Vh are stored as `factorStorage` says. `beside` selects the unfolded form. Throws ShapeError for factors of other shapes,
   *  DeviceError if they do not fit, StoppedError; then everything but `weights` is freed. */
  static async load(
    device: Device,
    weights: DeviceWeights,
    layout: AdapterLayout,
    factors: ReadonlyMap<string, Factors> | FactorReader,
    { signal, beside = null }: { signal?: AbortSignal; beside?: AdaptLinear | null } = {},
  ): Promise<SvdAdapter> {
    const given = 'read' in factors ? null : factors;
    if (given) for (const module of layout.modules) checkFactors(module, given.get(module.name));
    const adapter = new SvdAdapter(device, weights, layout, given);
    const room = await roomFor(factorStorage(weights.storage));
    try {
      adapter.reserve(beside === null);
      for (const module of layout.modules) {
        if (signal?.aborted) throw new StoppedError('loading stopped', 'Load the model again.');
        const found = 'read' in factors ? await factors.read(module) : factors.get(module.name);
        adapter.add(module, checkFactors(module, found), room, beside);
      }
    } catch (error) {
      adapter.free();
      throw error;
    }
    return adapter;
  }

  private reserve(isFolded: boolean): void {
    const { device, layout } = this;
    const take = (length: number, label: string) => {
      const buffer = device.alloc(length, 'f32', label);
      this.owned.push(buffer);
      return buffer;
    };
    this.adapterParams = take(layout.total, 'adapterParams');
    if (!isFolded) return;
    this.scaled = take(Math.max(...layout.modules.map((m) => m.r * m.dIn)), 'diag(δS) Vh');
    if (this.isPacked) this.scratch = take(unpackedFactor(layout), 'U or Vh, unpacked');
  }

  private add(module: AdapterModule, { U, Vh }: Factors, room: SliceRoom, beside: AdaptLinear | null): void {
    const { device, weights } = this;
    const own = (matrix: StoredMatrix) => {
      this.matrices.push(matrix);
      return matrix;
    };
    const { name } = module;
    const storage = factorStorage(weights.storage);
    const linear = beside ? beside(device, weights, module) : wrapLinear(device, weights, module);
    if ('base' in linear) own(linear.base);
    this.modules.set(name, {
      module,
      linear,
      u: own(putMatrix(device, U, storage, `${name} U`, room)),
      vh: own(putMatrix(device, Vh, storage, `${name} Vh`, room)),
    });
  }

  /** Zeros give exactly W: the base model, bit for bit. */
  fold(deltaSTotal: Float32Array): void {
    checkAdapterParams(deltaSTotal, this.layout);
    const zero = deltaSTotal.every((x) => x === 0);
    if (zero && !this.changed) return;
    this.changed = !zero;
    const device = this.device;
    if (!zero) device.upload(this.adapterParams, deltaSTotal);
    for (const { linear, u, vh } of this.modules.values()) {
      const { r, dOut, dIn, offset } = linear.module;
      if ('update' in linear) {
        const scale = { s: this.adapterParams, sOff: offset };
        linear.update(zero ? [] : [{ r, up: u, down: vh, scale }]);
        continue;
      }
      const { folded } = linear;
      restore(device, linear);
      if (zero) continue;
      const scaled = this.scaled!;
      ops.scaleRows(device, {
        src: this.plain(vh),
        s: this.adapterParams,
        dst: scaled,
        rows: r,
        cols: dIn,
        sOff: offset,
      });
      ops.matmul(device, { a: this.plain(u), b: scaled, c: folded, m: dOut, n: dIn, k: r, beta: 1 });
    }
  }

  /** The matrix in f32; if it was packed, the result is valid until the next call. */
  private plain(matrix: StoredMatrix): DeviceBuffer {
    if (!this.scratch) return this.weights.plain(matrix);
    unpackInto(this.device, matrix, this.scratch, matrix.length);
    return this.scratch;
  }

  gradient(name: string, { dy, x, rows, all, segments, out, arena }: LinearGradient): void {
    const { device } = this;
    const { module, u, vh } = wrappedBy(this.modules, name);
    const { r, offset, dOut, dIn } = module;
    const { total } = this.layout;
    const busy = segments.filter(({ from, to }) => to > from).length;
    // FLOPs/2 of the two expressions. On a GPU dyᵀx has too little parallelism (few outputs, long sums), so it always uses projected rows;
    // so do packed vectors, which the other way would unpack for every segment.
    const byRows = all * r * (dOut + dIn);
    const byWeight = all * dOut * dIn + busy * r * dOut * dIn;
    if (device.kind === 'webgpu' || this.isPacked || byRows <= byWeight) {
      const p = arena.take('sink.p', all * this.most.r);
      const q = arena.take('sink.q', all * this.most.r);
      ops.matmul(device, { a: dy, b: this.plain(u), c: p, m: rows, n: r, k: dOut });
      ops.matmul(device, { a: x, b: this.plain(vh), c: q, m: rows, n: r, k: dIn, tb: 1 });
      segments.forEach(({ from, to }, s) => {
        if (to > from)
          ops.adapterGrad(device, { p, q, out, rows: to - from, r, rowOff: from, outOff: s * total + offset });
      });
      return;
    }
    const dW = arena.take('sink.dW', this.most.weight);
    const rotated = arena.take('sink.UtdW', this.most.weight);
    segments.forEach(({ from, to }, s) => {
      if (to <= from) return;
      const k = to - from;
      ops.matmul(device, { a: dy, b: x, c: dW, m: dOut, n: dIn, k, ta: 1, aOff: from * dOut, bOff: from * dIn });
      ops.matmul(device, { a: u.data, b: dW, c: rotated, m: r, n: dIn, k: dOut, ta: 1 });
      ops.rowDot(device, { a: rotated, b: vh.data, out, r, cols: dIn, outOff: s * total + offset });
    });
  }

  free(): void {
    for (const { linear } of this.modules.values()) if ('update' in linear) linear.free();
    for (const buffer of this.owned) buffer.free();
    for (const matrix of this.matrices) freeMatrix(matrix);
  }
}

/** Elements of the scratch for unpacking singular vectors. */
export function unpackedFactor({ modules }: AdapterLayout): number {
  return Math.max(...modules.map(({ r, dOut, dIn }) => r * Math.max(dOut, dIn)));
}

function checkFactors({ name, dOut, dIn, r }: AdapterModule, found: Factors | undefined): Factors {
  if (found && found.U.length === dOut * r && found.Vh.length === r * dIn) return found;
  throw new ShapeError(
    `singular vectors of ${name}: ${found ? `${found.U.length} and ${found.Vh.length}` : 'no'} elements, ${dOut * r} and ${r * dIn} expected`,
    'Compute the SVD from these weights.',
  );
}
