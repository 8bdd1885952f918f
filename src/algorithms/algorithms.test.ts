// Tests the small rules of the method against values worked out by hand.
import { describe, expect, it } from 'vitest';
import { CounterRng } from '../rng/counter-rng.ts';
import { STREAMS } from '../rng/threefry.ts';
import { adamStep, clipScale, jointNorm, zeroMoments } from './adamw.ts';
import { groupAdvantages, stepAdvantages } from './advantages.ts';
import { denominator, sequenceLoss } from './grpo-loss.ts';
import { type LrSchedule, learningRate, warmupSteps } from './schedule.ts';
import { rowSvd } from './small-svd.ts';
import { minus, plus } from './vectors.ts';

describe('advantages', () => {
  it('are rewards minus their mean', () => {
    expect(groupAdvantages([1, 0, 0.25, 1.25], 'none')).toEqual({
      advantages: [0.375, -0.625, -0.375, 0.625],
      skipped: false,
    });
  });

  it('are divided by the group’s sample deviation when scaled', () => {
    const { advantages } = groupAdvantages([0, 2], 'group');
    expect(advantages[1]).toBeCloseTo(1 / (Math.SQRT2 + 1e-4), 14);
    expect(advantages[0]).toBe(-advantages[1]);
  });

  it('skip a group without spread', () => {
    expect(groupAdvantages([0.25, 0.25 + 9e-7], 'none')).toEqual({ advantages: [0, 0], skipped: true });
    expect(groupAdvantages([0.25, 0.25 + 2e-6], 'none').skipped).toBe(false);
  });

  it('skip a group of one or no rollouts', () => {
    expect(groupAdvantages([1.25], 'group')).toEqual({ advantages: [0], skipped: true });
    expect(groupAdvantages([], 'none')).toEqual({ advantages: [], skipped: true });
  });

  it('with `batch` are divided by the sample deviation of the whole step, including skipped groups’ rewards', () => {
    // 0 2 1 1 0 4: mean 4/3, squares 34/3, sd √(34/15)
    const step = stepAdvantages(
      [
        [0, 2],
        [1, 1],
        [0, 4],
      ],
      'batch',
    );
    const sd = Math.sqrt(34 / 15) + 1e-4;
    expect(step.map(({ skipped }) => skipped)).toEqual([false, true, false]);
    expect(step[0].advantages[1]).toBeCloseTo(1 / sd, 14);
    expect(step[1].advantages).toEqual([0, 0]);
    expect(step[2].advantages[0]).toBeCloseTo(-2 / sd, 14);
    // The groups scaled separately give different advantages.
    expect(
      stepAdvantages(
        [
          [0, 2],
          [0, 4],
        ],
        'group',
      ).map(({ advantages }) => advantages[1]),
    ).toEqual([groupAdvantages([0, 2], 'group').advantages[1], groupAdvantages([0, 4], 'group').advantages[1]]);
  });
});

describe('loss', () => {
  const settings = { clipEps: 0.2, klBeta: 0, denominator: 1 };
  const at = (ratio: number, advantage: number) =>
    sequenceLoss({ logprobs: Float32Array.of(Math.log(ratio)), old: Float32Array.of(0), advantage }, settings);

  it('on policy: value −A, slope −A, for any log-probability', () => {
    const logprobs = Float32Array.of(-3, -0.5);
    const result = sequenceLoss({ logprobs, old: logprobs, advantage: 0.75 }, { ...settings, denominator: 3 });
    expect(result.loss).toBeCloseTo(-0.5, 14);
    expect(Array.from(result.coef)).toEqual([-0.25, -0.25]);
  });

  it.each([
    // ratio, advantage, value, slope (−ρA, or 0 if the clipped branch is the smaller)
    [1.1, 2, -2.2, -2.2],
    [1.5, 2, -2.4, 0],
    [0.5, 2, -1, -1],
    [1.5, -2, 3, 3],
    [0.5, -2, 1.6, 0],
    [0.9, -2, 1.8, 1.8],
  ])('ratio %f, advantage %f', (ratio, advantage, value, slope) => {
    const { loss, coef } = at(ratio, advantage);
    expect(loss).toBeCloseTo(value, 5);
    expect(coef[0]).toBeCloseTo(slope, 5);
  });

  it('adds K3: e^d − d − 1 with d = ref − logπ, slope β(1 − e^d)', () => {
    const d = Math.log(2);
    const tokens = {
      logprobs: Float32Array.of(0),
      old: Float32Array.of(0),
      reference: Float32Array.of(d),
      advantage: 1,
    };
    const { loss, kl, coef } = sequenceLoss(tokens, { clipEps: 0.2, klBeta: 0.5, denominator: 4 });
    expect(kl).toBeCloseTo(1 - d, 6);
    expect(loss).toBeCloseTo((-1 + 0.5 * (1 - d)) / 4, 6);
    expect(coef[0]).toBeCloseTo((-1 + 0.5 * (1 - 2)) / 4, 6);
  });

  it('slopes agree with finite differences of the value', () => {
    const rng = CounterRng.of(3, STREAMS.test);
    const full = { clipEps: 0.2, klBeta: 0.3, denominator: 7 };
    for (let trial = 0; trial < 50; trial++) {
      const old = Float32Array.of(-rng.uniform());
      const reference = Float32Array.of(-rng.uniform());
      const advantage = rng.normal();
      const value = (x: number) => sequenceLoss({ logprobs: Float32Array.of(x), old, reference, advantage }, full);
      const x = Math.fround(old[0] + 0.6 * (rng.uniform() - 0.5));
      const ratio = Math.exp(x - old[0]);
      if (Math.abs(ratio - 1.2) < 0.02 || Math.abs(ratio - 0.8) < 0.02) continue; // the kinks
      const [high, low] = [Math.fround(x + 2 ** -8), Math.fround(x - 2 ** -8)];
      expect(value(x).coef[0]).toBeCloseTo((value(high).loss - value(low).loss) / (high - low), 4);
    }
  });

  it('has Dr.GRPO’s constant denominator', () => {
    expect(denominator(8, 72, 4)).toBe(2304);
  });
});

describe('schedule', () => {
  it('warms up from 0, peaks, and ends near 0 on a cosine', () => {
    const rate = (step: number) => learningRate(step, 10, 2, 0.2);
    expect(warmupSteps(10, 0.2)).toBe(2);
    expect([rate(0), rate(1), rate(2)]).toEqual([0, 1, 2]);
    expect(rate(6)).toBeCloseTo(1, 14); // halfway down: (6−2)/8
    expect(rate(9)).toBeCloseTo(1 + Math.cos((Math.PI * 7) / 8), 14);
    expect(rate(10)).toBeCloseTo(0, 14);
  });

  it('starts at the peak without warm-up; rounding does not lose a warm-up step', () => {
    expect(warmupSteps(3, 0.1)).toBe(0);
    expect(learningRate(0, 3, 0.03, 0.1)).toBe(0.03);
    expect(warmupSteps(100, 0.29)).toBe(29);
  });

  it('can be linear or constant; the default is cosine', () => {
    const rates = (schedule?: LrSchedule) =>
      [0, 1, 2, 6, 9, 10].map((step) => learningRate(step, 10, 2, 0.2, schedule));
    expect(rates('linear')).toEqual([0, 1, 2, 1, 0.25, 0]);
    expect(rates('constant')).toEqual([0, 1, 2, 2, 2, 2]);
    expect(rates()).toEqual(rates('cosine'));
  });
});

describe('adamw', () => {
  it('first two steps by hand', () => {
    const moments = zeroMoments(1);
    const adam = { beta1: 0.5, beta2: 0.9, adamEps: 0 };
    // Step 1: m̂ = g, v̂ = g², so Δ = lr · sign(g).
    expect(adamStep(moments, Float32Array.of(4), 1, 0.1, adam)[0]).toBeCloseTo(0.1, 7);
    // Step 2, g = −2 after scaling −4 by ½: m = .5·2 − .5·2 = 0.
    expect(adamStep(moments, Float32Array.of(-4), 0.5, 0.1, adam)[0]).toBeCloseTo(0, 7);
    expect(moments.v[0]).toBeCloseTo(0.9 * 1.6 + 0.1 * 4, 6);
    expect(moments.t).toBe(2);
  });

  it('one norm clip over several vectors', () => {
    expect(jointNorm([Float32Array.of(3), Float32Array.of(0, 4)])).toBe(5);
    expect(clipScale(5, 10)).toBe(1);
    expect(clipScale(20, 10)).toBe(0.5);
    expect(clipScale(0, 10)).toBe(1);
  });
});

describe('small svd', () => {
  it('of a matrix with known values', () => {
    // diag(3, 4) in a rotated basis: rows 3(0.6, 0.8, 0) and 4(−0.8, 0.6, 0).
    const { S, Vh } = rowSvd(Float64Array.of(1.8, 2.4, 0, -3.2, 2.4, 0), 2, 3);
    expect(Array.from(S)).toEqual([4, 3].map((x) => expect.closeTo(x, 13)));
    expect(Math.abs(Vh[0] * -0.8 + Vh[1] * 0.6)).toBeCloseTo(1, 13);
    expect(Math.abs(Vh[3] * 0.6 + Vh[4] * 0.8)).toBeCloseTo(1, 13);
  });

  it.each([
    [24, 64],
    [6, 4],
    [5, 5],
  ])('%i × %i: orthonormal, descending, and D Vhᵀ Vh = D', (n, r) => {
    const rng = CounterRng.of(5, STREAMS.test, n, r);
    const D = Float64Array.from({ length: n * r }, () => rng.normal());
    const { S, Vh } = rowSvd(D, n, r);
    const rank = Math.min(n, r);
    const dot = (a: Float64Array, i: number, b: Float64Array, j: number) => {
      let total = 0;
      for (let c = 0; c < r; c++) total += a[i * r + c] * b[j * r + c];
      return total;
    };
    for (let i = 0; i < rank; i++) {
      if (i > 0) expect(S[i]).toBeLessThanOrEqual(S[i - 1]);
      for (let j = 0; j < rank; j++) expect(dot(Vh, i, Vh, j)).toBeCloseTo(i === j ? 1 : 0, 12);
      // ‖D v_i‖ = S_i
      let image = 0;
      for (let row = 0; row < n; row++) image += dot(D, row, Vh, i) ** 2;
      expect(Math.sqrt(image)).toBeCloseTo(S[i], 10);
    }
    // All of D's norm is in these directions.
    let rest = D.reduce((sum, x) => sum + x * x, 0);
    for (let i = 0; i < rank; i++) rest -= S[i] ** 2;
    expect(Math.abs(rest)).toBeLessThan(1e-9);
  });

  it('gives zero rows beyond the rank', () => {
    const { S, Vh } = rowSvd(Float64Array.of(1, 2, 2, 2, 4, 4), 2, 3);
    expect(S[0]).toBeCloseTo(Math.sqrt(45), 12);
    expect(S[1]).toBe(0);
    expect(Array.from(Vh.subarray(3))).toEqual([0, 0, 0]);
    expect(Array.from(rowSvd(new Float64Array(4), 2, 2).S)).toEqual([0, 0]);
  });
});

describe('vectors', () => {
  it('refuse unequal lengths', () => {
    expect(() => plus(new Float32Array(2), new Float32Array(3))).toThrow(/2 and 3/);
    expect(Array.from(minus(Float32Array.of(3), Float32Array.of(1)))).toEqual([2]);
  });
});
