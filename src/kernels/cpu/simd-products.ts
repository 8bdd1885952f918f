// Matrix products behind the contract (simd-programs.ts), and those of a packed matrix, which unpack it first.
import { runCut } from './cut.ts';
import { FEW_ROWS } from './panels.ts';
import type { Simd } from './simd.ts';
import { F, MOVED, type SimdProgram } from './simd.ts';

type Products = { readonly [K in 'matmul' | 'matmul_f16' | 'matmul_q8h']: SimdProgram<K> };

export const SIMD_PRODUCTS: Products = {
  matmul: (simd, [a, b, c], { m, n, k, aOff, bOff, cOff, ta, tb, beta }) => {
    const panels = m <= FEW_ROWS && tb === 1 && bOff === 0 ? simd.panels.of(b, n, k) : 0;
    product(simd, [a + aOff * F, b + bOff * F, c + cOff * F, m, n, k, ta, tb, beta], panels);
    return true;
  },
  // For the contract's sake: here the engine unpacks, since panels are packed from f32 in any case.
  matmul_f16: (simd, [a, b, c], { m, n, k, aOff, bOff, cOff, beta }) => {
    unpackedFirst(simd, [a + aOff * F, c + cOff * F, m, n, k, beta], (whole) => {
      const args = (from: number, count: number) => [b + (bOff + from) * 2, whole + from * F, count];
      runCut(simd, 'unpackF16', { of: n * k, unit: 8, cost: MOVED, args });
    });
    return true;
  },
  matmul_q8h: (simd, [a, b, scale, c], { m, n, k, aOff, bOff, cOff, beta, block }) => {
    unpackedFirst(simd, [a + aOff * F, c + cOff * F, m, n, k, beta], (whole) => {
      const args = (from: number, count: number) => [b, scale, whole + from * F, count, bOff + from, block];
      runCut(simd, 'unpackQ8h', { of: n * k, unit: block, cost: MOVED, args });
    });
    return true;
  },
};

/** C = op(A) op(B) + beta·C: addresses, m, n, k, ta, tb and beta as the module takes them. `panels`: what was packed of B, or 0. */
function product(simd: Simd, of: readonly number[], panels: number): void {
  const [, , , m, n, k] = of;
  // Every piece packs the whole of the side that is not cut: the smaller one.
  const byRows = m > n;
  runCut(
    simd,
    'matmul',
    {
      ...(byRows ? { of: m, unit: 4, cost: n * k } : { of: n, unit: 8, cost: m * k }),
      args: (at, count) => [...of, ...(byRows ? [at, at + count, 0, n] : [0, m, at, at + count]), panels],
      scratch: simd.wasm.matmulScratch(m, n, k) >>> 0,
    },
    1,
  );
}

/** The product [m, n] of a and a matrix [n, k] that is unpacked into room of its own. */
function unpackedFirst(simd: Simd, [a, c, m, n, k, beta]: number[], unpack: (to: number) => void): void {
  const whole = simd.heap.allocate(n * k * F);
  try {
    unpack(whole);
    product(simd, [a, whole, c, m, n, k, 0, 1, beta], 0);
  } finally {
    simd.heap.release(whole);
  }
}
