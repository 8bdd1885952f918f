// Tests output directions of known updates: cosines of given subspaces, the decomposition against an explicit ΔW, and sets of columns.
import { describe, expect, it } from 'vitest';
import { adapterLayout, layOutAdapter, loraParts } from '../engine/adapter-layout.ts';
import { frozenBlocks } from '../engine/adapters/frozen-blocks.ts';
import { SMALL } from '../engine/testing/models.ts';
import { CounterRng, keyFor } from '../rng/index.ts';
import { rowSvd } from './small-svd.ts';
import { canonicalCorrelations, directionsKept, type OutputDirections, outputDirections } from './update-directions.ts';

const random = (seed: number) => new CounterRng(keyFor(seed, 1, 0));
const rows = (...vectors: number[][]) => Float64Array.from(vectors.flat());
const linear = { name: 'model.layers.0.self_attn.q_proj', dOut: 12, dIn: 10 };

describe('canonical correlations', () => {
  const xy = rows([1, 0, 0, 0], [0, 1, 0, 0]);

  it('are 1 for the same span with any axes', () => {
    const turned = rows([0.6, 0.8, 0, 0], [-0.8, 0.6, 0, 0]);
    for (const cosine of canonicalCorrelations(xy, turned, [2, 2])) expect(cosine).toBeCloseTo(1, 12);
  });

  it('are 0 for orthogonal spans', () => {
    expect(canonicalCorrelations(xy, rows([0, 0, 1, 0], [0, 0, 0, 1]), [2, 2])).toEqual([0, 0]);
  });

  it('are the cosines of the angles between them, largest first', () => {
    const [a, b] = [Math.PI / 3, Math.PI / 6];
    const tilted = rows([Math.cos(a), 0, Math.sin(a), 0], [0, Math.cos(b), 0, Math.sin(b)]);
    const found = canonicalCorrelations(xy, tilted, [2, 2]);
    expect(found[0]).toBeCloseTo(Math.cos(b), 12);
    expect(found[1]).toBeCloseTo(Math.cos(a), 12);
  });

  it('number the dimension of the smaller span', () => {
    expect(canonicalCorrelations(xy, rows([0, 1, 0, 0]), [2, 1])).toEqual([1]);
  });
});

describe('the adapter of singular directions', () => {
  const layout = layOutAdapter([linear, { ...linear, name: 'model.layers.0.self_attn.k_proj' }]);
  const { r } = layout.modules[0];
  const params = (...large: number[][]) => {
    const values = new Float32Array(layout.total).fill(0.01);
    large.forEach((columns, m) => {
      for (const j of columns) values[m * r + j] = j % 2 === 0 ? 1 : -1;
    });
    return outputDirections(layout, values)!;
  };

  it('compares the columns with the largest |δ|, at most half of them', () => {
    expect(params([9, 1, 4, 6, 3], [0, 1, 2, 3, 4])[0]).toEqual({ columns: [1, 3, 4, 6, 9] });
  });

  it('gives the common share, averaged over modules', () => {
    const before = params([0, 1, 2, 3, 4], [0, 1, 2, 3, 4]);
    expect(directionsKept(before, before)).toBe(1);
    expect(directionsKept(before, params([0, 1, 2, 3, 9], [5, 6, 7, 8, 9]))).toBeCloseTo((0.8 + 0) / 2);
  });

  it('leaves out a module that has not moved, and is null if none has', () => {
    const still = outputDirections(layout, new Float32Array(layout.total))!;
    expect(directionsKept(still, params([0, 1, 2, 3, 4]))).toBeNull();
    const half = new Float32Array(layout.total);
    half.fill(1, 0, r);
    expect(directionsKept(outputDirections(layout, half)!, outputDirections(layout, half)!)).toBe(1);
  });
});

/** Left singular vectors of an explicit ΔW [dOut, dIn], the first n. */
function leftOf(dW: Float64Array, [dOut, dIn]: readonly [number, number], n: number): Float64Array {
  const transposed = new Float64Array(dW.length);
  for (let o = 0; o < dOut; o++) for (let i = 0; i < dIn; i++) transposed[i * dOut + o] = dW[o * dIn + i];
  return rowSvd(transposed, dIn, dOut).Vh.slice(0, n * dOut);
}

describe.each(['lora', 'blocks'] as const)('%s', (adapter) => {
  const layout = layOutAdapter([linear], { adapter, loraRank: 4 });
  const [module] = layout.modules;
  const { rank, a, b } = loraParts(module);
  const made = (seed: number) => {
    const rng = random(seed);
    return Float32Array.from({ length: layout.total }, () => rng.normal());
  };
  const frozen = adapter === 'blocks' ? frozenBlocks(layout) : new Float32Array(layout.total);
  const explicit = (params: Float32Array) => {
    const dW = new Float64Array(12 * 10);
    for (let o = 0; o < 12; o++)
      for (let i = 0; i < 10; i++)
        for (let q = 0; q < rank; q++) {
          const [inA, inB] = [a[0] + q * 10 + i, b[0] + o * rank + q];
          dW[o * 10 + i] += (frozen[inB] + params[inB]) * (frozen[inA] + params[inA]) - frozen[inB] * frozen[inA];
        }
    return dW;
  };

  it('finds the dominant left singular vectors of the folded ΔW', () => {
    const params = made(3);
    const [found] = outputDirections(layout, params) as { rows: Float64Array; n: number }[];
    expect(found.n).toBe(adapter === 'lora' ? 2 : 5);
    const wanted = leftOf(explicit(params), [12, 10], found.n);
    for (const cosine of canonicalCorrelations(found.rows, wanted, [found.n, found.n]))
      expect(cosine).toBeCloseTo(1, 8);
  });

  it('is 1 against itself, lower against another update, and null at the start', () => {
    const [one, other] = [made(3), made(4)].map((params) => outputDirections(layout, params) as OutputDirections[]);
    expect(directionsKept(one, one)).toBeCloseTo(1, 12);
    const between = directionsKept(one, other)!;
    expect(between).toBeGreaterThan(0.05);
    expect(between).toBeLessThan(0.95);
    const start = new Float32Array(layout.total);
    if (adapter === 'lora') start.set(made(3).subarray(...a), a[0]);
    expect(directionsKept(outputDirections(layout, start)!, one)).toBeNull();
  });
});

it('is null if all weights are trained', () => {
  const layout = adapterLayout(SMALL.qwen3, { adapter: 'full', loraRank: 0 });
  expect(outputDirections(layout, new Float32Array(layout.total))).toBeNull();
});
