// A rollout's rows through the model: all layers for a step of decoding; for prompts and observations, of which only what each ends
// with is asked for, the last layer for those ends alone. There the other rows leave their keys and values for later tokens, and
// nothing more of them is ever looked at.
import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { ActivationCache } from '../passes/activation-cache.ts';
import {
  type KeyValues,
  type LayerContext,
  layerForward,
  layerKeys,
  type Places,
  type RowMeta,
  rowMeta,
  someOf,
  takeActivations,
} from '../passes/layer.ts';

/** ids [rows] → the residual stream [rows, d] after `count` layers. `activations`: keeps what they make. */
export function throughLayers(
  ctx: LayerContext,
  meta: RowMeta,
  ids: DeviceBuffer,
  keyValues: KeyValues,
  count: number,
  activations: ActivationCache | null = null,
): DeviceBuffer {
  const { arena, config, weights } = ctx;
  const x = arena.take('roll.x', meta.rows * config.hiddenSize);
  weights.embedding.gather(ids, x, meta.rows);
  const acts = takeActivations(ctx, 'roll', meta.rows, x);
  for (let layer = 0; layer < count; layer++) {
    activations?.keepX(layer, x, meta.rows);
    layerForward(ctx, layer, acts, meta, keyValues, x);
    activations?.keepActs(layer, acts, meta.rows);
  }
  return x;
}

/** The residual stream [ends, d] of some rows after all layers. `most`: ends that there may ever be, so that nothing is given anew
 *  when more of them come together than did first. */
export function endsOf(
  ctx: LayerContext,
  ends: readonly number[],
  places: Places,
  keyValues: KeyValues,
  most: number,
  activations: ActivationCache | null = null,
): DeviceBuffer {
  const { arena, device, config } = ctx;
  const [last, dim] = [config.layers - 1, config.hiddenSize];
  const meta = rowMeta(arena, places, 'roll');
  const x = throughLayers(ctx, meta, arena.put('roll.ids', places.ids), keyValues, last, activations);
  activations?.keepX(last, x, meta.rows);
  const all = takeActivations(ctx, 'roll', meta.rows, x);
  layerKeys(ctx, last, all, meta);
  const seen = keyValues(last, all.k, all.v);
  const dst = arena.take('roll.ends', most * dim);
  const rows = ends.length;
  if (rows === 0) return dst;
  ops.gatherRows(device, { src: x, index: arena.put('roll.endRows', Uint32Array.from(ends)), dst, rows, dim });
  const own = rowMeta(arena, someOf(places, ends), 'roll.end');
  // The layer computes their keys again; nothing reads these copies, since the first ones are in the cache.
  layerForward(ctx, last, takeActivations(ctx, 'roll', rows, dst), own, () => seen, dst);
  return dst;
}
