// Tests known values of reference kernels and properties that the contract promises.
import { beforeAll, describe, expect, it } from 'vitest';
import { uniformAt } from '../../rng/index.ts';
import { put, readFloats, readUints } from '../device.ts';
import { ops } from '../ops.ts';
import { type CpuDevice, createCpuDevice } from './device.ts';

describe.each([
  ['f64', { precision: 'f64' } as const],
  ['f32, plain', { simd: false } as const],
  ['f32, SIMD', {} as const],
])('on %s', (_, options) => {
  let device: CpuDevice;
  beforeAll(async () => {
    device = await createCpuDevice(options);
  });
  const floats = (values: number[]) => put(device, Float64Array.from(values), 'floats');
  const ints = (values: number[]) => put(device, Uint32Array.from(values), 'ints');
  const closeTo = async (buffer: Parameters<typeof readFloats>[1], expected: number[]) => {
    const got = await readFloats(device, buffer);
    for (const [i, value] of expected.entries()) expect(got[i]).toBeCloseTo(value, Math.abs(value) > 100 ? 3 : 5);
  };

  it('matmul in its four orientations, with beta and offsets', async () => {
    // A = [[1,2,3],[4,5,6]], B = [[1,2],[3,4],[5,6]], AB = [[22,28],[49,64]].
    const [a, at] = [floats([9, 1, 2, 3, 4, 5, 6]), floats([1, 4, 2, 5, 3, 6])];
    const [b, bt] = [floats([1, 2, 3, 4, 5, 6]), floats([9, 9, 1, 3, 5, 2, 4, 6])];
    const shape = { m: 2, n: 2, k: 3 };
    for (const beta of [0, 1]) {
      const expected = [7, ...[22, 28, 49, 64].map((x) => x + beta * 100)];
      const fresh = () => floats([7, 100, 100, 100, 100]);
      const cs = [fresh(), fresh(), fresh(), fresh()];
      ops.matmul(device, { a, b, c: cs[0], ...shape, aOff: 1, cOff: 1, beta });
      ops.matmul(device, { a: at, b, c: cs[1], ...shape, ta: 1, cOff: 1, beta });
      ops.matmul(device, { a, b: bt, c: cs[2], ...shape, aOff: 1, bOff: 2, tb: 1, cOff: 1, beta });
      ops.matmul(device, { a: at, b: bt, c: cs[3], ...shape, ta: 1, bOff: 2, tb: 1, cOff: 1, beta });
      for (const c of cs) expect([...(await device.read(c))]).toEqual(expected);
    }
  });

  it('rmsnorm, rope and swiglu by hand', async () => {
    const [y, rstd] = [floats([0, 0]), floats([0])];
    ops.rmsnorm(device, { x: floats([3, 4]), w: floats([1, 2]), y, rstd, rows: 1, dim: 2, eps: 0.5 });
    await closeTo(rstd, [1 / Math.sqrt(13)]); // mean square 12.5
    await closeTo(y, [3 / Math.sqrt(13), 8 / Math.sqrt(13)]);
    const x = floats([1, 0, 0, 2]); // pairs (1, 0) and (0, 2), rotated by 90° and 180°
    const [cos, sin] = [floats([1, 1, 0, -1]), floats([0, 0, 1, 0])];
    ops.rope(device, { x, cos, sin, pos: ints([0]), rows: 1, heads: 1, headDim: 4, shift: 1 });
    await closeTo(x, [0, 0, 1, -2]);
    const out = floats([0, 0]);
    ops.swiglu(device, { gate: floats([0, 1]), up: floats([5, 3]), out, n: 2 });
    await closeTo(out, [0, 3 / (1 + Math.exp(-1))]);
  });

  it('attention over two ranges: equal scores average the values, and grow adds one row', async () => {
    const [q, k, v] = [
      floats([0, 0, 0, 0]),
      floats(new Array(20).fill(1)),
      floats(Array.from({ length: 20 }, (_, i) => i)),
    ];
    const [o, stats] = [floats([0, 0, 0, 0]), floats([0, 0])];
    const shape = { rows: 1, heads: 1, kvHeads: 1, headDim: 4 };
    ops.attention(device, { q, k, v, ranges: ints([0, 1, 3, 4]), o, stats, ...shape });
    await closeTo(o, [6, 7, 8, 9]); // rows 0 and 3
    await closeTo(stats, [Math.log(2)]);
    ops.attention(device, { q, k, v, ranges: ints([0, 1, 3, 4]), o, stats, ...shape, grow: 1 });
    await closeTo(o, [28 / 3, 31 / 3, 34 / 3, 37 / 3]); // rows 0, 3 and 4
    ops.attention(device, { q, k, v, ranges: ints([2, 2, 2, 2]), o, stats, ...shape, grow: 1 });
    await closeTo(o, [8, 9, 10, 11]); // the first range empty
  });

  it('logprob: log-probability, log-sum-exp, entropy; huge and -∞ logits', async () => {
    const stats = floats(new Array(9).fill(0));
    const logits = floats([0, 0, 0, 0, 1000, 1000, -1e30, 0, -Infinity, 5, -Infinity, -Infinity]);
    ops.logprob(device, { logits, targets: ints([2, 0, 1]), stats, rows: 3, vocab: 4 });
    const ln = Math.log;
    await closeTo(stats, [-ln(4), ln(4), ln(4), -ln(2), 1000 + ln(2), ln(2), 0, 5, 0]);
  });

  it('logprob_entropy_grad by hand: the entropy of a uniform row is stationary; tokens of probability 0 contribute nothing', async () => {
    const ln = Math.log;
    const logits = floats([0, 0, 0, 0, 0, ln(3), -Infinity, -Infinity]);
    const stats = floats(new Array(6).fill(0));
    const [targets, coef, slope] = [ints([2, 0]), floats([1, 0]), floats([5, 2])];
    const shape = { rows: 2, vocab: 4 };
    ops.logprob(device, { logits, targets, stats, ...shape });
    ops.logprobEntropyGrad(device, { logits, targets, stats, coef, slope, ...shape });
    // Row 1: p = (1/4, 3/4), −p (log p + H) = ± 3/16 ln 3, times the slope 2.
    await closeTo(logits, [-0.25, -0.25, 0.75, -0.25, (3 / 8) * ln(3), (-3 / 8) * ln(3), 0, 0]);
  });

  it('reverse_kl and its gradient by hand, with a row offset; tokens of student probability 0 contribute nothing', async () => {
    const ln = Math.log;
    const logits = floats([2, 0, 0, 1, 5, 1, 0, 0, -Infinity, 0, ln(3), -Infinity]);
    const teacher = floats([3, 1, 1, 2, 5, 1, 0, 0, 0, 0, ln(3), ln(4)]);
    const [stats, teacherStats] = [floats(new Array(12).fill(9)), floats(new Array(12).fill(9))];
    const kl = floats([7, 7, 7, 7]);
    const shape = { rows: 3, vocab: 4, rowOff: 1 };
    const targets = ints([0, 0, 0, 1]);
    ops.logprob(device, { logits, targets, stats, ...shape });
    ops.logprob(device, { logits: teacher, targets, stats: teacherStats, ...shape });
    ops.reverseKl(device, { logits, teacher, stats, teacherStats, kl, ...shape });
    // Row 3: p = (0, 1/4, 3/4, 0), q = (1/9, 1/9, 3/9, 4/9), so p/q is 9/4 wherever p > 0.
    await closeTo(kl, [7, 0, 0, ln(9 / 4)]);
    const coef = floats([5, 1, 2, 4]);
    ops.reverseKlGrad(device, { logits, teacher, stats, teacherStats, kl, coef, ...shape });
    await closeTo(logits, new Array(12).fill(0)); // stationary: p/q is constant wherever p > 0
    const [l, t] = [floats([0, 0]), floats([ln(1), ln(3)])];
    const two = { rows: 1, vocab: 2 };
    const [s, ts, k] = [floats([0, 0, 0]), floats([0, 0, 0]), floats([0])];
    ops.logprob(device, { logits: l, targets: ints([0]), stats: s, ...two });
    ops.logprob(device, { logits: t, targets: ints([0]), stats: ts, ...two });
    ops.reverseKl(device, { logits: l, teacher: t, stats: s, teacherStats: ts, kl: k, ...two });
    await closeTo(k, [ln(2 / Math.sqrt(3))]); // ½ ln 2 + ½ ln ⅔
    const c = floats([2]);
    ops.reverseKlGrad(device, { logits: l, teacher: t, stats: s, teacherStats: ts, kl: k, coef: c, ...two });
    await closeTo(l, [ln(3) / 2, -ln(3) / 2]); // 2 · ½ · (ln 2 − KL)
  });

  it('reverse_kl keeps a small divergence in spite of rounded log-sum-exps', async () => {
    const vocab = 64;
    const logits = Float64Array.from({ length: vocab }, (_, v) => 30 + Math.sin(v));
    const teacher = logits.map((x, v) => x + 2 ** -10 * Math.cos(3 * v));
    const round = (x: Float64Array) => Float64Array.from(Float32Array.from(x));
    const [a, b] = [round(logits), round(teacher)];
    const lse = (x: Float64Array) => Math.log(x.reduce((sum, l) => sum + Math.exp(l), 0));
    const [p, q] = [a.map((x) => Math.exp(x - lse(a))), b.map((x) => Math.exp(x - lse(b)))];
    const expected = p.reduce((sum, x, v) => sum + x * Math.log(x / q[v]), 0);
    // Each log-sum-exp is off by 1e-6, like a value near 34 in single precision.
    const [stats, teacherStats] = [floats([0, lse(a) + 1e-6, 0]), floats([0, lse(b) - 1e-6, 0])];
    const kl = floats([0]);
    const buffers = { logits: put(device, a, 'a'), teacher: put(device, b, 'b'), stats, teacherStats, kl };
    ops.reverseKl(device, { ...buffers, rows: 1, vocab });
    const [got] = await readFloats(device, kl);
    expect(expected).toBeGreaterThan(1e-7);
    expect(Math.abs(got - expected)).toBeLessThan(device.precision === 'f64' ? 1e-11 : 1e-7);
  });

  it('sample: greedy takes the lowest of equal ids, finished rows get pads, end tokens finish a row', async () => {
    const maxNew = 2;
    const args = () => ({
      logits: floats([1, 5, 5, 0, 0, 9, 0, 9, 2]),
      slots: ints([2, 0, 1]),
      keys: ints([1, 2, 3, 4, 5, 6]),
      done: ints([0, 1, 0]),
      tokens: ints(new Array(6).fill(77)),
      logps: floats(new Array(6).fill(77)),
      next: ints([0, 0, 0]),
      starts: ints([0, 0, 0]),
    });
    const settings = { rows: 3, vocab: 3, t: 1, maxNew, temperature: 0, endA: 9, endB: 1, padToken: 99 };
    const a = args();
    ops.sample(device, { ...a, ...settings });
    expect([...(await device.read(a.next))]).toEqual([1, 2, 99]);
    expect([...(await device.read(a.tokens))]).toEqual([77, 2, 77, 99, 77, 1]);
    expect([...(await device.read(a.done))]).toEqual([0, 1, 1]);
    await closeTo(a.logps, [77, -Math.log(1 + 2 * Math.exp(-9)), 77, 0, 77, -Math.log(2 + Math.exp(-4))]);
    const b = { ...args(), done: ints([1, 0, 1]) };
    ops.sample(device, { ...b, ...settings });
    expect([...(await device.read(b.next))]).toEqual([99, 99, 1]);
    expect([...(await device.read(b.done))]).toEqual([1, 1, 1]);
  });

  it('sample: rows at different positions draw and write as if each were alone', async () => {
    const maxNew = 4;
    const logits = floats(Array.from({ length: 3 * 50 }, (_, i) => Math.sin(i * i)));
    const blank = () => ({ tokens: ints(new Array(12).fill(77)), logps: floats(new Array(12).fill(77)) });
    const run = async (starts: number[], t: number) => {
      const buffers = { ...blank(), next: ints([0, 0, 0]) };
      ops.sample(device, {
        logits,
        slots: ints([0, 1, 2]),
        keys: ints([1, 2, 3, 4, 5, 6]),
        done: ints([0, 0, 0]),
        ...buffers,
        starts: ints(starts),
        rows: 3,
        vocab: 50,
        t,
        maxNew,
        temperature: 1,
        endA: 99,
        endB: 99,
        padToken: 0,
      });
      return [...(await device.read(buffers.tokens))];
    };
    const apart = await Promise.all([1, 2, 3].map((t) => run([0, 0, 0], t)));
    const expected = new Array(12).fill(77);
    [1, 3, 2].forEach((t, slot) => {
      expected[slot * maxNew + t] = apart[t - 1][slot * maxNew + t];
    });
    expect(await run([0, 2, 1], 1)).toEqual(expected);
    await expect(run([0, 3, 1], 1)).rejects.toThrow('step t = 4 of row 1 is past maxNew = 4');
  });

  it('sample at a temperature follows the named counter and the softmax', async () => {
    const [vocab, rows] = [5, 4000];
    const row = [0.5, -1, 2, 0, 1];
    const logits = floats(Array.from({ length: rows * vocab }, (_, i) => row[i % vocab]));
    const indices = Array.from({ length: rows }, (_, i) => i);
    const keys = indices.flatMap((i) => [i, 1000]);
    const temperature = 1.5;
    const next = ints(indices.map(() => 0));
    ops.sample(device, {
      logits,
      slots: ints(indices),
      keys: ints(keys),
      done: ints(indices.map(() => 0)),
      next,
      starts: ints(indices.map(() => 0)),
      tokens: ints(indices.map(() => 0)),
      logps: floats(indices.map(() => 0)),
      rows,
      vocab,
      t: 0,
      maxNew: 1,
      temperature,
      endA: 9,
      endB: 9,
      padToken: 0,
    });
    const drawn = await readUints(device, next);
    const weights = row.map((x) => Math.exp(x / temperature));
    const total = weights.reduce((sum, x) => sum + x);
    const counts = new Array(vocab).fill(0);
    for (const i of indices) {
      counts[drawn[i]]++;
      let rest = uniformAt([i, 1000], 0) * total;
      let token = 0;
      while (rest >= weights[token]) rest -= weights[token++];
      expect(drawn[i]).toBe(token);
    }
    // χ² with 4 degrees of freedom: 18.5 is the 0.999 quantile.
    const chi = counts.reduce(
      (sum, c, v) => sum + (c - (rows * weights[v]) / total) ** 2 / ((rows * weights[v]) / total),
      0,
    );
    expect(chi).toBeLessThan(18.5);
  });

  it('jacobi_round makes its pairs orthogonal and preserves the product of a and v', async () => {
    const a = floats([3, 1, 0, 2, 1, 1, 0, 0, 0]);
    const v = floats([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const off = floats([5, 5]);
    ops.jacobiRound(device, { a, v, pairs: ints([0, 1, 0, 2]), off, m: 3, nv: 3, count: 1, tol: 1e-7 });
    await closeTo(off, [7 / Math.sqrt(60), 5]);
    const [x, turn] = [await readFloats(device, a), await readFloats(device, v)];
    expect(x[0] * x[3] + x[1] * x[4] + x[2] * x[5]).toBeCloseTo(0, 5);
    for (let j = 0; j < 3; j++) expect(turn[0] * [3, 1, 0][j] + turn[1] * [2, 1, 1][j]).toBeCloseTo(x[j], 5);
    ops.jacobiRound(device, { a, v, pairs: ints([0, 1, 0, 2]), off, m: 3, nv: 3, count: 1, pairOff: 1, tol: 1e-7 });
    await closeTo(off, [7 / Math.sqrt(60), 0]); // a zero vector counts as orthogonal
  });

  it('project: the three gates, a module without axes, overshoot', async () => {
    const table = ints([0, 2, 0, 2, 0, 2, 2, 4, 0, 2]);
    for (const [gate, overshoot, removedExpected] of [
      [0, 1, [3, 0, 0, 0]],
      [1, 1, [3, -4, 0, 0]],
      [2, 1, [6, -8, 0, 0]],
      [0, 1.5, [4.5, 0, 0, 0]],
    ] as const) {
      const [kept, removed, coef] = [floats([9, 9, 9, 9]), floats([9, 9, 9, 9]), floats([9, 9])];
      const g = [3, -4, 5, 6];
      ops.project(device, {
        g: floats(g),
        v: floats([1, 0, 0, 1]),
        table,
        kept,
        removed,
        coef,
        modules: 2,
        gate,
        overshoot,
      });
      await closeTo(removed, [...removedExpected]);
      await closeTo(
        kept,
        g.map((x, i) => x - removedExpected[i]),
      );
      await closeTo(coef, [3, -4]);
    }
  });

  it('adamw: the first step is lr times the sign of the gradient, plus decay', async () => {
    const [p, m, v] = [floats([1, -1]), floats([0, 0]), floats([0, 0])];
    ops.adamw(device, {
      p,
      g: floats([4, -0.5]),
      m,
      v,
      n: 2,
      lr: 0.1,
      beta1: 0.9,
      beta2: 0.99,
      eps: 0,
      wd: 0.5,
      bc1: 1 / (1 - 0.9),
      bc2: 1 / (1 - 0.99),
      gScale: 0.5,
    });
    await closeTo(p, [1 - 0.1 - 0.05, -1 + 0.1 + 0.05]);
    await closeTo(m, [0.2, -0.025]);
    await closeTo(v, [0.04, 0.000625]);
  });

  it('copy, fill, add, scale_rows, scale_cols and sumsq modify only their ranges', async () => {
    const x = floats([1, 2, 3, 4, 5]);
    ops.copy(device, { src: floats([7, 8, 9]), dst: x, n: 2, srcOff: 1, dstOff: 3 });
    ops.fill(device, { x, n: 1, off: 1, value: -2 });
    ops.add(device, { x, y: floats([10, 20]), n: 1, xOff: 2, yOff: 1 });
    await closeTo(x, [1, -2, 23, 8, 9]);
    const out = floats([5, 5, 5]);
    ops.sumsq(device, { x, out, n: 2, off: 3, outOff: 1 });
    await closeTo(out, [5, 145, 5]);
    const dst = floats([0, 0, 0, 0]);
    ops.scaleRows(device, { src: floats([1, 2, 3, 4]), s: floats([9, 2, 3]), dst, rows: 2, cols: 2, sOff: 1 });
    await closeTo(dst, [2, 4, 9, 12]);
    ops.scaleCols(device, { x: dst, s: floats([9, 2, 3]), rows: 1, cols: 2, sOff: 1 });
    await closeTo(dst, [4, 12, 9, 12]);
  });
});
