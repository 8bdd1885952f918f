// What becomes of an axis, in words.
import type { AxisFate } from '../../algorithms/noise-floor.ts';

export const FATES: Readonly<Record<AxisFate, string>> = {
  kept: 'kept',
  zeroed: 'zeroed by τ',
  floor: 'dropped: below the noise floor',
  beyond: 'not used: beyond k',
};
