// a·b + c of three single-precision numbers, rounded once to single precision: what a fused multiply-add must give on every machine,
// computed without one. The product is exact in doubles; their sum is rounded to odd first, so that the rounding to single precision
// is the only one that counts (Boldo and Melquiond, 2008).
const double = new Float64Array(1);
const bits = new BigUint64Array(double.buffer);

export function fusedMultiplyAdd(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  // The sum's rounding error, exactly (Knuth's TwoSum).
  const tail = sum - product;
  const lost = product - (sum - tail) + (c - tail);
  if (lost === 0 || !Number.isFinite(sum)) return Math.fround(sum);
  double[0] = sum;
  // An even last bit goes to its odd neighbour on the lost part's side.
  if (bits[0] % 2n === 0n) bits[0] += lost > 0 === sum > 0 ? 1n : -1n;
  return Math.fround(double[0]);
}
