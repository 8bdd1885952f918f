// Scores a batch of which a rollout has already computed most rows with the same weights. Up to the last layer, those rows are read from
// the activation cache and only the others (a teacher's) are computed; row-deduplication.ts does the last layer.
import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { ActivationCache } from './activation-cache.ts';
import {
  type LayerActivations,
  type LayerContext,
  layerForward,
  type RowMeta,
  rowMeta,
  selectRows,
  takeActivations,
} from './layer.ts';
import type { Packed } from './packing.ts';
import {
  AFTER_KEY_VALUES,
  BEFORE_KEY_VALUES,
  DistinctRows,
  type DuplicateRows,
  scratchOf,
  spreadRows,
} from './row-deduplication.ts';

/** Where a batch's distinct rows are in the activation cache; missing rows are appended to it. */
export interface Resumed {
  equal: DuplicateRows;
  /** Cache row of each distinct row. */
  placeOf: Uint32Array;
  /** Distinct rows that are not in the cache, ascending. */
  missing: number[];
}

/** Looks up a batch's rows in the cache. Returns null if it has no room for the missing ones. */
export function resume(activations: ActivationCache, { ids, ranges }: Packed, equal: DuplicateRows): Resumed | null {
  const { firstOf, rowOf } = equal;
  const placeOf = new Uint32Array(firstOf.length);
  const isKept = new Uint8Array(firstOf.length);
  const missing: number[] = [];
  for (const [distinct, row] of firstOf.entries()) {
    const [prefixFrom, prefixTo, from] = ranges.subarray(row * 4, row * 4 + 3);
    const before = row !== from ? row - 1 : prefixTo > prefixFrom ? prefixTo - 1 : -1;
    const behind = before < 0 ? -1 : isKept[rowOf[before]] ? placeOf[rowOf[before]] : null;
    const place = behind === null ? undefined : activations.find(behind, ids[row]);
    if (place !== undefined) isKept[distinct] = 1;
    placeOf[distinct] = place ?? activations.rows + missing.push(distinct) - 1;
  }
  return activations.hasRoom(missing.length) ? { equal, placeOf, missing } : null;
}

export class CachedRows {
  private readonly x: DeviceBuffer;
  private readonly acts: LayerActivations;
  private readonly meta: RowMeta;
  /** Cache row of each of the batch's rows. */
  private readonly places: DeviceBuffer;

  constructor(
    private readonly ctx: LayerContext,
    private readonly packed: Packed,
    private readonly activations: ActivationCache,
    private readonly resumed: Resumed,
  ) {
    const { arena, weights, config } = ctx;
    const { equal, placeOf, missing } = resumed;
    const label = scratchOf(config);
    const rowOf = equal.rowOf.map((distinct) => placeOf[distinct]);
    this.places = arena.put('equal.rowOf', rowOf);
    const own = selectRows(
      packed,
      Uint32Array.from(missing, (distinct) => equal.firstOf[distinct]),
    );
    this.meta = rowMeta(arena, own, 'equal');
    this.x = arena.take(label('x'), packed.rows * config.hiddenSize);
    this.acts = takeActivations(ctx, label, packed.rows, this.x);
    if (missing.length > 0) weights.embedding.gather(arena.put('equal.ids', own.ids), this.x, missing.length);
  }

  /** Runs any layer but the last, and fills `acts` for every row of the batch. */
  layer(layer: number, acts: LayerActivations): void {
    const { ctx, activations, acts: own, meta } = this;
    const { rows } = meta;
    const spread = (names: typeof BEFORE_KEY_VALUES) =>
      spreadRows(ctx, names, {
        from: (name) => activations.buffer(layer, name),
        acts,
        index: this.places,
        rows: this.packed.rows,
      });
    if (rows > 0) {
      activations.keepX(layer, this.x, rows);
      const keyValues = () => {
        activations.keepActs(layer, own, rows, BEFORE_KEY_VALUES);
        spread(BEFORE_KEY_VALUES);
        return { k: acts.k, v: acts.v };
      };
      layerForward(ctx, layer, own, meta, keyValues, this.x);
      activations.keepActs(layer, own, rows, AFTER_KEY_VALUES);
    } else spread(BEFORE_KEY_VALUES);
    spread(AFTER_KEY_VALUES);
  }

  /** Returns all distinct rows as they enter the last layer. */
  rest(): DistinctRows {
    const { ctx, activations, packed, meta, resumed } = this;
    if (meta.rows > 0) activations.keepX(activations.last, this.x, meta.rows);
    return new DistinctRows(ctx, packed, resumed.equal, (dst, rows) => {
      const index = ctx.arena.put('equal.ids', resumed.placeOf);
      ops.gatherRows(ctx.device, {
        src: activations.buffer(activations.last, 'x'),
        index,
        dst,
        rows,
        dim: ctx.config.hiddenSize,
      });
    });
  }
}
