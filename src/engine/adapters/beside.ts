// The unfolded form of an adapter: y = W x + up (s ∘ (down x)), with every matrix as stored and W + ΔW never computed. It costs two
// low-rank products per Linear, forward and backward, and avoids an f32 copy of every Linear when that does not fit in memory. The sums of
// a row do not depend on other rows, so decoding and scoring give the same bits.
import { ops } from '../../kernels/ops.ts';
import type { LinearUpdate, LowRankTerm } from '../weights/weights.ts';
import type { AdaptLinear } from './adapter.ts';

/** Name of the scratch [rows, rank]. The adapter's gradient, which never runs at the same time, uses it too. */
const SCRATCH = 'sink.p';

/** `widest`: the largest rank of any Linear's update, for which scratch is allocated at once. */
export const besideLinear =
  (widest: number): AdaptLinear =>
  (device, weights, module) => {
    const { dOut, dIn } = module;
    const name = `${module.name}.weight`;
    let terms: readonly LowRankTerm[] = [];
    const beside: LinearUpdate = {
      get terms() {
        return terms;
      },
      add({ a, c, cOff, m, arena }) {
        const p = arena.take(SCRATCH, m * widest);
        for (const { up, down, r, scale } of terms) {
          weights.times(down, { a, c: p, m, n: r, k: dIn });
          if (scale) ops.scaleCols(device, { x: p, ...scale, rows: m, cols: r });
          weights.times(up, { a: p, c, cOff, m, n: dOut, k: r, beta: 1 });
        }
      },
      addBack({ a, c, m, arena }) {
        const p = arena.take(SCRATCH, m * widest);
        for (const { up, down, r, scale } of terms) {
          ops.matmul(device, { a, b: weights.plain(up), c: p, m, n: r, k: dOut });
          if (scale) ops.scaleCols(device, { x: p, ...scale, rows: m, cols: r });
          ops.matmul(device, { a: p, b: weights.plain(down), c, m, n: dIn, k: r, beta: 1 });
        }
      },
    };
    return {
      module,
      readsTerms: true,
      update(given) {
        terms = given;
        weights.setUpdate(name, terms.length > 0 ? beside : null);
      },
      free: () => weights.setUpdate(name, null),
    };
  };
