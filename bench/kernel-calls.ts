// Every kernel of the contract at the shapes at which the embedded model calls it: a training batch of 4,300 packed rows
// (eight prompts, eight completions each), a decoding step of 56 sequences, and the adapter's and optimizer's sizes. A
// kernel without an entry is called with the largest of its cases.
import { LAYOUTS } from '../src/engine/storage-layouts.ts';
import { KERNEL_NAMES, type KernelName, type KernelParams } from '../src/kernels/contract.ts';
import type { KernelCase } from '../src/kernels/testing/case.ts';
import { kernelCases, packedBatch } from '../src/kernels/testing/cases.ts';
import { bytes, halves } from '../src/kernels/testing/packed-cases.ts';
import { matmulParams } from '../src/kernels/webgpu/matmul.ts';
import { CounterRng, STREAMS } from '../src/rng/index.ts';
import { deltaCalls } from './delta-calls.ts';

export interface KernelCall<K extends KernelName = KernelName> {
  readonly kernel: K;
  /** Where the model makes this call. */
  readonly use: string;
  /** In the contract's binding order. */
  readonly buffers: readonly (Float32Array | Uint32Array)[];
  readonly params: KernelParams<K>;
  /** Floating-point operations of one call, if arithmetic dominates. */
  readonly flops?: number;
  /** Bytes that one call must read and write, if moving them dominates. */
  readonly bytes?: number;
}

type Call<K extends KernelName> = Omit<KernelCall<K>, 'kernel'>;

/** The embedded model (public/models/tiny-coder). */
const D = 128;
const FFN = 384;
const HEADS = 4;
const KV_HEADS = 2;
const HEAD_DIM = 32;
const VOCAB = 512;
const LAYERS = 4;
const Q = HEADS * HEAD_DIM;
const KV = KV_HEADS * HEAD_DIM;
const MAX_POSITIONS = 512;
/** Rows of a shared prompt, and of a completion. */
const PREFIX = 65;
const COMPLETION = 59;
const GROUPS = 8;
/** Rows of a segment: adapter gradients are computed separately for student and teacher rows. */
const SEGMENT_ROWS = 2150;
/** Decoding: 56 live sequences, seven per prompt. */
const LIVE = 56;
const MAX_NEW = 80;
const DECODED = 30;
/** Elements that share a scale. */
const Q8_BLOCK = LAYOUTS.q8.block;
const GROUP = LAYOUTS.q8g32.block;
/** Singular directions per module of a basis. */
const DIRECTIONS = 12;

const batch = packedBatch(
  Array.from({ length: GROUPS }, (_, group) => ({
    prefix: PREFIX,
    sequences: Array.from({ length: 8 }, (_, i) => COMPLETION + (group === GROUPS - 1 && i === 7 ? 4 : 0)),
  })),
);
const T = batch.rows; // 4,300
const TARGETS = T - GROUPS * PREFIX;

const random = CounterRng.of(41, STREAMS.test, 3);
const floats = (length: number) => Float32Array.from({ length }, () => 2 * random.uniform() - 1);
const positive = (length: number) => Float32Array.from({ length }, () => 0.5 + random.uniform());
const tokens = (length: number) => Uint32Array.from({ length }, () => random.int(VOCAB));
const zeros = (length: number) => new Float32Array(length);
const below = (length: number, limit: number) => Uint32Array.from({ length }, () => random.int(limit));

/** Query–key pairs of the packed batch: what attention's arithmetic is proportional to. */
function visible(ranges: Uint32Array): number {
  let pairs = 0;
  for (let i = 0; i < ranges.length; i += 4) pairs += ranges[i + 1] - ranges[i] + ranges[i + 3] - ranges[i + 2];
  return pairs;
}
const PAIRS = visible(batch.ranges) * HEADS;

function product(use: string, m: number, n: number, k: number, ta = 0, tb = 0, beta = 0): Call<'matmul'> {
  return {
    use: `${use} ${m}×${n}×${k}`,
    buffers: [floats(m * k), floats(k * n), zeros(m * n)],
    params: { ...matmulParams(m, n, k, ta, tb), beta },
    flops: 2 * m * n * k,
  };
}

function decodeAttention(): Call<'attention'> {
  const promptRows = GROUPS * (PREFIX + 1);
  const ranges = new Uint32Array(LIVE * 4);
  for (let i = 0; i < LIVE; i++) {
    const prompt = (i % GROUPS) * (PREFIX + 1);
    const own = promptRows + i * MAX_NEW;
    ranges.set([prompt, prompt + PREFIX + 1, own, own], i * 4);
  }
  const cache = () => floats((promptRows + LIVE * MAX_NEW) * KV);
  return {
    use: `decode, ${LIVE} rows`,
    buffers: [floats(LIVE * Q), cache(), cache(), ranges, zeros(LIVE * Q), zeros(LIVE * HEADS * 2)],
    params: { rows: LIVE, heads: HEADS, kvHeads: KV_HEADS, headDim: HEAD_DIM, grow: DECODED },
    flops: 4 * HEAD_DIM * HEADS * LIVE * (PREFIX + 1 + DECODED),
  };
}

/** The same over an f16 cache. */
function decodeHalves(): Call<'attention_f16'> {
  const call = decodeAttention();
  const [q, k, v, ...rest] = call.buffers;
  // The mask keeps magnitudes below 2.
  const cache = ({ length }: { length: number }) => halves(random, length).map((word) => word & 0xbfffbfff);
  return { ...call, buffers: [q, cache(k), cache(v), ...rest] };
}

function norm(use: string, rows: number, dim: number): Call<'rmsnorm'> {
  return {
    use: `${use}, ${rows} rows of ${dim}`,
    buffers: [floats(rows * dim), floats(dim), zeros(rows * dim), zeros(rows)],
    params: { rows, dim, eps: 1e-6 },
    bytes: 8 * rows * dim,
  };
}

function rotation(use: string, rows: number, shift: number): Call<'rope'> {
  const angles = floats((MAX_POSITIONS * HEAD_DIM) / 2);
  return {
    use: `${use}, ${rows} rows`,
    buffers: [floats(rows * Q), angles.map(Math.cos), angles.map(Math.sin), below(rows, 200)],
    params: { rows, heads: HEADS, headDim: HEAD_DIM, shift, inverse: 0, rest: 0 },
    bytes: 8 * rows * Q,
  };
}

function activation(use: string, rows: number): Call<'swiglu'> {
  const n = rows * FFN;
  return {
    use: `${use}, ${rows} rows`,
    buffers: [floats(n), floats(n), zeros(n)],
    params: { n, upOff: 0 },
    bytes: 12 * n,
  };
}

function embedding(use: string, rows: number): Call<'gather_rows'> {
  return {
    use: `${use}, ${rows} rows`,
    buffers: [floats(VOCAB * D), below(rows, VOCAB), zeros(rows * D)],
    params: { rows, dim: D },
    bytes: 8 * rows * D,
  };
}

function embeddingGradient(): Call<'embed_grad'> {
  const tokens = below(T, VOCAB);
  const starts = new Uint32Array(VOCAB + 1);
  const order: number[] = [];
  for (let v = 0; v < VOCAB; v++) {
    tokens.forEach((token, row) => {
      if (token === v) order.push(row);
    });
    starts[v + 1] = order.length;
  }
  return {
    use: `${T} rows`,
    buffers: [floats(T * D), starts, Uint32Array.from(order), zeros(VOCAB * D)],
    params: { vocab: VOCAB, dim: D },
    bytes: 4 * T * D + 8 * VOCAB * D,
  };
}

/** One round of the tournament over n vectors; with tolerance 0 every pair is rotated. */
function jacobi(): Call<'jacobi_round'> {
  const pairs = Uint32Array.from({ length: D }, (_, i) => i);
  return {
    use: `${D / 2} pairs of ${FFN}`,
    buffers: [floats(D * FFN), floats(D * D), pairs, zeros(D / 2)],
    params: { m: FFN, nv: D, count: D / 2, pairOff: 0, tol: 0 },
    flops: (D / 2) * (12 * FFN + 6 * D),
  };
}

/** A round of block Jacobi on 1024 vectors of 1024, in slices as a GPU takes them. */
const BLOCKS = { n: 1024, m: 1024, stride: 2048, count: 32, pairOff: 0, slices: 4 };
const BLOCK_PAIRS = Uint32Array.from({ length: 2 * BLOCKS.count }, (_, i) => i);

function blockProducts(): Call<'svd_gram'> {
  const { n, m, stride, count, pairOff, slices } = BLOCKS;
  return {
    use: `${count} pairs of blocks, ${m} long`,
    buffers: [floats(n * stride), BLOCK_PAIRS, zeros(count * slices * 1024)],
    params: { n, m, stride, slices, count, pairOff },
    flops: count * 2048 * m,
  };
}

/** Two sweeps, as in svd-blocks.ts; the vectors' lengths are well separated, so that devices agree on the result. */
function blockRotations(): Call<'svd_turn'> {
  const { count, pairOff } = BLOCKS;
  const gram = Float32Array.from({ length: count * 1024 }, (_, i) => {
    const [p, q] = [Math.floor(i / 32) % 32, i % 32];
    return p === q ? 40 + 3 * p : Math.cos(7 * Math.min(p, q) + 3 * Math.max(p, q));
  });
  return {
    use: `${count} pairs of blocks, 2 sweeps`,
    buffers: [gram, zeros(count * 1024), zeros(count * 3)],
    params: { slices: 1, sweeps: 2, count, pairOff, tol: 0, floor: 0 },
    flops: count * 2 * 496 * 18 * 32,
  };
}

/** The rotation is a permutation of rows, so that repeated calls do not make them grow. */
function blockTurn(): Call<'svd_apply'> {
  const { n, stride, count, pairOff } = BLOCKS;
  const q = Float32Array.from({ length: count * 1024 }, (_, i) => (Math.floor(i / 32) % 32 === 31 - (i % 32) ? 1 : 0));
  return {
    use: `${count} pairs of blocks, ${stride} columns`,
    buffers: [floats(n * stride), q, BLOCK_PAIRS, new Float32Array(count * 3).fill(1)],
    params: { n, stride, count, pairOff },
    flops: count * 2048 * stride,
  };
}

function projection(): Call<'project'> {
  const ranks = Array.from({ length: LAYERS }, () => [D, KV, KV, D, D, D, D]).flat();
  const table: number[] = [];
  let adapterParams = 0;
  for (const [i, r] of ranks.entries()) {
    table.push(adapterParams, r, adapterParams * DIRECTIONS, DIRECTIONS, i * DIRECTIONS);
    adapterParams += r;
  }
  const vector = () => floats(adapterParams);
  return {
    use: `${ranks.length} modules, ${adapterParams} adapter parameters, k ${DIRECTIONS}`,
    buffers: [
      ...[vector(), floats(adapterParams * DIRECTIONS), Uint32Array.from(table)],
      ...[vector(), vector(), zeros(ranks.length * DIRECTIONS)],
    ],
    params: { modules: ranks.length, gate: 0, overshoot: 1 },
    flops: 4 * adapterParams * DIRECTIONS,
  };
}

/** Returns the student's and the teacher's logits, and logprob's stats of each. */
function divergent(): Float32Array[] {
  const stats = () => zeros(TARGETS * 3).fill(Math.log(VOCAB));
  return [floats(TARGETS * VOCAB), floats(TARGETS * VOCAB), stats(), stats()];
}

function optimizer(use: string, n: number): Call<'adamw'> {
  return {
    use: `${use}, ${n}`,
    buffers: [floats(n), floats(n), zeros(n), positive(n)],
    params: { n, lr: 1e-3, beta1: 0.9, beta2: 0.98, eps: 1e-8, wd: 0.1, bc1: 1, bc2: 1, gScale: 1 },
    bytes: 28 * n,
  };
}

const elements = T * D;
const attended = { rows: T, heads: HEADS, kvHeads: KV_HEADS, headDim: HEAD_DIM };
const lse = Float32Array.from({ length: T * HEADS * 2 }, (_, i) => (i % 2 ? 0 : 5));

const CALLS: { readonly [K in KernelName]?: () => readonly Call<K>[] } = {
  ...deltaCalls(random),
  matmul: () => [
    product('q, o', T, D, D, 0, 1),
    product('k, v', T, KV, D, 0, 1),
    product('gate, up', T, FFN, D, 0, 1),
    product('down', T, D, FFN, 0, 1, 1),
    product('logits', TARGETS, VOCAB, D, 0, 1),
    product('back through gate', T, D, FFN),
    product('weight gradient', FFN, D, T, 1, 0, 1),
    product('fold', FFN, D, D, 0, 0, 1),
    product('decode q, o', LIVE, D, D, 0, 1),
    product('decode gate, up', LIVE, FFN, D, 0, 1),
    product('decode down', LIVE, D, FFN, 0, 1, 1),
    product('decode logits', LIVE, VOCAB, D, 0, 1),
  ],
  bias_add: () => [
    {
      use: `${T} rows of ${D}`,
      buffers: [floats(elements), floats(D)],
      params: { rows: T, cols: D },
      bytes: 8 * elements,
    },
  ],
  col_sum: () => [
    {
      use: `${T} rows of ${D}`,
      buffers: [floats(elements), zeros(D)],
      params: { rows: T, cols: D, beta: 0 },
      bytes: 4 * elements,
    },
  ],
  scale_rows: () => [
    {
      use: `fold, ${D} rows of ${FFN}`,
      buffers: [floats(D * FFN), floats(D), zeros(D * FFN)],
      params: { rows: D, cols: FFN, sOff: 0 },
      bytes: 8 * D * FFN,
    },
  ],
  add: () => [
    {
      use: `${T} rows of ${D}`,
      buffers: [floats(elements), floats(elements)],
      params: { n: elements, xOff: 0, yOff: 0 },
      bytes: 12 * elements,
    },
  ],
  copy: () => [
    {
      use: `residual, ${T} rows of ${D}`,
      buffers: [floats(elements), zeros(elements)],
      params: { n: elements, srcOff: 0, dstOff: 0 },
      bytes: 8 * elements,
    },
  ],
  fill: () => [
    {
      use: `${T} rows of ${D}`,
      buffers: [zeros(elements)],
      params: { n: elements, off: 0, value: 0 },
      bytes: 4 * elements,
    },
  ],
  sumsq: () => [
    {
      use: `embedding, ${VOCAB * D}`,
      buffers: [floats(VOCAB * D), zeros(1)],
      params: { n: VOCAB * D, off: 0, outOff: 0 },
      bytes: 4 * VOCAB * D,
    },
  ],
  gather_rows: () => [embedding('embedding', T), embedding('decode', LIVE)],
  scatter_rows: () => [
    {
      use: `hidden gradient, ${TARGETS} rows of ${D}`,
      buffers: [floats(TARGETS * D), Uint32Array.from({ length: TARGETS }, (_, i) => i), zeros(elements)],
      params: { rows: TARGETS, dim: D, shift: 0, add: 0 },
      bytes: 8 * TARGETS * D,
    },
    {
      use: `decode cache, ${LIVE} rows of ${KV}`,
      buffers: [
        floats(LIVE * KV),
        Uint32Array.from({ length: LIVE }, (_, i) => i * MAX_NEW),
        zeros(LIVE * MAX_NEW * KV),
      ],
      params: { rows: LIVE, dim: KV, shift: DECODED, add: 0 },
      bytes: 8 * LIVE * KV,
    },
  ],
  embed_grad: () => [embeddingGradient()],
  unpack_f16: () => [
    {
      use: `gate, ${FFN} × ${D}`,
      buffers: [halves(random, FFN * D), zeros(FFN * D)],
      params: { n: FFN * D, srcOff: 0 },
      bytes: 6 * FFN * D,
    },
  ],
  matmul_f16: () => [
    {
      use: `gate, decode ${LIVE}×${FFN}×${D}`,
      buffers: [floats(LIVE * D), halves(random, FFN * D), zeros(LIVE * FFN)],
      params: { m: LIVE, n: FFN, k: D, aOff: 0, bOff: 0, cOff: 0, beta: 0 },
      flops: 2 * LIVE * FFN * D,
    },
  ],
  matmul_q8h: () => [
    {
      use: `gate, decode ${LIVE}×${FFN}×${D}`,
      buffers: [
        ...[floats(LIVE * D), bytes(random, FFN * D)],
        ...[halves(random, (FFN * D) / GROUP), zeros(LIVE * FFN)],
      ],
      params: { m: LIVE, n: FFN, k: D, aOff: 0, bOff: 0, cOff: 0, beta: 0, block: GROUP },
      flops: 2 * LIVE * FFN * D,
    },
  ],
  matmul_q4h: () => [
    {
      use: `gate, decode ${LIVE}×${FFN}×${D}`,
      buffers: [
        ...[floats(LIVE * D), bytes(random, (FFN * D) / 2)],
        ...[halves(random, (FFN * D) / GROUP), zeros(LIVE * FFN)],
      ],
      params: { m: LIVE, n: FFN, k: D, aOff: 0, bOff: 0, cOff: 0, beta: 0, block: GROUP },
      flops: 2 * LIVE * FFN * D,
    },
  ],
  products: () => [
    {
      use: `q, k, v, decode ${LIVE}×${Q + 2 * KV}×${D}`,
      buffers: [floats(LIVE * D), floats(Q * D), floats(KV * D), floats(KV * D), zeros(LIVE * (Q + 2 * KV))],
      params: { m: LIVE, k: D, n0: Q, n1: KV, n2: KV, apart: 0, beta: 0 },
      flops: 2 * LIVE * (Q + 2 * KV) * D,
    },
  ],
  gated: () => [
    {
      use: `norm, gate, up, decode ${LIVE}×${FFN}×${D}`,
      buffers: [floats(LIVE * D), floats(D), floats(FFN * D), floats(FFN * D), zeros(LIVE * FFN)],
      params: { m: LIVE, k: D, n: FFN, eps: 1e-6 },
      flops: 4 * LIVE * FFN * D,
    },
  ],
  unpack_q8: () => [
    {
      use: `gate, ${FFN} × ${D}`,
      buffers: [bytes(random, FFN * D), positive((FFN * D) / Q8_BLOCK), zeros(FFN * D)],
      params: { n: FFN * D, srcOff: 0, block: Q8_BLOCK },
      bytes: 5 * FFN * D,
    },
  ],
  unpack_q8h: () => [
    {
      use: `gate, ${FFN} × ${D}`,
      buffers: [bytes(random, FFN * D), halves(random, (FFN * D) / GROUP), zeros(FFN * D)],
      params: { n: FFN * D, srcOff: 0, block: GROUP },
      bytes: 5 * FFN * D,
    },
  ],
  unpack_q4h: () => [
    {
      use: `gate, ${FFN} × ${D}`,
      buffers: [bytes(random, (FFN * D) / 2), halves(random, (FFN * D) / GROUP), zeros(FFN * D)],
      params: { n: FFN * D, srcOff: 0, block: GROUP },
      bytes: 4.5 * FFN * D,
    },
  ],
  gather_part: () => [
    {
      use: `half of the embedding, ${T} rows of ${D}`,
      buffers: [floats((VOCAB / 2) * D), tokens(T), zeros(elements)],
      params: { rows: T, dim: D, first: 0, count: VOCAB / 2 },
      bytes: 4 * elements,
    },
  ],
  gather_f16: () => [
    {
      use: `embedding, ${T} rows of ${D}`,
      buffers: [halves(random, VOCAB * D), tokens(T), zeros(elements)],
      params: { rows: T, dim: D, first: 0, count: VOCAB },
      bytes: 6 * elements,
    },
  ],
  gather_q8: () => [
    {
      use: `embedding, ${T} rows of ${D}`,
      buffers: [bytes(random, VOCAB * D), positive((VOCAB * D) / Q8_BLOCK), tokens(T), zeros(elements)],
      params: { rows: T, dim: D, first: 0, count: VOCAB, block: Q8_BLOCK },
      bytes: 5 * elements,
    },
  ],
  gather_q8h: () => [
    {
      use: `embedding, ${T} rows of ${D}`,
      buffers: [bytes(random, VOCAB * D), halves(random, (VOCAB * D) / GROUP), tokens(T), zeros(elements)],
      params: { rows: T, dim: D, first: 0, count: VOCAB, block: GROUP },
      bytes: 5 * elements,
    },
  ],
  gather_q4h: () => [
    {
      use: `embedding, ${T} rows of ${D}`,
      buffers: [bytes(random, (VOCAB * D) / 2), halves(random, (VOCAB * D) / GROUP), tokens(T), zeros(elements)],
      params: { rows: T, dim: D, first: 0, count: VOCAB, block: GROUP },
      bytes: 4.5 * elements,
    },
  ],
  move_cols: () => [
    {
      use: `half of the logits, ${TARGETS} rows`,
      buffers: [floats(TARGETS * (VOCAB / 2)), zeros(TARGETS * VOCAB)],
      params: { rows: TARGETS, cols: VOCAB / 2, srcStride: VOCAB / 2, srcOff: 0, dstStride: VOCAB, dstOff: 0 },
      bytes: 4 * TARGETS * VOCAB,
    },
  ],
  rmsnorm: () => [
    norm('layer', T, D),
    norm('q norm', T * HEADS, HEAD_DIM),
    norm('decode layer', LIVE, D),
    norm('decode q norm', LIVE * HEADS, HEAD_DIM),
  ],
  rmsnorm_dx: () => [
    {
      use: `layer, ${T} rows of ${D}`,
      buffers: [floats(elements), floats(D), positive(T), floats(elements), zeros(elements)],
      params: { rows: T, dim: D, beta: 1 },
      bytes: 16 * elements,
    },
  ],
  rmsnorm_dw: () => [
    {
      use: `layer, ${T} rows of ${D}`,
      buffers: [floats(elements), positive(T), floats(elements), zeros(D)],
      params: { rows: T, dim: D, beta: 0 },
      bytes: 8 * elements,
    },
  ],
  rope: () => [rotation('q', T, 0), rotation('decode q', LIVE, DECODED)],
  swiglu: () => [activation('train', T), activation('decode', LIVE)],
  swiglu_grad: () => [
    {
      use: `train, ${T} rows`,
      buffers: [floats(T * FFN), floats(T * FFN), floats(T * FFN), zeros(T * FFN), zeros(T * FFN)],
      params: { n: T * FFN },
      bytes: 20 * T * FFN,
    },
  ],
  attention: () => [
    {
      use: `train, ${T} rows`,
      buffers: [floats(T * Q), floats(T * KV), floats(T * KV), batch.ranges, zeros(T * Q), lse.slice()],
      params: { ...attended, grow: 0 },
      flops: 4 * HEAD_DIM * PAIRS,
    },
    decodeAttention(),
  ],
  attention_f16: () => [decodeHalves()],
  attention_delta: () => [
    {
      use: `train, ${T} rows`,
      buffers: [floats(T * Q), floats(T * Q), lse.slice()],
      params: { rows: T, heads: HEADS, headDim: HEAD_DIM },
      bytes: 8 * T * Q,
    },
  ],
  attention_dq: () => [
    {
      use: `train, ${T} rows`,
      buffers: [floats(T * Q), floats(T * KV), floats(T * KV), batch.ranges, lse, floats(T * Q), zeros(T * Q)],
      params: attended,
      flops: 6 * HEAD_DIM * PAIRS,
    },
  ],
  attention_dkv: () => [
    {
      use: `train, ${T} rows`,
      buffers: [
        ...[floats(T * Q), floats(T * KV), floats(T * KV), lse],
        ...[floats(T * Q), batch.qEnd, zeros(T * KV), zeros(T * KV)],
      ],
      params: attended,
      flops: 8 * HEAD_DIM * PAIRS,
    },
  ],
  logprob: () => [
    {
      use: `${TARGETS} rows of ${VOCAB}`,
      buffers: [floats(TARGETS * VOCAB), below(TARGETS, VOCAB), zeros(TARGETS * 3)],
      params: { rows: TARGETS, vocab: VOCAB, rowOff: 0 },
      bytes: 4 * TARGETS * VOCAB,
    },
  ],
  logprob_grad: () => [
    {
      use: `${TARGETS} rows of ${VOCAB}`,
      buffers: [
        ...[floats(TARGETS * VOCAB), below(TARGETS, VOCAB)],
        ...[zeros(TARGETS * 3).fill(Math.log(VOCAB)), floats(TARGETS)],
      ],
      params: { rows: TARGETS, vocab: VOCAB, rowOff: 0 },
      bytes: 8 * TARGETS * VOCAB,
    },
  ],
  logprob_entropy_grad: () => [
    {
      use: `${TARGETS} rows of ${VOCAB}`,
      buffers: [
        ...[floats(TARGETS * VOCAB), below(TARGETS, VOCAB)],
        ...[zeros(TARGETS * 3).fill(Math.log(VOCAB)), floats(TARGETS), floats(TARGETS)],
      ],
      params: { rows: TARGETS, vocab: VOCAB, rowOff: 0 },
      bytes: 8 * TARGETS * VOCAB,
    },
  ],
  reverse_kl: () => [
    {
      use: `${TARGETS} rows of ${VOCAB}`,
      buffers: [...divergent(), zeros(TARGETS)],
      params: { rows: TARGETS, vocab: VOCAB, rowOff: 0 },
      bytes: 8 * TARGETS * VOCAB,
    },
  ],
  reverse_kl_grad: () => [
    {
      use: `${TARGETS} rows of ${VOCAB}`,
      buffers: [...divergent(), positive(TARGETS), floats(TARGETS)],
      params: { rows: TARGETS, vocab: VOCAB, rowOff: 0 },
      bytes: 12 * TARGETS * VOCAB,
    },
  ],
  sample: () => [
    {
      use: `decode, ${LIVE} rows of ${VOCAB}`,
      buffers: [
        ...[floats(LIVE * VOCAB), Uint32Array.from({ length: LIVE }, (_, i) => i), below(LIVE * 2, 2 ** 31)],
        ...[new Uint32Array(LIVE), new Uint32Array(LIVE * MAX_NEW), zeros(LIVE * MAX_NEW), new Uint32Array(LIVE)],
        new Uint32Array(LIVE),
      ],
      // No token is an end: every call samples every row.
      params: {
        rows: LIVE,
        vocab: VOCAB,
        t: DECODED,
        maxNew: MAX_NEW,
        temperature: 1,
        endA: VOCAB,
        endB: VOCAB,
        padToken: 0,
        ends: 0,
        endsAt: 0,
      },
      bytes: 4 * LIVE * VOCAB,
    },
  ],
  adapter_grad: () => [
    {
      use: `a segment, ${SEGMENT_ROWS} rows of ${D}`,
      buffers: [floats(SEGMENT_ROWS * D), floats(SEGMENT_ROWS * D), zeros(D)],
      params: { rows: SEGMENT_ROWS, r: D, rowOff: 0, outOff: 0, beta: 0 },
      bytes: 8 * SEGMENT_ROWS * D,
    },
  ],
  row_dot: () => [
    {
      use: `${D} rows of ${FFN}`,
      buffers: [floats(D * FFN), floats(D * FFN), zeros(D)],
      params: { r: D, cols: FFN, outOff: 0, beta: 0 },
      bytes: 8 * D * FFN,
    },
  ],
  jacobi_round: () => [jacobi()],
  project: () => [projection()],
  adamw: () => [optimizer('adapterParams', 3072), optimizer('all weights', 853_376)],
  svd_gram: () => [blockProducts()],
  svd_turn: () => [blockRotations()],
  svd_apply: () => [blockTurn()],
};

/** The SVDs of the model's Linears: their shape [dOut, dIn] and the Linears that have it. */
export const SVD_SHAPES: readonly { dOut: number; dIn: number; use: string }[] = [
  { dOut: Q, dIn: D, use: 'q, o' },
  { dOut: KV, dIn: D, use: 'k, v' },
  { dOut: FFN, dIn: D, use: 'gate, up' },
  { dOut: D, dIn: FFN, use: 'down' },
];

export function matrix(rows: number, cols: number): Float32Array {
  return floats(rows * cols);
}

/** Returns the largest of the cases on which tests compare implementations. */
function largestCase(kernel: KernelName): Omit<KernelCall, 'kernel'> {
  const size = ({ buffers }: KernelCase) => buffers.reduce((sum, { length }) => sum + length, 0);
  const [largest] = kernelCases()
    .filter((one) => one.kernel === kernel)
    .sort((a, b) => size(b) - size(a));
  if (!largest) throw new RangeError(`the kernel ${kernel} has neither a call here nor a case beside its contract`);
  return { use: 'its largest case', ...largest };
}

export const callsOf = (kernel: KernelName): readonly KernelCall[] =>
  (CALLS[kernel]?.() ?? [largestCase(kernel)]).map((call) => ({ ...call, kernel }) as KernelCall);

/** Yields one kernel's calls at a time and makes their data on demand: together they take half a gigabyte. */
export function* kernelCalls(): Generator<KernelCall> {
  for (const kernel of KERNEL_NAMES) yield* callsOf(kernel);
}
