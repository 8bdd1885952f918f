// random_V_matched (METHOD "Negative controls"): random directions, whose number is increased until they remove as much over a whole
// run as the real basis did. If V still does better, the reason is not the amount removed.
import type { AdapterLayout } from '../engine/types.ts';
import { CounterRng } from '../rng/counter-rng.ts';
import { STREAMS } from '../rng/threefry.ts';
import { type HackBasis, layRows } from './basis.ts';
import { orthonormalStream } from './controls.ts';
import type { Gate } from './projection.ts';
import { dot } from './vectors.ts';

export interface MatchedWidth {
  /** Rows per module (r for a module with fewer). */
  k: number;
  /** Sum over steps of ‖removed‖ for the real V, and for these k random rows. */
  target: number;
  removed: number;
  /** Why `removed` is below `target`, if it is: every module has all of its r rows, or more rows would need too much memory. */
  limit: 'r' | 'memory' | null;
}

interface MatchRequest {
  /** The random basis has no rows in modules in which this basis has none. */
  like: HackBasis;
  layout: AdapterLayout;
  /** The run's optimizer steps, in order. */
  steps: readonly Float32Array[];
  gate: Gate;
  overshoot: number;
  seed: number;
  /** Σ‖removed‖ of the real basis over the same steps. */
  target: number;
}

/** Most elements of rows: 256 MiB in f32, and twice that again in f64 during orthogonalisation. */
const MAX_ELEMENTS = 2 ** 26;

/** Finds the smallest k that reaches the target. The rows are those of `randomBasis`, so at the real basis's k it equals random_V. */
export function matchRandom(request: MatchRequest): { basis: HackBasis; width: MatchedWidth } {
  const { like, layout, steps, gate, overshoot, seed, target } = request;
  const streams = like.modules.map(({ k, r }, m) =>
    k > 0 ? orthonormalStream(CounterRng.of(seed, STREAMS.randomV, m), r) : null,
  );
  const rows: Float32Array[][] = like.modules.map(() => []);
  // The rows are orthonormal, so ‖removed‖² of a step is the sum of the squared coefficients.
  const squares = new Float64Array(steps.length);
  const removedSum = () => squares.reduce((sum, square) => sum + overshoot * Math.sqrt(square), 0);
  const result = (k: number, limit: MatchedWidth['limit']) => ({
    basis: layRows(layout, rows),
    width: { k, target, removed: removedSum(), limit },
  });
  let elements = 0;
  for (let k = 0; ; k++) {
    if (removedSum() >= target) return result(k, null);
    let added = 0;
    for (const [m, stream] of streams.entries()) {
      const row = stream?.next().value;
      if (!row) continue;
      rows[m].push(row);
      added += row.length;
      const { offset } = like.modules[m];
      steps.forEach((step, i) => {
        squares[i] += used(dot(row, step.subarray(offset, offset + row.length)), gate) ** 2;
      });
    }
    if (added === 0) return result(k, 'r');
    elements += added;
    if (elements > MAX_ELEMENTS && removedSum() < target) return result(k + 1, 'memory');
  }
}

/** c_use in METHOD's "Projection". */
function used(c: number, gate: Gate): number {
  if (gate === 'no_gate') return c;
  return gate === 'reverse' ? 2 * c : Math.max(0, c);
}
