// Finds equal rows of a packed batch: a prompt that is in two segments, and completions of a group that share their first tokens. A row
// depends only on the tokens up to it, so such rows are identical bit for bit. The forward pass computes each once and copies the
// activations that the backward pass reads. The backward pass runs for every row, since gradients differ with what follows.
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
  type RowMeta,
  rowMeta,
  selectRows,
  TAIL,
  takeActivations,
} from './layer.ts';
import type { Packed } from './packing.ts';

export interface DuplicateRows {
  /** First of the batch's rows that equals each distinct row; ascending. */
  firstOf: Uint32Array;
  /** Index in firstOf of each of the batch's rows. */
  rowOf: Uint32Array;
}

/** Two rows are equal if all tokens up to them are, and if their prefixes have the same length. */
export function duplicateRows({ ids, ranges, rows }: Packed): DuplicateRows {
  const rowOf = new Uint32Array(rows);
  const firstOf: number[] = [];
  // Distinct rows, keyed by the preceding distinct row, whether the row is its sequence's first, and the token.
  const known = new Map<string, number>();
  for (let row = 0; row < rows; row++) {
    const [prefixFrom, prefixTo, from] = ranges.subarray(row * 4, row * 4 + 3);
    const isFirst = row === from;
    const before = isFirst ? (prefixTo > prefixFrom ? rowOf[prefixTo - 1] : -1) : rowOf[row - 1];
    rowOf[row] = kept(known, `${before} ${isFirst} ${ids[row]}`, () => firstOf.push(row) - 1);
  }
  return { firstOf: Uint32Array.from(firstOf), rowOf };
}

/** Most distinct rows, as a share of all, for deduplication to pay: copying a row costs about a twentieth of computing it. */
const MOST_DISTINCT = 0.9;

/** The rows to compute once, or null if that would not be faster. On a GPU the rows of a small batch cost less than the calls
 *  that copy them. */
export function sharedRows(device: Device, packed: Packed): DuplicateRows | null {
  if (device.kind !== 'cpu') return null;
  const equal = duplicateRows(packed);
  return equal.firstOf.length <= MOST_DISTINCT * packed.rows ? equal : null;
}

/** Activations that a layer has computed when it stores its keys and values, and those that it computes after that. */
export const BEFORE_KEY_VALUES: readonly ActivationName[] = [
  'x',
  'h1',
  'rstd1',
  'qRaw',
  'kRaw',
  'rstdQ',
  'rstdK',
  'q',
  'k',
  'v',
];
export const AFTER_KEY_VALUES: readonly ActivationName[] = ['stats', ...TAIL];

/** Names the buffer of a distinct-row activation. It reuses buffers that are free at this time: scratch of the later backward pass
 *  (layerBackward), and the last layer's output, which such a batch does not use. */
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

/** Runs layers on the distinct rows. Keys and values are copied to all of the batch's rows, to which its ranges refer. */
export class DistinctRows {
  /** Residual stream of the distinct rows after the last layer that was run, [rows, d]. */
  readonly x: DeviceBuffer;
  private readonly meta: RowMeta;
  private readonly rowOf: DeviceBuffer;
  private readonly rowOnHost: Uint32Array;
  private readonly acts: LayerActivations;

  constructor(
    private readonly ctx: LayerContext,
    private readonly packed: Packed,
    { firstOf, rowOf }: DuplicateRows,
    /** Writes the input of the first layer to run; by default the embeddings. */
    fill?: (x: DeviceBuffer, rows: number) => void,
  ) {
    const { arena, weights } = ctx;
    const rows = firstOf.length;
    const places = selectRows(packed, firstOf);
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
      this.spread(BEFORE_KEY_VALUES, acts);
      return { k: acts.k, v: acts.v };
    };
    layerForward(this.ctx, layer, this.acts, this.meta, keyValues, this.x);
    this.spread(AFTER_KEY_VALUES, acts);
  }

  /** Runs the last layer when only the rows that predict a token (`ends`) are needed: everything after attention is computed once for each
   *  distinct one. Fills `o` and `hidden` in the order of the ends. */
  last(
    layer: number,
    acts: LayerActivations,
    { ends, o, hidden }: { ends: Ends; o: DeviceBuffer; hidden: DeviceBuffer },
  ): void {
    const { ctx, acts: own, packed } = this;
    const { device, arena, config } = ctx;
    const widths = activationWidths(config);
    const keyValues = () => {
      this.spread(BEFORE_KEY_VALUES, acts);
      return { k: acts.k, v: acts.v };
    };
    layerAttention(ctx, layer, own, this.meta, keyValues);
    this.spread(['o', 'stats'], acts);

    const places = new Map<number, number>();
    const endOf = packed.targetRows.map((row) => kept(places, this.rowOnHost[row], () => places.size));
    const rows = places.size;
    const index = arena.put('equal.ends', Uint32Array.from(places.keys()));
    // `q` is free here: its values have already been copied to `acts`.
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

/** For each named activation, copies row index[i] of from(name) to row i of `acts`. */
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
    // Without a per-head norm, its input and output share a buffer.
    if (done.has(dst)) continue;
    done.add(dst);
    ops.gatherRows(device, { src: from(name), index, dst, rows, dim: widths[name] });
  }
}
