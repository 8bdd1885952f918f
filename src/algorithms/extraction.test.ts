// Tests the options of extraction against numbers worked out by hand or against the equivalent loss, and controls made from a
// basis. (The default extraction is tested in projection.test.ts and cli/parity/oracle-checks.test.ts.)
import { describe, expect, it } from 'vitest';
import { Engine } from '../engine/decoder/engine.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../engine/testing/models.ts';
import type { AdapterLayout } from '../engine/types.ts';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { CounterRng } from '../rng/counter-rng.ts';
import { STREAMS } from '../rng/threefry.ts';
import { layRows } from './basis.ts';
import { flipBasis, orthonormalRows, permuteLabels, randomBasis } from './controls.ts';
import {
  byLength,
  extractBasis,
  type PairGradients,
  type PairTokens,
  pairGradients,
  type RawBasis,
} from './extraction.ts';
import { sequenceLoss } from './grpo-loss.ts';
import { heldOutAgreement } from './held-out.ts';
import { matchRandom } from './matched-width.ts';
import { rowSvd } from './small-svd.ts';
import { minus, plus } from './vectors.ts';

const LAYOUT: AdapterLayout = {
  total: 5,
  modules: [
    { name: 'a', offset: 0, r: 3, dOut: 3, dIn: 3 },
    { name: 'b', offset: 3, r: 2, dOut: 2, dIn: 2 },
  ],
};
const f32 = (...values: number[]) => Float32Array.from(values);
const zeros = () => new Float32Array(5);
const close = (values: ArrayLike<number>, digits = 6) => Array.from(values, (x) => expect.closeTo(x, digits));
const rowsOf = (basis: RawBasis, module: string) => Array.from(basis.get(module)!.V);

function randomGradients(n: number, seed: number): PairGradients {
  const rng = CounterRng.of(seed, STREAMS.test);
  const vectors = () => Array.from({ length: n }, () => Float32Array.from({ length: 5 }, () => rng.normal()));
  return { hack: vectors(), clean: vectors() };
}

describe('mean difference', () => {
  const gradients: PairGradients = { hack: [f32(3, 0, 0, 0, 0), f32(3, 8, 0, 0, 0)], clean: [zeros(), zeros()] };

  it('is one axis: the normalised mean of D, with S its norm', () => {
    const basis = extractBasis(gradients, LAYOUT, { k: 2, tauAxis: 0, basisKind: 'mean_diff' });
    expect(basis.get('a')).toMatchObject({ k: 1, r: 3 });
    expect(rowsOf(basis, 'a')).toEqual(close([0.6, 0.8, 0]));
    expect(Array.from(basis.get('a')!.S)).toEqual(close([5]));
    expect(basis.get('b')).toEqual({ k: 1, r: 2, V: f32(0, 0), S: f32(0) });
    expect(extractBasis(gradients, LAYOUT, { k: 2, tauAxis: 0 }).get('a')!.k).toBe(2);
  });

  it('points from clean to hack even if most pairs project the other way', () => {
    const uneven = {
      hack: [f32(-1, 0, 0, 0, 0), f32(-1, 0, 0, 0, 0), f32(9, 0, 0, 0, 0)],
      clean: [zeros(), zeros(), zeros()],
    };
    expect(rowsOf(extractBasis(uneven, LAYOUT, { k: 1, tauAxis: 0, basisKind: 'mean_diff' }), 'a')[0]).toBe(1);
    expect(rowsOf(extractBasis(uneven, LAYOUT, { k: 1, tauAxis: 0 }), 'a')[0]).toBe(-1);
  });
});

describe('solve-orthogonalised', () => {
  // The clean gradients lie along e0 (strongly) and e1; D = (1, 1, 1) and (2, 1, 2).
  const clean = [f32(10, 0, 0, 0, 0), f32(0, 1, 0, 0, 0)];
  const gradients: PairGradients = { hack: [f32(11, 1, 1, 0, 0), f32(2, 2, 2, 0, 0)], clean };
  const axes = (solveOrth: number) => extractBasis(gradients, LAYOUT, { k: 1, tauAxis: 0, solveOrth });

  it('strips the top-m clean axes from D first', () => {
    const stripped = axes(1);
    expect(rowsOf(stripped, 'a')[0]).toBeCloseTo(0, 12);
    // The other two coordinates remain: (1, 1) and (1, 2).
    const { S } = rowSvd(Float64Array.of(1, 1, 1, 2), 2, 2);
    expect(stripped.get('a')!.S[0]).toBeCloseTo(S[0], 6);
    expect(rowsOf(axes(2), 'a')).toEqual(close([0, 0, 1]));
    expect(axes(2).get('a')!.S[0]).toBeCloseTo(Math.sqrt(5), 6);
    expect(Math.abs(rowsOf(axes(0), 'a')[0])).toBeGreaterThan(0.4);
  });

  it('leaves no axis of rounding noise if everything was stripped', () => {
    const rng = CounterRng.of(3, STREAMS.test);
    const spread = [rng, rng].map(() => Float32Array.from({ length: 5 }, () => rng.normal()));
    const inside = { hack: [plus(spread[0], spread[1]), minus(spread[0], spread[1])], clean: spread };
    const basis = extractBasis(inside, LAYOUT, { k: 2, tauAxis: 0, solveOrth: 2 });
    for (const { S, V } of basis.values()) expect([...S, ...V].every((x) => x === 0)).toBe(true);
  });
});

describe('GRPO-contrastive', () => {
  const config = SMALL.qwen3;
  const pair = (seed: number, hack: number, clean: number): PairTokens => ({
    prompt: randomIds(config, seed, 5),
    hack: randomIds(config, seed + 100, hack),
    clean: randomIds(config, seed + 200, clean),
  });

  it('equals the gradient of Dr.GRPO on (hack, clean) with advantages +1 and −1', async () => {
    const engine = await Engine.create({ device: await createCpuDevice(), config, weights: randomWeights(config, 1) });
    const pairs = [pair(1, 4, 9), pair(2, 7, 3)];
    const gradients = byLength(await pairGradients(engine, pairs), pairs);
    for (const [i, { prompt, hack, clean }] of pairs.entries()) {
      const sequences = [hack, clean].map((completion) => ({ prompt, completion, segment: 0 }));
      const batch = await engine.score(sequences, 1);
      const coef = batch.logprobs.map((logprobs, j) => {
        const tokens = { logprobs, old: logprobs, advantage: j === 0 ? 1 : -1 };
        return sequenceLoss(tokens, { clipEps: 0.2, klBeta: 0, denominator: 1 }).coef;
      });
      const [expected] = await batch.backward(coef);
      batch.free();
      expect(relativeError(minus(gradients.hack[i], gradients.clean[i]), expected)).toBeLessThan(1e-5);
    }
    engine.free();
  });

  it('gives the same axes as the mean NLL for completions of equal length, and different ones otherwise', () => {
    const gradients = randomGradients(4, 5);
    const axes = (from: PairGradients) => extractBasis(from, LAYOUT, { k: 2, tauAxis: 0 });
    const same = axes(
      byLength(
        gradients,
        [1, 2, 3, 4].map((seed) => pair(seed, 6, 6)),
      ),
    );
    for (const { name } of LAYOUT.modules) expect(rowsOf(same, name)).toEqual(close(rowsOf(axes(gradients), name), 5));
    const [{ S: weighted }, { S: plain }] = [same.get('a')!, axes(gradients).get('a')!];
    expect(weighted[0]).toBeCloseTo(6 * plain[0], 4);
    const unequal = axes(
      byLength(
        gradients,
        [1, 2, 3, 4].map((seed) => pair(seed, 4 + seed, 12 - seed)),
      ),
    );
    expect(relativeError(rowsOf(unequal, 'a'), rowsOf(same, 'a'))).toBeGreaterThan(0.05);
  });
});

describe('held-out pairs', () => {
  it('are counted per module and axis if they project hack-ward', () => {
    const basis: RawBasis = new Map([
      ['a', { k: 2, r: 3, V: f32(1, 0, 0, 0, -1, 0), S: f32(2, 1) }],
      ['b', { k: 1, r: 2, V: f32(0, 0), S: f32(0) }],
    ]);
    const heldOut = {
      hack: [f32(3, 2, 0, 1, 0), f32(1, -2, 0, 1, 0), f32(-1, 0, 5, 1, 0)],
      clean: [f32(1, 1, 0, 0, 0), zeros(), zeros()],
    };
    // D = (2, 1, …), (1, −2, …), (−1, 0, …): on e0 two of three; on −e1 one (0 is not hack-ward).
    expect(heldOutAgreement(basis, heldOut, LAYOUT)).toEqual({ n: 3, hackward: { a: [2, 1], b: [null] } });
    expect(heldOutAgreement(basis, { hack: [], clean: [] }, LAYOUT)).toEqual({
      n: 0,
      hackward: { a: [0, 0], b: [null] },
    });
  });
});

describe('controls', () => {
  it('flipped labels: the same subspace with every axis reversed', () => {
    const gradients = randomGradients(5, 7);
    const swapped = { hack: gradients.clean, clean: gradients.hack };
    const settings = { k: 3, tauAxis: 0 };
    const flipped = flipBasis(extractBasis(gradients, LAYOUT, settings));
    const fromLabels = extractBasis(swapped, LAYOUT, settings);
    for (const { name } of LAYOUT.modules) {
      expect(rowsOf(flipped, name)).toEqual(rowsOf(fromLabels, name));
      expect(flipped.get(name)!.S).toEqual(fromLabels.get(name)!.S);
    }
  });

  it('depend on the step; step 0 is the draw without a step', () => {
    const like = layRows(LAYOUT, [[f32(1, 0, 0)], [f32(1, 0)]]);
    expect(randomBasis(like, LAYOUT, 41, 0)).toEqual(randomBasis(like, LAYOUT, 41));
    expect(randomBasis(like, LAYOUT, 41, 4).V).not.toEqual(randomBasis(like, LAYOUT, 41).V);
    expect(randomBasis(like, LAYOUT, 41, 4).V).not.toEqual(randomBasis(like, LAYOUT, 41, 8).V);
    const gradients = randomGradients(6, 1);
    const first = (step: number) => permuteLabels(gradients, 41, step).hack.map((v) => v[0]);
    expect(permuteLabels(gradients, 41)).toEqual(permuteLabels(gradients, 41, 0));
    expect(first(4)).not.toEqual(first(0));
  });
});

describe('random V matched', () => {
  const layout: AdapterLayout = {
    total: 24,
    modules: [
      { name: 'a', offset: 0, r: 16, dOut: 16, dIn: 16 },
      { name: 'b', offset: 16, r: 8, dOut: 8, dIn: 8 },
    ],
  };
  const rng = CounterRng.of(11, STREAMS.test);
  const steps = Array.from({ length: 7 }, () => Float32Array.from({ length: 24 }, () => rng.normal()));
  /** Module b has no basis. */
  const like = layRows(layout, [[orthonormalRows(CounterRng.of(1, STREAMS.test), 1, 16)[0]], []]);
  const width = (target: number, gate: 'one_sided' | 'no_gate' = 'one_sided', overshoot = 1) =>
    matchRandom({ like, layout, steps, gate, overshoot, seed: 41, target });
  /** Σ_t overshoot · sqrt(Σ_i use(⟨v_i, Δ_t⟩)²), by the definition. */
  const removedBy = (k: number, gate: 'one_sided' | 'no_gate' = 'one_sided') => {
    const rows = orthonormalRows(CounterRng.of(41, STREAMS.randomV, 0), k, 16);
    return steps.reduce((sum, step) => {
      const c = rows.map((row) => row.reduce((dot, x, j) => dot + x * step[j], 0));
      return sum + Math.hypot(...c.map((x) => (gate === 'no_gate' ? x : Math.max(0, x))));
    }, 0);
  };

  it('takes the smallest k of random V’s rows that removes as much', () => {
    for (const gate of ['one_sided', 'no_gate'] as const) {
      const target = (removedBy(4, gate) + removedBy(5, gate)) / 2;
      const { basis, width: found } = width(target, gate);
      expect(found).toMatchObject({ k: 5, target, limit: null });
      expect(found.removed).toBeCloseTo(removedBy(5, gate), 9);
      expect(basis.modules.map(({ k }) => k)).toEqual([5, 0]);
      const five = layRows(layout, [orthonormalRows(CounterRng.of(1, STREAMS.test), 5, 16), []]);
      expect(basis.V).toEqual(randomBasis(five, layout, 41).V);
    }
  });

  it('includes the overshoot, and reports if r is too small', () => {
    expect(width(2 * removedBy(5) - 1e-9, 'one_sided', 2).width.k).toBe(5);
    const { basis, width: found } = width(1e9);
    expect(found).toMatchObject({ k: 16, limit: 'r' });
    expect(found.removed).toBeCloseTo(removedBy(16), 9);
    expect(basis.modules.map(({ k }) => k)).toEqual([16, 0]);
    expect(width(0).width.k).toBe(0);
  });
});

describe('svd of very wide rows (LoRA)', () => {
  it('has orthonormal directions that hold the whole norm, also of rank-deficient rows', () => {
    const rng = CounterRng.of(13, STREAMS.test);
    const [n, r] = [6, 5000];
    const D = Float64Array.from({ length: n * r }, () => rng.normal());
    for (let j = 0; j < r; j++) D[5 * r + j] = D[j] + 2 * D[r + j]; // in the span of the first two
    const { S, Vh } = rowSvd(D, n, r);
    // The eigenvalues of D Dᵀ are S².
    const gram = (a: Float64Array, i: number, b: Float64Array, k: number) => {
      let dot = 0;
      for (let j = 0; j < r; j++) dot += a[i * r + j] * b[k * r + j];
      return dot;
    };
    expect(S[5]).toBe(0);
    for (let i = 0; i < 5; i++) {
      for (let k = 0; k < 5; k++) expect(gram(Vh, i, Vh, k)).toBeCloseTo(i === k ? 1 : 0, 11);
      let image = 0;
      for (let row = 0; row < n; row++) image += gram(D, row, Vh, i) ** 2;
      expect(Math.sqrt(image) / S[i]).toBeCloseTo(1, 11);
    }
    let rest = D.reduce((sum, x) => sum + x * x, 0);
    for (const s of S) rest -= s * s;
    expect(Math.abs(rest) / (n * r)).toBeLessThan(1e-11);
  });
});
