// A rollout's rows through the model: all layers for a step of decoding; for prompts and observations, of which only what each ends
// with is asked for, the last layer for those ends alone. There the other rows leave their keys and values for later tokens, and
// nothing more of them is ever looked at.
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
  type Places,
  placesOf,
  type RowMeta,
  rowMeta,
  takeActivations,
  takeLayer,
} from '../passes/layer.ts';
import type { RunMeta } from '../passes/runs.ts';

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
  for (let layer = 0; layer < count; layer++) {
    const acts = takeLayer(ctx, layer, 'roll', meta.rows, x);
    activations?.keepX(layer, x, meta.rows);
    layerForward(ctx, layer, acts, meta, keyValues, x);
    // Only a model without linear layers is kept.
    activations?.keepActs(layer, acts as LayerActivations, meta.rows);
  }
  return x;
}

/** The same of a step of decoding, in fewer calls (passes/decoding.ts). */
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

/** The residual stream [ends, d] of some rows after all layers. `most`: ends that there may ever be, so that nothing is given anew
 *  when more of them come together than did first. `runs`: where layers keep states. */
export function endsOf(
  ctx: LayerContext,
  ends: readonly number[],
  places: Places,
  keyValues: KeyValues,
  { most, runs, activations = null }: { most: number; runs?: RunMeta; activations?: ActivationCache | null },
): DeviceBuffer {
  const { arena, device, config } = ctx;
  const [last, dim] = [config.layers - 1, config.hiddenSize];
  const meta = { ...rowMeta(arena, places, 'roll'), ...(runs ? { runs } : {}) };
  const ids = arena.put('roll.ids', places.ids);
  // Every row of a linear layer moves its state on.
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
  const own = rowMeta(arena, placesOf(places, ends), 'roll.end');
  // The layer computes their keys again; nothing reads these copies, since the first ones are in the cache.
  layerForward(ctx, last, takeActivations(ctx, 'roll', rows, dst), own, () => seen, dst);
  return dst;
}
