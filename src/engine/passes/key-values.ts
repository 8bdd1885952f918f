// Keys and values as attention reads them: in f32, or, in a rollout's cache, optionally in f16 (two values to a 32-bit word), which halves
// the memory. Every row that attends to an f16 cache reads rounded values, including its own.
import type { Device, DeviceBuffer } from '../../kernels/device.ts';
import { type OpArgs, ops } from '../../kernels/ops.ts';
import type { Arena } from '../arena.ts';
import type { KvCache } from '../storage-layouts.ts';

/** 32-bit words that `length` values take. */
export const cacheWords = (length: number, kind: KvCache): number => (kind === 'f16' ? Math.ceil(length / 2) : length);

export const takeCache = (arena: Arena, label: string, length: number, kind: KvCache): DeviceBuffer =>
  arena.take(label, cacheWords(length, kind), kind === 'f16' ? 'u32' : 'f32');

const isHalved = ({ dtype }: DeviceBuffer): boolean => dtype === 'u32';

interface Rows {
  src: DeviceBuffer;
  index: DeviceBuffer;
  dst: DeviceBuffer;
  rows: number;
  dim: number;
}

/** dst[i,:] = src[index[i],:]. */
export function gatherInto(device: Device, rows: Rows): void {
  if (isHalved(rows.dst)) ops.storeF16(device, { ...rows, gathers: 1 });
  else ops.gatherRows(device, rows);
}

/** dst[index[i] + shift,:] = src[i,:]. */
export function scatterInto(device: Device, rows: Rows & { shift: number }): void {
  if (isHalved(rows.dst)) ops.storeF16(device, rows);
  else ops.scatterRows(device, rows);
}

export const attend = (device: Device, args: OpArgs<'attention'>): void =>
  isHalved(args.k) ? ops.attentionF16(device, args) : ops.attention(device, args);

export const cacheHeads = (device: Device, args: OpArgs<'cache_heads'>): void =>
  isHalved(args.k) ? ops.cacheHeadsF16(device, args) : ops.cacheHeads(device, args);
