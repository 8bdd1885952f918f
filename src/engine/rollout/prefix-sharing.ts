// Sequences of a rollout with the same prompt and the same sampled tokens so far have an identical next row, so a decoding step
// computes it once. Each sequence samples its own next token from it; one that samples a different token leaves the group for good.
import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { kept } from '../../lib/kept.ts';
import type { ActivationCache } from '../passes/activation-cache.ts';
import {
  type KeyValues,
  type LayerContext,
  type RowInputs,
  type RowMeta,
  rowMeta,
  selectRows,
} from '../passes/layer.ts';
import { throughLayers } from './pass.ts';

/** A step's distinct rows (firstOf: the first row equal to each), and the index of the distinct row that each row equals (rowOf). */
export interface Alike {
  firstOf: number[];
  rowOf: Uint32Array;
}

/** Most distinct rows, as a share of all, for sharing to be faster. */
const MOST_DISTINCT = 0.9;

export class PrefixSharing {
  /** Group of each slot: slots of one group have the same tokens, from the prompt's first to the last that was fed. */
  private readonly groups: number[];
  private next: number;

  /** `promptOf`: index of each slot's prompt. */
  constructor(promptOf: readonly number[]) {
    this.groups = [...promptOf];
    this.next = Math.max(...promptOf) + 1;
  }

  /** Separates this slot from its group. */
  part(slot: number): void {
    this.groups[slot] = this.next++;
  }

  /** Feeds one token to each of these slots. Returns null if too few rows are equal. */
  feed(slots: readonly number[], tokens: ArrayLike<number>): Alike | null {
    const found = new Map<string, { group: number; index: number }>();
    const firstOf: number[] = [];
    const rowOf = new Uint32Array(slots.length);
    slots.forEach((slot, row) => {
      const key = `${this.groups[slot]} ${tokens[row]}`;
      const one = kept(found, key, () => ({ group: this.next++, index: firstOf.push(row) - 1 }));
      this.groups[slot] = one.group;
      rowOf[row] = one.index;
    });
    return firstOf.length <= MOST_DISTINCT * slots.length ? { firstOf, rowOf } : null;
  }
}

/** Runs only the distinct rows of `places` through all layers, then copies the results to every row: keys and values to `keyValues`,
 *  and the residual stream [rows, d], which is returned. `most`: largest number of rows of any call. */
export function throughDistinctRows(
  ctx: LayerContext,
  { firstOf, rowOf }: Alike,
  places: RowInputs,
  at: Pick<RowMeta, 'shift' | 'grow' | 'runs'>,
  keyValues: KeyValues,
  most: number,
  activations: ActivationCache | null = null,
): DeviceBuffer {
  const { arena, device, config } = ctx;
  const rows = rowOf.length;
  const index = arena.put('alike.rowOf', rowOf);
  const spread = (label: string, src: DeviceBuffer, dim: number) => {
    const dst = arena.take(label, most * dim);
    ops.gatherRows(device, { src, index, dst, rows, dim });
    return dst;
  };
  const differing = selectRows(places, firstOf);
  const meta = { ...rowMeta(arena, differing, 'alike'), ...at };
  const own: KeyValues = (layer, k, v) => {
    const dim = config.kvHeads * config.headDim;
    // This reuses buffers that the layer fills later.
    return keyValues(layer, spread('roll.gate', k, dim), spread('roll.up', v, dim));
  };
  const x = throughLayers(ctx, meta, arena.put('alike.ids', differing.ids), own, config.layers, activations);
  // This reuses the buffer of the prompts' last rows, which were read before the first step.
  return spread('roll.first', x, config.hiddenSize);
}
