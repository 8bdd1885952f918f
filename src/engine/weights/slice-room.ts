// The room that a model's slices pass through on their way to the device, with the code that packs them where they are packed.
import type { WeightStorage } from '../storage-layouts.ts';
import { SliceRoom } from './filling.ts';

/** Room for slices, and, for a storage that packs, the code that does (pack-matrix.ts), which a model in f32 does not load. */
export async function roomFor(storage: WeightStorage): Promise<SliceRoom> {
  return new SliceRoom(storage === 'f32' ? null : (await import('./pack-matrix.ts')).packSlice);
}
