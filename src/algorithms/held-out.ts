// Validates a basis on held-out pairs (METHOD "n_heldout"): counts how many of them project hack-ward on each axis. By chance,
// half would.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { AdapterLayout } from '../engine/types.ts';
import { differences, type PairGradients, type RawBasis } from './extraction.ts';
import { dot } from './vectors.ts';

interface HeldOutAgreement {
  /** Number of held-out pairs. */
  n: number;
  /** Number of pairs with ⟨D_i, v⟩ > 0, by module name, for each extracted axis; null for a zeroed axis. */
  hackward: Record<string, (number | null)[]>;
}

/** Counts sign agreements of `heldOut` pairs' differences with each row of `basis`. */
export function heldOutAgreement(basis: RawBasis, heldOut: PairGradients, layout: AdapterLayout): HeldOutAgreement {
  const n = heldOut.hack.length;
  const hackward: HeldOutAgreement['hackward'] = {};
  for (const module of layout.modules) {
    const directions = basis.get(module.name);
    if (!directions) continue;
    const { k, V } = directions;
    const { r } = module;
    const D = differences(heldOut, module);
    const counts = Array.from({ length: k }, (_, axis) => {
      const row = V.subarray(axis * r, (axis + 1) * r);
      if (row.every((x) => x === 0)) return null;
      let count = 0;
      for (let i = 0; i < n; i++) {
        if (dot(D.subarray(i * r, (i + 1) * r), row) > 0) count++;
      }
      return count;
    });
    setOwn(hackward, module.name, counts);
  }
  return { n, hackward };
}
