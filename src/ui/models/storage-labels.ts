// What the ways to store weights are called in the Models view.
import type { StorageChoice } from '../../lab/protocol/models.ts';

/** How the weights may lie on the device, in the order of the menu. */
export const STORAGE_LABELS: readonly [StorageChoice, string][] = [
  ['auto', 'the most exact that fits'],
  ['f32', '32-bit floats'],
  ['f16', '16-bit floats'],
  ['q8t16', '8-bit integers, embedding and head in 16 bits'],
  ['q8g32', '8-bit integers'],
  ['q8', '8-bit integers in groups of 64 (for what was begun with them)'],
];

export const STORAGE_NAMES = Object.fromEntries(STORAGE_LABELS) as Record<StorageChoice, string>;
