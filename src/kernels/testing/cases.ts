// Calls of every kernel with random data and awkward sizes (ragged ends, offsets, single rows, grouped heads, shared
// prefixes), for tests that compare one implementation with another. Data is rounded to float32, so that a double
// device sees the same numbers.
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { KERNELS } from '../contract.ts';
import { type Device, type DeviceBuffer, type FloatArray, put } from '../device.ts';
import { distinct, floats, indices, type KernelCase, make } from './case.ts';
import { packedCases } from './packed-cases.ts';

const rng = () => CounterRng.of(11, STREAMS.test, 77);

/** A packed batch: each group is a prefix followed by sequences that share it. */
export function packedBatch(groups: readonly { prefix: number; sequences: readonly number[] }[]) {
  const ranges: number[] = [];
  const qEnd: number[] = [];
  let row = 0;
  for (const { prefix, sequences } of groups) {
    const start = row;
    const end = start + prefix + sequences.reduce((sum, length) => sum + length, 0);
    for (let i = 0; i < prefix; i++) {
      ranges.push(0, 0, start, ++row);
      qEnd.push(end);
    }
    for (const length of sequences) {
      const first = row;
      for (let i = 0; i < length; i++) {
        ranges.push(start, start + prefix, first, ++row);
        qEnd.push(first + length);
      }
    }
  }
  return { rows: row, ranges: Uint32Array.from(ranges), qEnd: Uint32Array.from(qEnd) };
}

export const BATCHES = [
  { groups: [{ prefix: 0, sequences: [1] }], heads: 1, kvHeads: 1, headDim: 4 },
  { groups: [{ prefix: 3, sequences: [5, 1, 4] }], heads: 4, kvHeads: 2, headDim: 8 },
  {
    groups: [
      { prefix: 6, sequences: [] },
      { prefix: 0, sequences: [7, 2] },
      { prefix: 5, sequences: [9, 13] },
    ],
    heads: 6,
    kvHeads: 2,
    headDim: 20,
  },
  { groups: [{ prefix: 17, sequences: [21, 10, 30] }], heads: 4, kvHeads: 2, headDim: 32 },
  { groups: [{ prefix: 4, sequences: [6, 3] }], heads: 2, kvHeads: 1, headDim: 6 },
  { groups: [{ prefix: 9, sequences: [12, 5] }], heads: 2, kvHeads: 2, headDim: 64 },
] as const;

function linearCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [m, n, k] of [
    [1, 1, 1],
    [4, 8, 5],
    [5, 9, 7],
    [13, 31, 17],
    [33, 70, 64],
    [3, 4, 130],
    [150, 24, 40],
    [2, 3, 0],
  ])
    for (const ta of [0, 1])
      for (const tb of [0, 1])
        for (const beta of [0, 1])
          cases.push(
            make('matmul', [floats(r, m * k + 3), floats(r, k * n + 2), floats(r, m * n + 6)], {
              ...{ m, n, k, ta, tb, beta, aOff: 3, bOff: 1, cOff: 5 },
            }),
          );
  for (const [rows, cols] of [
    [1, 1],
    [5, 16],
    [7, 19],
    [30, 50],
  ]) {
    cases.push(make('bias_add', [floats(r, rows * cols), floats(r, cols)], { rows, cols }));
    for (const beta of [0, 1])
      cases.push(make('col_sum', [floats(r, rows * cols), floats(r, cols)], { rows, cols, beta }));
    cases.push(
      make('scale_rows', [floats(r, rows * cols), floats(r, rows + 2), floats(r, rows * cols)], {
        rows,
        cols,
        sOff: 2,
      }),
    );
    const n = rows * cols;
    cases.push(make('add', [floats(r, n + 5), floats(r, n + 2)], { n, xOff: 3, yOff: 1 }));
    cases.push(make('copy', [floats(r, n + 5), floats(r, n + 2)], { n, srcOff: 3, dstOff: 1 }));
    cases.push(make('fill', [floats(r, n + 5)], { n, off: 2, value: -1.5 }));
    cases.push(make('sumsq', [floats(r, n + 5), floats(r, 3)], { n, off: 2, outOff: 1 }));
  }
  return cases;
}

function rowCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [rows, dim] of [
    [1, 1],
    [6, 16],
    [9, 7],
  ]) {
    cases.push(make('gather_rows', [floats(r, 5 * dim), indices(r, rows, 5), floats(r, rows * dim)], { rows, dim }));
    for (const add of [0, 1])
      cases.push(
        make('scatter_rows', [floats(r, rows * dim), distinct(r, rows, 12), floats(r, 14 * dim)], {
          ...{ rows, dim, shift: 2, add },
        }),
      );
    const vocab = 5;
    const tokens = indices(r, rows, vocab);
    const starts = new Uint32Array(vocab + 1);
    const order: number[] = [];
    for (let v = 0; v < vocab; v++) {
      for (let i = 0; i < rows; i++) if (tokens[i] === v) order.push(i);
      starts[v + 1] = order.length;
    }
    cases.push(
      make('embed_grad', [floats(r, rows * dim), starts, Uint32Array.from(order), floats(r, vocab * dim)], {
        vocab,
        dim,
      }),
    );
  }
  return cases;
}

function normCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [rows, dim] of [
    [1, 4],
    [5, 7],
    [11, 32],
    [3, 130],
  ]) {
    const x = () => floats(r, rows * dim);
    const rstd = Float32Array.from({ length: rows }, () => 0.5 + r.uniform());
    cases.push(make('rmsnorm', [x(), floats(r, dim), x(), floats(r, rows)], { rows, dim, eps: 1e-6 }));
    for (const beta of [0, 1]) {
      cases.push(make('rmsnorm_dx', [x(), floats(r, dim), rstd, x(), x()], { rows, dim, beta }));
      cases.push(make('rmsnorm_dw', [x(), rstd, x(), floats(r, dim)], { rows, dim, beta }));
    }
  }
  for (const [rows, heads, headDim] of [
    [1, 1, 2],
    [7, 3, 10],
    [9, 4, 32],
  ])
    for (const inverse of [0, 1]) {
      const angles = floats(r, (30 * headDim) / 2, 3);
      cases.push(
        make(
          'rope',
          [floats(r, rows * heads * headDim), angles.map(Math.cos), angles.map(Math.sin), indices(r, rows, 25)],
          { rows, heads, headDim, shift: 5, inverse },
        ),
      );
    }
  for (const n of [1, 4, 7, 130]) {
    const x = () => floats(r, n, 3);
    cases.push(make('swiglu', [x(), x(), x()], { n }));
    cases.push(make('swiglu_grad', [x(), x(), x(), x(), x()], { n }));
  }
  return cases;
}

function attentionCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const { groups, heads, kvHeads, headDim } of BATCHES) {
    const { rows, ranges, qEnd } = packedBatch(groups);
    const shape = { rows, heads, kvHeads, headDim };
    const q = () => floats(r, rows * heads * headDim);
    const kv = () => floats(r, rows * kvHeads * headDim);
    const stats = Float32Array.from({ length: rows * heads * 2 }, (_, i) => (i % 2 ? r.normal() : 3 + r.uniform()));
    cases.push(make('attention', [q(), kv(), kv(), ranges, q(), stats], { ...shape, grow: 0 }));
    cases.push(make('attention_delta', [q(), q(), stats], { rows, heads, headDim }));
    cases.push(make('attention_dq', [q(), kv(), kv(), ranges, stats, q(), q()], shape));
    cases.push(make('attention_dkv', [q(), kv(), kv(), stats, q(), qEnd, kv(), kv()], shape));
  }
  // Decoding: three sequences in a cache of 40 rows, two of them on one prefix; grow counts the generated rows.
  const decode = { rows: 3, heads: 4, kvHeads: 2, headDim: 16 };
  const ranges = Uint32Array.from([0, 7, 20, 20, 0, 7, 28, 28, 7, 19, 36, 36]);
  const cache = () => floats(r, 40 * decode.kvHeads * decode.headDim);
  const q = () => floats(r, decode.rows * decode.heads * decode.headDim);
  for (const grow of [0, 1, 4])
    cases.push(make('attention', [q(), cache(), cache(), ranges, q(), floats(r, 24)], { ...decode, grow }));
  return cases;
}

function headCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [rows, vocab] of [
    [1, 1],
    [3, 7],
    [6, 130],
    [4, 512],
  ]) {
    const logits = () => floats(r, rows * vocab, 3);
    const targets = indices(r, rows + 2, vocab);
    cases.push(make('logprob', [logits(), targets, floats(r, (rows + 2) * 3)], { rows, vocab, rowOff: 2 }));
    const x = logits();
    const stats = new Float32Array((rows + 2) * 3);
    for (let i = 0; i < rows; i++)
      stats[(i + 2) * 3 + 1] = Math.log(
        x.subarray(i * vocab, (i + 1) * vocab).reduce((sum, l) => sum + Math.exp(l), 0),
      );
    cases.push(make('logprob_grad', [x, targets, stats, floats(r, rows + 2)], { rows, vocab, rowOff: 2 }));
    cases.push(...divergenceCases(rows, vocab));
    const maxNew = 3;
    const slots = rows + 3;
    for (const temperature of [0, 0.7, 1])
      cases.push(
        make(
          'sample',
          [
            logits(),
            distinct(r, rows, slots),
            Uint32Array.from({ length: slots * 2 }, () => r.uint32()),
            Uint32Array.from({ length: slots }, (_, i) => (i % 4 === 3 ? 1 : 0)),
            new Uint32Array(slots * maxNew),
            new Float32Array(slots * maxNew),
            new Uint32Array(rows),
            Uint32Array.from({ length: rows }, (_, i) => i % 2),
          ],
          { rows, vocab, t: 1, maxNew, temperature, endA: 0, endB: 3, padToken: vocab },
        ),
      );
  }
  return cases;
}

/** Random numbers of their own, so that the cases beside them keep theirs. */
function divergenceCases(rows: number, vocab: number): KernelCase[] {
  const r = CounterRng.of(31, STREAMS.test, vocab);
  const logits = floats(r, rows * vocab, 3);
  const teacher = floats(r, rows * vocab, 3);
  const statsOf = (x: Float32Array) => {
    const stats = floats(r, (rows + 2) * 3);
    for (let i = 0; i < rows; i++)
      stats[(i + 2) * 3 + 1] = Math.log(
        x.subarray(i * vocab, (i + 1) * vocab).reduce((sum, l) => sum + Math.exp(l), 0),
      );
    return stats;
  };
  const inputs = [logits, teacher, statsOf(logits), statsOf(teacher)];
  const kl = floats(r, rows + 2).map(Math.abs);
  const params = { rows, vocab, rowOff: 2 };
  return [
    make('reverse_kl', [...inputs, kl], params),
    make('reverse_kl_grad', [...inputs, kl, floats(r, rows + 2)], params),
  ];
}

function adapterCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [rows, cols] of [
    [1, 1],
    [9, 16],
    [7, 37],
    [40, 5],
  ])
    for (const beta of [0, 1]) {
      cases.push(
        make('knob_grad', [floats(r, (rows + 2) * cols), floats(r, (rows + 2) * cols), floats(r, cols + 3)], {
          ...{ rows, r: cols, rowOff: 2, outOff: 3, beta },
        }),
      );
      cases.push(
        make('row_dot', [floats(r, rows * cols), floats(r, rows * cols), floats(r, rows + 3)], {
          ...{ r: rows, cols, outOff: 3, beta },
        }),
      );
    }
  for (const [n, m, nv] of [
    [2, 3, 2],
    [7, 10, 7],
    [8, 64, 8],
  ]) {
    const pairs = Uint32Array.from([0, 0, ...distinct(r, n - (n % 2), n)]);
    cases.push(
      make('jacobi_round', [floats(r, n * m), floats(r, n * nv), pairs, floats(r, pairs.length / 2)], {
        ...{ m, nv, count: pairs.length / 2 - 1, pairOff: 1, tol: 1e-6 },
      }),
    );
  }
  // Modules: r 5 with two directions, r 3 whole (k = 0), r 9 with one.
  const table = Uint32Array.from([0, 5, 0, 2, 0, 5, 3, 10, 0, 2, 8, 9, 10, 1, 2]);
  for (const gate of [0, 1, 2])
    cases.push(
      make('project', [floats(r, 17), floats(r, 19), table, floats(r, 17), floats(r, 17), floats(r, 3)], {
        ...{ modules: 3, gate, overshoot: gate === 1 ? 1.1 : 1 },
      }),
    );
  for (const n of [1, 8, 39])
    cases.push(
      make('adamw', [floats(r, n), floats(r, n), floats(r, n), floats(r, n).map(Math.abs)], {
        ...{ n, lr: 0.01, beta1: 0.9, beta2: 0.98, eps: 1e-8, wd: 0.1, bc1: 1.4, bc2: 2.5, gScale: 0.6 },
      }),
    );
  return cases;
}

/** Blocks of 16 rows: ragged last blocks, a block past the end, lengths that are no multiple of anything, several slices. */
function blockCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const { n, m, nv, pairs, slices } of [
    { n: 5, m: 3, nv: 5, pairs: [0, 1], slices: 1 },
    { n: 32, m: 300, nv: 32, pairs: [0, 1], slices: 1 },
    { n: 50, m: 37, nv: 13, pairs: [1, 3, 0, 2], slices: 2 },
    { n: 71, m: 530, nv: 2, pairs: [0, 4, 2, 3], slices: 3 },
  ]) {
    const count = pairs.length / 2;
    const stride = m + nv;
    const list = Uint32Array.from([7, 7, ...pairs]); // what lies before pairOff is not read
    const x = () => floats(r, n * stride);
    const shape = { n, stride, count, pairOff: 1 };
    cases.push(make('svd_gram', [x(), list, floats(r, count * slices * 1024)], { ...shape, m, slices }));
    const report = floats(r, (count + 1) * 3);
    cases.push(
      make('svd_turn', [grams(r, n, pairs, slices), floats(r, count * 1024), report], {
        ...{ slices, sweeps: slices, count, pairOff: 1, tol: 1e-6, floor: 1e-9 },
      }),
    );
    const q = floats(r, count * 1024);
    for (let i = 0; i < count; i++) report[(i + 1) * 3 + 2] = count > 1 && i === 0 ? 0 : 1;
    cases.push(make('svd_apply', [x(), q, list, report], shape));
  }
  return cases;
}

/** Inner products of random rows of growing length, zeros for rows past n; each a sum of `slices` parts. */
function grams(r: CounterRng, n: number, pairs: readonly number[], slices: number): Float32Array {
  const length = 40;
  const all: number[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const rows = Array.from({ length: 32 }, (_, k) => {
      const there = pairs[i + (k < 16 ? 0 : 1)] * 16 + (k % 16) < n;
      return floats(r, length, there ? 0.2 + 0.05 * k : 0);
    });
    for (let s = 0; s < slices; s++)
      for (const a of rows) for (const b of rows) all.push(a.reduce((sum, x, j) => sum + x * b[j], 0) / slices);
  }
  return Float32Array.from(all);
}

/** Every kernel appears at least once. */
export function kernelCases(): KernelCase[] {
  const r = rng();
  return [linearCases, rowCases, normCases, attentionCases, headCases, adapterCases, blockCases, packedCases].flatMap(
    (family) => family(r),
  );
}

/** Runs a case on a device; what the written buffers hold afterwards, by name. */
export async function runCase(device: Device, { kernel, buffers, params }: KernelCase) {
  const specs = KERNELS[kernel].buffers;
  const handles: DeviceBuffer[] = buffers.map((data, i) => put(device, data, specs[i].name));
  device.run(kernel, handles, params);
  const written = new Map<string, FloatArray | Uint32Array>();
  for (const [i, { name, access }] of specs.entries())
    if (access !== 'r') written.set(name, await device.read(handles[i]));
  for (const handle of handles) handle.free();
  return written;
}

/** For people: "matmul m 4 n 8 …". */
export function caseName({ kernel, params }: KernelCase): string {
  return [kernel, ...Object.entries(params).map(([name, value]) => `${name} ${value}`)].join(' ');
}

/** Largest |a − b| relative to the largest |b| in the buffer (at least 1e-30). */
export function relativeError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let scale = 1e-30;
  let worst = 0;
  for (let i = 0; i < b.length; i++) {
    scale = Math.max(scale, Math.abs(b[i]));
    worst = Math.max(worst, Math.abs(a[i] - b[i])); // a NaN stays
  }
  return worst / scale;
}
