// Reference kernels of block Jacobi SVD, in double precision: inner products of two blocks' rows, the rotation that makes them
// orthogonal, and its application. The SIMD versions are in wasm/svd.ts.
import type { FloatArray } from '../device.ts';
import type { Reference } from './reference.ts';

/** Rows of a block, and of a pair of blocks. */
export const BLOCK = 16;
export const PAIR = 2 * BLOCK;

/** Offsets in x of the 32 rows of blocks (I, J); −1 for a row past n. */
function rowsOf(pairs: Uint32Array, pair: number, n: number, stride: number): number[] {
  return Array.from({ length: PAIR }, (_, k) => {
    const row = pairs[pair * 2 + (k < BLOCK ? 0 : 1)] * BLOCK + (k % BLOCK);
    return row < n ? row * stride : -1;
  });
}

export const svdGram: Reference<'svd_gram'> = ([x, pairs, gram], { n, m, stride, slices, count, pairOff }) => {
  const length = Math.ceil(m / slices);
  for (let i = 0; i < count; i++) {
    const rows = rowsOf(pairs, pairOff + i, n, stride);
    for (let s = 0; s < slices; s++) {
      const at = (i * slices + s) * PAIR * PAIR;
      const end = Math.min(m, (s + 1) * length);
      for (let p = 0; p < PAIR; p++)
        for (let q = p; q < PAIR; q++) {
          let sum = 0;
          if (rows[p] >= 0 && rows[q] >= 0)
            for (let j = s * length; j < end; j++) sum += x[rows[p] + j] * x[rows[q] + j];
          gram[at + p * PAIR + q] = sum;
          gram[at + q * PAIR + p] = sum;
        }
    }
  }
};

/** One round of the circle method (round-robin tournament): 16 disjoint pairs of 0 … 31, the smaller first. */
function pairsOfRound(round: number): [number, number][] {
  return Array.from({ length: BLOCK }, (_, i) => {
    const p = i === 0 ? PAIR - 1 : (round + i) % (PAIR - 1);
    const q = (round + PAIR - 1 - i) % (PAIR - 1);
    return [Math.min(p, q), Math.max(p, q)];
  });
}

const ROUNDS = Array.from({ length: PAIR - 1 }, (_, round) => pairsOfRound(round));

export const svdTurn: Reference<'svd_turn'> = ([gram, q, report], { slices, sweeps, count, pairOff, tol, floor }) => {
  const g = new Float64Array(PAIR * PAIR);
  const turn = new Float64Array(PAIR * PAIR);
  for (let i = 0; i < count; i++) {
    g.fill(0);
    for (let s = 0; s < slices; s++)
      for (let k = 0; k < PAIR * PAIR; k++) g[k] += gram[(i * slices + s) * PAIR * PAIR + k];
    const to = (pairOff + i) * 3;
    const cosine = largestCosine(g, floor);
    report[to] = cosine;
    report[to + 1] = Math.max(...Array.from({ length: PAIR }, (_, p) => g[p * (PAIR + 1)]));
    report[to + 2] = cosine > tol ? 1 : 0;
    if (!(cosine > tol)) continue;
    turn.fill(0);
    for (let p = 0; p < PAIR; p++) turn[p * (PAIR + 1)] = 1;
    for (let sweep = 0; sweep < sweeps; sweep++)
      for (const round of ROUNDS) for (const [a, b] of round) rotatePair(g, turn, a, b, tol, floor);
    // Rounding can make a diagonal element negative; it must not be sorted after the zero rows past n.
    const diagonal = Array.from({ length: PAIR }, (_, p) => Math.max(0, g[p * (PAIR + 1)]));
    const order = diagonal.map((_, p) => p).sort((a, b) => diagonal[b] - diagonal[a] || a - b);
    for (let p = 0; p < PAIR; p++)
      for (let k = 0; k < PAIR; k++) q[i * PAIR * PAIR + p * PAIR + k] = turn[order[p] * PAIR + k];
  }
};

function largestCosine(g: Float64Array, floor: number): number {
  let largest = 0;
  for (let p = 0; p < PAIR; p++)
    for (let q = p + 1; q < PAIR; q++) {
      const alpha = g[p * (PAIR + 1)];
      const beta = g[q * (PAIR + 1)];
      if (alpha > floor && beta > floor)
        largest = Math.max(largest, Math.abs(g[p * PAIR + q]) / (Math.sqrt(alpha) * Math.sqrt(beta)));
    }
  return largest;
}

/** G ← J G Jᵀ, turn ← J turn, for the rotation J of rows p and q that makes G_pq zero. */
function rotatePair(g: Float64Array, turn: Float64Array, p: number, q: number, tol: number, floor: number): void {
  const alpha = g[p * (PAIR + 1)];
  const beta = g[q * (PAIR + 1)];
  const gamma = g[p * PAIR + q];
  if (!(alpha > floor && beta > floor && Math.abs(gamma) > tol * (Math.sqrt(alpha) * Math.sqrt(beta)))) return;
  const zeta = (beta - alpha) / (2 * gamma);
  const t = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const c = 1 / Math.sqrt(1 + t * t);
  turnRows(g, p, q, c, c * t);
  turnRows(turn, p, q, c, c * t);
  for (let k = 0; k < PAIR; k++) {
    g[k * PAIR + p] = g[p * PAIR + k];
    g[k * PAIR + q] = g[q * PAIR + k];
  }
  g[p * (PAIR + 1)] = alpha - t * gamma;
  g[q * (PAIR + 1)] = beta + t * gamma;
  g[p * PAIR + q] = 0;
  g[q * PAIR + p] = 0;
}

function turnRows(x: Float64Array, p: number, q: number, c: number, s: number): void {
  for (let k = 0; k < PAIR; k++) {
    const [a, b] = [x[p * PAIR + k], x[q * PAIR + k]];
    x[p * PAIR + k] = c * a - s * b;
    x[q * PAIR + k] = s * a + c * b;
  }
}

export const svdApply: Reference<'svd_apply'> = ([x, q, pairs, report], { n, stride, count, pairOff }) => {
  const column = new Float64Array(PAIR);
  for (let i = 0; i < count; i++) {
    if (report[(pairOff + i) * 3 + 2] === 0) continue;
    const rows = rowsOf(pairs, pairOff + i, n, stride);
    for (let j = 0; j < stride; j++) {
      for (let k = 0; k < PAIR; k++) column[k] = rows[k] >= 0 ? x[rows[k] + j] : 0;
      for (let p = 0; p < PAIR; p++) if (rows[p] >= 0) x[rows[p] + j] = product(q, (i * PAIR + p) * PAIR, column);
    }
  }
};

function product(q: FloatArray, at: number, column: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < PAIR; k++) sum += q[at + k] * column[k];
  return sum;
}
