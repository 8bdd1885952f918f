// random_V_matched (METHOD "Negative controls"): random directions, widened until they remove as much over a whole run as the
// real basis did. If V then still does better, it is not because more was taken away.
import type { AdapterLayout } from '../engine/types.ts';
import { CounterRng } from '../rng/counter-rng.ts';
import { STREAMS } from '../rng/threefry.ts';
import { type HackBasis, layRows } from './basis.ts';
import { orthonormalStream } from './controls.ts';
import type { Gate } from './projection.ts';
import { dot } from './vectors.ts';

export interface MatchedWidth {
  /** Rows per module (r where a module has fewer). */
  k: number;
  /** Σ over the steps of ‖removed‖ by the real V, and by these k random rows. */
  target: number;
  removed: number;
  /** Why `removed` stays below `target`, if it does: every module has all of its r rows, or more rows would take too much memory. */
  limit: 'r' | 'memory' | null;
}

interface MatchRequest {
  /** The random basis leaves alone the modules that this one leaves alone. */
  like: HackBasis;
  layout: AdapterLayout;
  /** The run's optimizer steps, in order. */
  steps: readonly Float32Array[];
  gate: Gate;
  overshoot: number;
  seed: number;
  /** The real basis's Σ‖removed‖ over the same steps. */
  target: number;
}

/** 256 MiB of rows (held once in f32, once in f64 while they are made orthogonal: three times that). */
const MAX_ELEMENTS = 2 ** 26;

/** The smallest k that reaches the target. The rows are those of `randomBasis`: at the real basis's k it is random_V itself. */
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
