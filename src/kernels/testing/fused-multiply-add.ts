// Emulates a fused multiply-add: a·b + c of three single-precision numbers, rounded once to single precision. The product is exact in
// double precision; the sum is first rounded to odd, so that the rounding to single precision is the only one that matters (Boldo and
// Melquiond, 2008).
const double = new Float64Array(1);
const bits = new BigUint64Array(double.buffer);

export function fusedMultiplyAdd(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  // `lost` is the exact rounding error of the sum (Knuth's TwoSum).
  const tail = sum - product;
  const lost = product - (sum - tail) + (c - tail);
  if (lost === 0 || !Number.isFinite(sum)) return Math.fround(sum);
  double[0] = sum;
  // Rounds to odd: a sum with an even last bit moves to its odd neighbour in the direction of the error.
  if (bits[0] % 2n === 0n) bits[0] += lost > 0 === sum > 0 ? 1n : -1n;
  return Math.fround(double[0]);
}
