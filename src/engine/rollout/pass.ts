// Runs a rollout's rows through the model. A decoding step needs all layers for every row. Of prompts and observations only the last
// token's output is needed, so in the last layer the other rows compute nothing but their keys and values.
import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { layerType } from '../layer-types.ts';
import type { ActivationCache } from '../passes/activation-cache.ts';
import { decodeLayer, type StepCache } from '../passes/decoding.ts';
import {
  type KeyValues,
  type LayerActivations,
  type LayerContext,
  layerForward,
  layerKeys,
  type RowInputs,
  type RowMeta,
  rowMeta,
  selectRows,
  takeActivations,
  takeLayer,
} from '../passes/layer.ts';
import type { RunMeta } from '../passes/runs.ts';

/** ids [rows] → the residual stream [rows, d] after `count` layers, whose activations are added to `activations`. */
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
  for (let layer = 0; layer < count; layer++) {
    const acts = takeLayer(ctx, layer, 'roll', meta.rows, x);
    activations?.keepX(layer, x, meta.rows);
    layerForward(ctx, layer, acts, meta, keyValues, x);
    // Activations are kept only for models without linear layers.
    activations?.keepActs(layer, acts as LayerActivations, meta.rows);
  }
  return x;
}

/** Runs all layers of a decoding step in fewer kernel calls (passes/decoding.ts). */
export function throughStep(
  ctx: LayerContext,
  meta: RowMeta,
  ids: DeviceBuffer,
  into: { cache: StepCache; keyValues: KeyValues },
): DeviceBuffer {
  const { arena, config, weights } = ctx;
  const x = arena.take('roll.x', meta.rows * config.hiddenSize);
  weights.embedding.gather(ids, x, meta.rows);
  for (let layer = 0; layer < config.layers; layer++) decodeLayer(ctx, layer, x, meta, into);
  return x;
}

/** The residual stream [ends, d] of some rows after all layers. `most`: largest number of ends of any call, so that the buffer never
 *  has to grow. `runs` is needed if the model has linear layers. */
export function endsOf(
  ctx: LayerContext,
  ends: readonly number[],
  places: RowInputs,
  keyValues: KeyValues,
  { most, runs, activations = null }: { most: number; runs?: RunMeta; activations?: ActivationCache | null },
): DeviceBuffer {
  const { arena, device, config } = ctx;
  const [last, dim] = [config.layers - 1, config.hiddenSize];
  const meta = { ...rowMeta(arena, places, 'roll'), ...(runs ? { runs } : {}) };
  const ids = arena.put('roll.ids', places.ids);
  // A linear layer needs every row, since each one updates the state.
  const isLinear = layerType(config, last) === 'linear_attention';
  const x = throughLayers(ctx, meta, ids, keyValues, isLinear ? config.layers : last, activations);
  activations?.keepX(last, x, meta.rows);
  const all = isLinear ? null : takeActivations(ctx, 'roll', meta.rows, x);
  if (all) layerKeys(ctx, last, all, meta);
  const seen = all && keyValues(last, all.k, all.v);
  const dst = arena.take('roll.ends', most * dim);
  const rows = ends.length;
  if (rows === 0) return dst;
  ops.gatherRows(device, { src: x, index: arena.put('roll.endRows', Uint32Array.from(ends)), dst, rows, dim });
  if (!seen) return dst;
  const own = rowMeta(arena, selectRows(places, ends), 'roll.end');
  // The layer recomputes these rows' keys; attention reads the copies that are already in the cache.
  layerForward(ctx, last, takeActivations(ctx, 'roll', rows, dst), own, () => seen, dst);
  return dst;
}
