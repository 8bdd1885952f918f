// Tests the backward reference kernels against central finite differences of their forward kernels, on the f64 device; those of linear layers are in
// delta.test.ts. The loss is a weighted sum of the forward outputs; the weights are the upstream gradient.
import { beforeAll, describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { type DeviceBuffer, put, readFloats } from '../device.ts';
import { ops } from '../ops.ts';
import { BATCHES, packedBatch } from '../testing/cases.ts';
import { type CpuDevice, createCpuDevice } from './device.ts';

let device: CpuDevice;
beforeAll(async () => {
  device = await createCpuDevice({ precision: 'f64' });
});

const rng = CounterRng.of(23, STREAMS.test);
const random = (length: number, scale = 1) => Float64Array.from({ length }, () => scale * rng.normal());
const buffer = (length: number) => device.alloc(length, 'f32', 'out');
const ints = (values: ArrayLike<number>) => put(device, Uint32Array.from(values), 'ints');

/** ∂ Σ weights·forward(x) / ∂x by central differences. */
async function numeric(
  x: Float64Array,
  weights: Float64Array,
  forward: (x: DeviceBuffer) => DeviceBuffer,
): Promise<Float64Array> {
  const h = 1e-5;
  const loss = async (at: number, step: number) => {
    const moved = x.slice();
    moved[at] += step;
    const out = await readFloats(device, forward(put(device, moved, 'x')));
    return weights.reduce((sum, weight, i) => sum + weight * out[i], 0);
  };
  const grad = new Float64Array(x.length);
  for (let i = 0; i < x.length; i++) grad[i] = ((await loss(i, h)) - (await loss(i, -h))) / (2 * h);
  return grad;
}

async function expectGradient(analytic: DeviceBuffer, expected: Float64Array, minus?: Float64Array): Promise<void> {
  const got = await readFloats(device, analytic);
  const scale = expected.reduce((top, value) => Math.max(top, Math.abs(value)), 1e-3);
  expect(scale).toBeGreaterThan(1e-3); // a constant loss would prove nothing
  for (let i = 0; i < expected.length; i++)
    expect(Math.abs(got[i] - (minus?.[i] ?? 0) - expected[i]) / scale, `element ${i}`).toBeLessThan(1e-7);
}

describe('matmul', () => {
  it.each([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ])('both operands, ta %i tb %i', async (ta, tb) => {
    const [m, n, k] = [3, 5, 4];
    const [aData, bData, dC] = [random(m * k), random(k * n), random(m * n)];
    const [a, b, d] = [put(device, aData, 'a'), put(device, bData, 'b'), put(device, dC, 'dC')];
    const run = (x: DeviceBuffer, y: DeviceBuffer) => {
      const c = buffer(m * n);
      ops.matmul(device, { a: x, b: y, c, m, n, k, ta, tb });
      return c;
    };
    const dA = buffer(m * k);
    // dA = dC op(B)ᵀ in A's layout; dB = op(A)ᵀ dC in B's layout.
    if (ta) ops.matmul(device, { a: b, b: d, c: dA, m: k, n: m, k: n, ta: tb, tb: 1 });
    else ops.matmul(device, { a: d, b, c: dA, m, n: k, k: n, tb: 1 - tb });
    await expectGradient(dA, await numeric(aData, dC, (x) => run(x, b)));
    const dB = buffer(k * n);
    if (tb) ops.matmul(device, { a: d, b: a, c: dB, m: n, n: k, k: m, ta: 1, tb: ta });
    else ops.matmul(device, { a, b: d, c: dB, m: k, n, k: m, ta: 1 - ta });
    await expectGradient(dB, await numeric(bData, dC, (x) => run(a, x)));
  });
});

describe('rows', () => {
  it('embed_grad is the gradient of the look-up and accumulates', async () => {
    const [vocab, dim] = [5, 3];
    const tokens = [2, 0, 2, 2, 4, 0];
    const [table, dOut, held] = [random(vocab * dim), random(tokens.length * dim), random(vocab * dim)];
    const expected = await numeric(table, dOut, (src) => {
      const dst = buffer(tokens.length * dim);
      ops.gatherRows(device, { src, index: ints(tokens), dst, rows: tokens.length, dim });
      return dst;
    });
    const dTable = put(device, held, 'dTable');
    const order = ints([1, 5, 0, 2, 3, 4]);
    const starts = ints([0, 2, 2, 5, 5, 6]);
    ops.embedGrad(device, { dy: put(device, dOut, 'dy'), starts, order, dTable, vocab, dim });
    await expectGradient(dTable, expected, held);
  });

  it('col_sum is the gradient of bias_add', async () => {
    const [rows, cols] = [4, 3];
    const [bias, dOut] = [random(cols), random(rows * cols)];
    const expected = await numeric(bias, dOut, (b) => {
      const x = buffer(rows * cols);
      ops.biasAdd(device, { x, bias: b, rows, cols });
      return x;
    });
    const out = buffer(cols);
    ops.colSum(device, { x: put(device, dOut, 'dOut'), out, rows, cols });
    await expectGradient(out, expected);
  });

  it('scatter_rows with add is the gradient of gather_rows without repeats', async () => {
    const [xData, dOut] = [random(6 * 2), random(3 * 2)];
    const index = ints([4, 0, 3]);
    const expected = await numeric(xData, dOut, (src) => {
      const dst = buffer(6);
      ops.gatherRows(device, { src, index, dst, rows: 3, dim: 2 });
      return dst;
    });
    const dst = buffer(12);
    ops.scatterRows(device, { src: put(device, dOut, 'd'), index, dst, rows: 3, dim: 2, add: 1 });
    await expectGradient(dst, expected);
  });
});

describe('rmsnorm', () => {
  it.each([
    [1, 4, 0],
    [3, 7, 1],
    [5, 32, 0],
  ])('rows %i dim %i beta %i', async (rows, dim, beta) => {
    const [xData, wData, dY] = [random(rows * dim), random(dim), random(rows * dim)];
    const eps = 1e-3;
    const [x, w, dy] = [put(device, xData, 'x'), put(device, wData, 'w'), put(device, dY, 'dy')];
    const rstd = buffer(rows);
    const forward = (a: DeviceBuffer, b: DeviceBuffer) => {
      const y = buffer(rows * dim);
      ops.rmsnorm(device, { x: a, w: b, y, rstd, rows, dim, eps });
      return y;
    };
    const [expectedX, expectedW] = [
      await numeric(xData, dY, (a) => forward(a, w)),
      await numeric(wData, dY, (b) => forward(x, b)),
    ];
    forward(x, w);
    const [heldX, heldW] = [random(rows * dim), random(dim)];
    const [dx, dw] = [put(device, heldX, 'dx'), put(device, heldW, 'dw')];
    ops.rmsnormDx(device, { x, w, rstd, dy, dx, rows, dim, beta });
    ops.rmsnormDw(device, { x, rstd, dy, dw, rows, dim, beta });
    await expectGradient(dx, expectedX, beta ? heldX : undefined);
    await expectGradient(dw, expectedW, beta ? heldW : undefined);
  });
});

describe('rope and swiglu', () => {
  it('the inverse rotation is the gradient, and undoes the rotation', async () => {
    const [rows, heads, headDim] = [3, 2, 6];
    const angles = random(10 * 3, 2);
    const [cos, sin] = [put(device, angles.map(Math.cos), 'cos'), put(device, angles.map(Math.sin), 'sin')];
    const pos = ints([0, 7, 3]);
    const turn = (x: DeviceBuffer, inverse: number) => {
      ops.rope(device, { x, cos, sin, pos, rows, heads, headDim, shift: 2, inverse });
      return x;
    };
    const [xData, dOut] = [random(rows * heads * headDim), random(rows * heads * headDim)];
    const expected = await numeric(xData, dOut, (x) => turn(x, 0));
    await expectGradient(turn(put(device, dOut, 'd'), 1), expected);
    const back = await readFloats(device, turn(turn(put(device, xData, 'x'), 0), 1));
    for (let i = 0; i < xData.length; i++) expect(Math.abs(back[i] - xData[i])).toBeLessThan(1e-14);
  });

  it('swiglu_grad', async () => {
    const n = 9;
    const [g, u, dOut] = [random(n, 2), random(n), random(n)];
    const forward = (gate: DeviceBuffer, up: DeviceBuffer) => {
      const out = buffer(n);
      ops.swiglu(device, { gate, up, out, n });
      return out;
    };
    const [gate, up] = [put(device, g, 'gate'), put(device, u, 'up')];
    const [dGate, dUp] = [buffer(n), buffer(n)];
    ops.swigluGrad(device, { gate, up, dOut: put(device, dOut, 'dOut'), dGate, dUp, n });
    await expectGradient(dGate, await numeric(g, dOut, (x) => forward(x, up)));
    await expectGradient(dUp, await numeric(u, dOut, (x) => forward(gate, x)));
  });
});

describe('attention', () => {
  // Two small batches: grouped heads with a shared prefix; an empty prefix, a prefix without sequences, and headDim 6.
  it.each([
    BATCHES[1],
    BATCHES[4],
    {
      groups: [
        { prefix: 2, sequences: [] },
        { prefix: 0, sequences: [3, 1] },
      ],
      heads: 4,
      kvHeads: 1,
      headDim: 4,
    },
  ])('dq, dk and dv, batch %#', async ({ groups, heads, kvHeads, headDim }) => {
    const { rows, ranges: r, qEnd: e } = packedBatch(groups);
    const [ranges, qEnd] = [ints(r), ints(e)];
    const shape = { rows, heads, kvHeads, headDim };
    const [qLength, kvLength] = [rows * heads * headDim, rows * kvHeads * headDim];
    const [qData, kData, vData, dO] = [random(qLength), random(kvLength), random(kvLength), random(qLength)];
    const [q, k, v, d] = [qData, kData, vData, dO].map((x) => put(device, x, 'x'));
    const stats = buffer(rows * heads * 2);
    const forward = (a: DeviceBuffer, b: DeviceBuffer, c: DeviceBuffer) => {
      const o = buffer(qLength);
      ops.attention(device, { q: a, k: b, v: c, ranges, o, stats, ...shape });
      return o;
    };
    const expectedQ = await numeric(qData, dO, (x) => forward(x, k, v));
    const expectedK = await numeric(kData, dO, (x) => forward(q, x, v));
    const expectedV = await numeric(vData, dO, (x) => forward(q, k, x));
    const o = forward(q, k, v);
    const [dq, dk, dv] = [buffer(qLength), buffer(kvLength), buffer(kvLength)];
    ops.attentionDelta(device, { dO: d, o, stats, rows, heads, headDim });
    ops.attentionDq(device, { q, k, v, ranges, stats, dO: d, dq, ...shape });
    ops.attentionDkv(device, { q, k, v, stats, dO: d, qEnd, dk, dv, ...shape });
    await expectGradient(dq, expectedQ);
    await expectGradient(dk, expectedK);
    await expectGradient(dv, expectedV);
  });
});

describe('head and adapter', () => {
  it('logprob_grad', async () => {
    const [rows, vocab, rowOff] = [3, 7, 2];
    const targets = ints([0, 0, 6, 0, 3]);
    const [x, coef] = [random(rows * vocab, 2), random(rows + rowOff)];
    const stats = buffer((rows + rowOff) * 3);
    const weights = new Float64Array((rows + rowOff) * 3);
    for (let i = rowOff; i < rows + rowOff; i++) weights[i * 3] = coef[i];
    const expected = await numeric(x, weights, (logits) => {
      ops.logprob(device, { logits, targets, stats, rows, vocab, rowOff });
      return stats;
    });
    const logits = put(device, x, 'logits');
    ops.logprob(device, { logits, targets, stats, rows, vocab, rowOff });
    ops.logprobGrad(device, { logits, targets, stats, coef: put(device, coef, 'coef'), rows, vocab, rowOff });
    await expectGradient(logits, expected);
  });

  it('logprob_entropy_grad', async () => {
    const [rows, vocab, rowOff] = [3, 7, 2];
    const targets = ints([0, 0, 6, 0, 3]);
    const [x, coef, slope] = [random(rows * vocab, 2), random(rows + rowOff), random(rows + rowOff)];
    const stats = buffer((rows + rowOff) * 3);
    const weights = new Float64Array((rows + rowOff) * 3);
    for (let i = rowOff; i < rows + rowOff; i++) [weights[i * 3], weights[i * 3 + 2]] = [coef[i], slope[i]];
    const expected = await numeric(x, weights, (logits) => {
      ops.logprob(device, { logits, targets, stats, rows, vocab, rowOff });
      return stats;
    });
    const logits = put(device, x, 'logits');
    ops.logprob(device, { logits, targets, stats, rows, vocab, rowOff });
    const upstream = { coef: put(device, coef, 'coef'), slope: put(device, slope, 'slope') };
    ops.logprobEntropyGrad(device, { logits, targets, stats, ...upstream, rows, vocab, rowOff });
    await expectGradient(logits, expected);
  });

  it('reverse_kl_grad, with a fixed teacher', async () => {
    const [rows, vocab, rowOff] = [3, 7, 2];
    const targets = ints([0, 0, 6, 0, 3]);
    const [x, y, coef] = [random(rows * vocab, 2), random(rows * vocab, 2), random(rows + rowOff)];
    const [stats, teacherStats] = [buffer((rows + rowOff) * 3), buffer((rows + rowOff) * 3)];
    const kl = buffer(rows + rowOff);
    const teacher = put(device, y, 'teacher');
    ops.logprob(device, { logits: teacher, targets, stats: teacherStats, rows, vocab, rowOff });
    const divergence = (logits: DeviceBuffer) => {
      ops.logprob(device, { logits, targets, stats, rows, vocab, rowOff });
      ops.reverseKl(device, { logits, teacher, stats, teacherStats, kl, rows, vocab, rowOff });
      return kl;
    };
    const weights = coef.map((c, i) => (i < rowOff ? 0 : c));
    const expected = await numeric(x, weights, divergence);
    const logits = put(device, x, 'logits');
    divergence(logits);
    const upstream = put(device, coef, 'coef');
    ops.reverseKlGrad(device, { logits, teacher, stats, teacherStats, kl, coef: upstream, rows, vocab, rowOff });
    await expectGradient(logits, expected);
  });

  it('adapter_grad and row_dot are the gradient of x (U diag(δ) Vh)ᵀ with respect to δ', async () => {
    const [rows, dOut, dIn, r] = [4, 5, 6, 3];
    const [xData, uData, vhData, dY] = [random(rows * dIn), random(dOut * r), random(r * dIn), random(rows * dOut)];
    const [x, U, Vh, dy] = [xData, uData, vhData, dY].map((data) => put(device, data, 'x'));
    const expected = await numeric(random(r), dY, (s) => {
      const [turned, delta, y] = [buffer(r * dIn), buffer(dOut * dIn), buffer(rows * dOut)];
      ops.scaleRows(device, { src: Vh, s, dst: turned, rows: r, cols: dIn });
      ops.matmul(device, { a: U, b: turned, c: delta, m: dOut, n: dIn, k: r });
      ops.matmul(device, { a: x, b: delta, c: y, m: rows, n: dOut, k: dIn, tb: 1 });
      return y;
    });
    // The unfolded form: (δ ∘ (x Vhᵀ)) Uᵀ.
    const beside = await numeric(random(r), dY, (s) => {
      const [turned, y] = [buffer(rows * r), buffer(rows * dOut)];
      ops.matmul(device, { a: x, b: Vh, c: turned, m: rows, n: r, k: dIn, tb: 1 });
      ops.scaleCols(device, { x: turned, s, rows, cols: r });
      ops.matmul(device, { a: turned, b: U, c: y, m: rows, n: dOut, k: r, tb: 1 });
      return y;
    });
    const [p, q, out] = [buffer(rows * r), buffer(rows * r), buffer(r)];
    ops.matmul(device, { a: dy, b: U, c: p, m: rows, n: r, k: dOut });
    ops.matmul(device, { a: x, b: Vh, c: q, m: rows, n: r, k: dIn, tb: 1 });
    ops.adapterGrad(device, { p, q, out, rows, r });
    await expectGradient(out, expected);
    await expectGradient(out, beside);
    const [dW, a, fromWeights] = [buffer(dOut * dIn), buffer(r * dIn), buffer(r)];
    ops.matmul(device, { a: dy, b: x, c: dW, m: dOut, n: dIn, k: rows, ta: 1 });
    ops.matmul(device, { a: U, b: dW, c: a, m: r, n: dIn, k: dOut, ta: 1 });
    ops.rowDot(device, { a, b: Vh, out: fromWeights, r, cols: dIn });
    await expectGradient(fromWeights, expected);
  });
});
