// Buffers for a model's slices on their way to the device, with the code that packs them if needed.
import type { WeightStorage } from '../storage-layouts.ts';
import { SliceRoom } from './filling.ts';

/** Loads the packing code (pack-matrix.ts) unless the storage is f32. */
export async function roomFor(storage: WeightStorage): Promise<SliceRoom> {
  return new SliceRoom(storage === 'f32' ? null : (await import('./pack-matrix.ts')).packSlice);
}
