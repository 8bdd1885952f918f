// Inner products of low-rank updates without forming the matrices: ⟨B A, B' A'⟩ = Σ_ij (Bᵀ B')_ij (A A'ᵀ)_ij; and the component of an update
// along the model's singular directions, p_i = u_iᵀ ΔW v_i, the δS closest to it (METHOD "Adapter (AntiPaSTO)").
import type { AdapterModule } from '../types.ts';
import type { LowRank } from './low-rank.ts';
import type { Factors } from './svd.ts';

type Sizes = Pick<AdapterModule, 'dOut' | 'dIn'>;
type Update = Pick<LowRank, 'r' | 'a' | 'b'>;

/** The Frobenius inner product of two updates of one Linear, summed in f64. */
export function innerProduct({ dOut, dIn }: Sizes, one: Update, other: Update): number {
  const [r, q] = [one.r, other.r];
  // [r, q]
  const left = new Float64Array(r * q);
  for (let o = 0; o < dOut; o++)
    for (let i = 0; i < r; i++) {
      const x = one.b[o * r + i];
      for (let j = 0; j < q; j++) left[i * q + j] += x * other.b[o * q + j];
    }
  let sum = 0;
  for (let i = 0; i < r; i++)
    for (let j = 0; j < q; j++) {
      let right = 0;
      for (let k = 0; k < dIn; k++) right += one.a[i * dIn + k] * other.a[j * dIn + k];
      sum += left[i * q + j] * right;
    }
  return sum;
}

/** p [directions]: p_i = u_iᵀ B A v_i. */
export function onDirections(
  module: Pick<AdapterModule, 'dOut' | 'dIn' | 'r'>,
  { r, a, b }: Update,
  { U, Vh }: Factors,
): Float64Array {
  const { dOut, dIn, r: directions } = module;
  const p = new Float64Array(directions);
  // Uᵀ B [directions, r]
  const left = new Float64Array(directions * r);
  for (let o = 0; o < dOut; o++)
    for (let i = 0; i < directions; i++) {
      const u = U[o * directions + i];
      for (let k = 0; k < r; k++) left[i * r + k] += u * b[o * r + k];
    }
  for (let i = 0; i < directions; i++)
    for (let k = 0; k < r; k++) {
      let right = 0;
      for (let j = 0; j < dIn; j++) right += a[k * dIn + j] * Vh[i * dIn + j];
      p[i] += left[i * r + k] * right;
    }
  return p;
}
