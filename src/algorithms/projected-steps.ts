// Projects many parameter vectors by one basis in few device calls: each call treats several vectors as one vector with correspondingly more
// modules. The kernel computes modules independently, so the bits equal those of one Projector call per vector; this saves waiting for the
// device, which on a GPU takes longer than the work.
import type { AdapterLayout } from '../engine/types.ts';
import type { Device } from '../kernels/device.ts';
import type { HackBasis } from './basis.ts';
import { type Gate, type Projected, Projector } from './projection.ts';

/** Most elements per call (16 MiB in f32), and most modules, each of which takes a workgroup. */
const MOST_ELEMENTS = 2 ** 22;
const MOST_MODULES = 2 ** 15;

/** One Projected for each of `vectors` [layout.total], in order. */
export async function projectEach(
  device: Device,
  { total }: Pick<AdapterLayout, 'total'>,
  basis: HackBasis,
  vectors: readonly Float32Array[],
  gate: Gate,
  overshoot: number,
): Promise<Projected[]> {
  const room = Math.min(MOST_ELEMENTS / total, MOST_MODULES / Math.max(1, basis.modules.length));
  const atOnce = Math.min(vectors.length, Math.max(1, Math.floor(room)));
  const split: Projected[] = [];
  for (let from = 0; from < vectors.length; from += atOnce) {
    const part = vectors.slice(from, from + atOnce);
    const projector = new Projector(device, { total: part.length * total }, repeated(basis, part.length, total));
    try {
      const whole = new Float32Array(part.length * total);
      for (const [i, vector] of part.entries()) whole.set(vector, i * total);
      const { kept, removed, coef } = await projector.project(whole, gate, overshoot);
      for (const i of part.keys()) {
        const own = (all: Float32Array, length: number) => all.subarray(i * length, (i + 1) * length);
        split.push({ kept: own(kept, total), removed: own(removed, total), coef: own(coef, basis.axes) });
      }
    } finally {
      projector.free();
    }
  }
  return split;
}

/** The basis for `times` concatenated vectors of `total` elements, with shared rows. */
function repeated({ modules, V, axes }: HackBasis, times: number, total: number): HackBasis {
  const copies = Array.from({ length: times }, (_, i) =>
    modules.map((module) => ({ ...module, offset: module.offset + i * total, cOffset: module.cOffset + i * axes })),
  );
  return { modules: copies.flat(), V, axes: times * axes };
}
