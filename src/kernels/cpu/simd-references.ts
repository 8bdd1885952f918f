// Reference kernels that an engine calls on the CPU and that have no SIMD version. The others are for shapes that SIMD does not support, or are called
// on no CPU device, and `complete` (device.ts) loads them on demand.
import type { KernelName } from '../contract.ts';
import { project } from './adapter.ts';
import { copy, fill, scaleCols } from './linear.ts';
import { gatherF16, gatherPart, gatherQ4h, gatherQ8, gatherQ8h, moveCols } from './packed.ts';
import type { Reference } from './reference.ts';

export const SIMD_REFERENCES: { readonly [K in KernelName]?: Reference<K> } = {
  copy,
  fill,
  scale_cols: scaleCols,
  gather_part: gatherPart,
  gather_f16: gatherF16,
  gather_q8: gatherQ8,
  gather_q8h: gatherQ8h,
  gather_q4h: gatherQ4h,
  move_cols: moveCols,
  project,
};
