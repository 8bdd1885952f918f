// Rows of a packed batch that are equal: tokens of one prompt in two segments, and completions of a group as far as they say the
// same. A row depends on the tokens up to it alone, so such rows are the same to the bit; the forward computes each once and
// spreads what its backward will look at. The backward itself is every row's own: what follows differs.
import type { Device, DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { kept } from '../../lib/kept.ts';
import type { ModelConfig } from '../types.ts';
import type { Ends } from './ends.ts';
import {
  type ActivationName,
  activationWidths,
  type LayerActivations,
  type LayerContext,
  layerAttention,
  layerForward,
  layerTail,
  placesOf,
  type RowMeta,
  rowMeta,
  TAIL,
  takeActivations,
} from './layer.ts';
import type { Packed } from './packing.ts';

export interface DuplicateRows {
  /** First of the batch's rows that equals each distinct row; ascending. */
  firstOf: Uint32Array;
  /** Distinct row of each of the batch's rows. */
  rowOf: Uint32Array;
}

/** Rows are equal where their tokens are, and where the first token after the prefix is at the same place. */
export function duplicateRows({ ids, ranges, rows }: Packed): DuplicateRows {
  const rowOf = new Uint32Array(rows);
  const firstOf: number[] = [];
  // Distinct rows keyed by the row before, whether it is in the prefix, and the token.
  const known = new Map<string, number>();
  for (let row = 0; row < rows; row++) {
    const [prefixFrom, prefixTo, from] = ranges.subarray(row * 4, row * 4 + 3);
    const isFirst = row === from;
    const before = isFirst ? (prefixTo > prefixFrom ? rowOf[prefixTo - 1] : -1) : rowOf[row - 1];
    rowOf[row] = kept(known, `${before} ${isFirst} ${ids[row]}`, () => firstOf.push(row) - 1);
  }
  return { firstOf: Uint32Array.from(firstOf), rowOf };
}

/** Share of the rows that may differ at most: spreading costs about a twentieth of what computing does. */
const WORTH = 0.9;

/** The rows to compute once, or null where that would not pay. On a GPU a small batch's rows cost less than the calls
 *  that spread them. */
export function sharedRows(device: Device, packed: Packed): DuplicateRows | null {
  if (device.kind !== 'cpu') return null;
  const equal = duplicateRows(packed);
  return equal.firstOf.length <= WORTH * packed.rows ? equal : null;
}

/** Activations that a layer is done with when it hands over its keys, and those that it makes after that. */
export const BEFORE: readonly ActivationName[] = ['x', 'h1', 'rstd1', 'qRaw', 'kRaw', 'rstdQ', 'rstdK', 'q', 'k', 'v'];
export const AFTER: readonly ActivationName[] = ['stats', ...TAIL];

/** Names the buffer of one layer's activation of the distinct rows: scratch of the backward's (layerBackward), which
 *  comes later, and the buffer of the last layer's output, which this batch does not use. */
export const scratchOf =
  ({ layers, qkNorm }: ModelConfig) =>
  (name: ActivationName): string => {
    if (name === 'x') return 'grad.x';
    if (name === 'xMid') return `x${layers}`;
    if (name === 'h1' || name === 'h2') return 'grad.h';
    if (name === 'rstd1' || name === 'rstd2') return 'equal.rstd';
    if (name === 'rstdQ' || name === 'rstdK' || name === 'stats') return `equal.${name}`;
    return `grad.${qkNorm ? name : name.replace('Raw', '')}`;
  };

/** The layers on the distinct rows. Keys and values are in the batch's places, where its ranges look for them. */
export class DistinctRows {
  /** Residual stream of the distinct rows, [rows, d]; of the last layer that was run. */
  readonly x: DeviceBuffer;
  private readonly meta: RowMeta;
  private readonly rowOf: DeviceBuffer;
  private readonly rowOnHost: Uint32Array;
  private readonly acts: LayerActivations;

  constructor(
    private readonly ctx: LayerContext,
    private readonly packed: Packed,
    { firstOf, rowOf }: DuplicateRows,
    /** Writes the rows that go into the first layer that is run; their embeddings where absent. */
    fill?: (x: DeviceBuffer, rows: number) => void,
  ) {
    const { arena, weights } = ctx;
    const rows = firstOf.length;
    const places = placesOf(packed, firstOf);
    this.meta = rowMeta(arena, places, 'equal');
    this.rowOf = arena.put('equal.rowOf', rowOf);
    this.rowOnHost = rowOf;
    const label = scratchOf(ctx.config);
    this.x = arena.take(label('x'), packed.rows * ctx.config.hiddenSize);
    this.acts = takeActivations(ctx, label, packed.rows, this.x);
    if (fill) fill(this.x, rows);
    else weights.embedding.gather(arena.put('equal.ids', places.ids), this.x, rows);
  }

  /** Runs a layer and fills `acts` for every row of the batch. */
  layer(layer: number, acts: LayerActivations): void {
    const keyValues = () => {
      this.spread(BEFORE, acts);
      return { k: acts.k, v: acts.v };
    };
    layerForward(this.ctx, layer, this.acts, this.meta, keyValues, this.x);
    this.spread(AFTER, acts);
  }

  /** The last layer, of which the ends alone are asked: what follows attention is computed once for each that differs. `o`, `hidden`:
   *  of the ends, in their order. */
  last(
    layer: number,
    acts: LayerActivations,
    { ends, o, hidden }: { ends: Ends; o: DeviceBuffer; hidden: DeviceBuffer },
  ): void {
    const { ctx, acts: own, packed } = this;
    const { device, arena, config } = ctx;
    const widths = activationWidths(config);
    const keyValues = () => {
      this.spread(BEFORE, acts);
      return { k: acts.k, v: acts.v };
    };
    layerAttention(ctx, layer, own, this.meta, keyValues);
    this.spread(['o', 'stats'], acts);

    const places = new Map<number, number>();
    const endOf = packed.targetRows.map((row) => kept(places, this.rowOnHost[row], () => places.size));
    const rows = places.size;
    const index = arena.put('equal.ends', Uint32Array.from(places.keys()));
    // The activations that were spread already have room of their own.
    const tail = { ...own, o: own.q };
    ops.gatherRows(device, { src: this.x, index, dst: tail.xMid, rows, dim: widths.x });
    ops.gatherRows(device, { src: own.o, index, dst: tail.o, rows, dim: widths.o });
    layerTail(ctx, layer, tail, rows, this.x);
    const each = arena.put('equal.endOf', endOf);
    const into: Record<(typeof TAIL)[number], DeviceBuffer> = { ...acts, o };
    for (const name of TAIL)
      ops.gatherRows(device, { src: tail[name], index: each, dst: into[name], rows: ends.rows, dim: widths[name] });
    ops.gatherRows(device, { src: this.x, index: each, dst: hidden, rows: ends.rows, dim: widths.x });
  }

  private spread(names: readonly ActivationName[], acts: LayerActivations): void {
    const { ctx, packed, rowOf } = this;
    spreadRows(ctx, names, { from: (name) => this.acts[name], acts, index: rowOf, rows: packed.rows });
  }
}

/** Row i of `acts` becomes row index[i] of what is at `from`, for each of the names. */
export function spreadRows(
  { device, config }: LayerContext,
  names: readonly ActivationName[],
  of: { from(name: ActivationName): DeviceBuffer; acts: LayerActivations; index: DeviceBuffer; rows: number },
): void {
  const { from, acts, index, rows } = of;
  const widths = activationWidths(config);
  const done = new Set<DeviceBuffer>();
  for (const name of names) {
    const dst = acts[name];
    // One buffer holds the values before and after the norm of the heads, where there is no such norm.
    if (done.has(dst)) continue;
    done.add(dst);
    ops.gatherRows(device, { src: from(name), index, dst, rows, dim: widths[name] });
  }
}
