// Exact values: quotients of arbitrarily large integers in lowest terms, so that 1/2, 0.5 and 2/4 are equal and no digit is lost.

/** A quotient in lowest terms, den > 0. */
export interface Rational {
  num: bigint;
  den: bigint;
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** `den` must not be 0. */
export function rational(num: bigint, den = 1n): Rational {
  const [n, d] = den < 0n ? [-num, -den] : [num, den];
  if (d === 1n) return { num: n, den: d };
  const common = gcd(n, d);
  return { num: n / common, den: d / common };
}

export const times = (a: Rational, b: Rational): Rational => rational(a.num * b.num, a.den * b.den);
export const plus = (a: Rational, b: Rational): Rational => rational(a.num * b.den + b.num * a.den, a.den * b.den);
export const negative = ({ num, den }: Rational): Rational => ({ num: -num, den });
/** `b` must not be 0. */
export const over = (a: Rational, b: Rational): Rational => rational(a.num * b.den, a.den * b.num);

export const sameValue = (a: Rational, b: Rational): boolean => a.num === b.num && a.den === b.den;

/** Whether |a − b| ≤ `tolerance`. */
export function isWithin(a: Rational, b: Rational, tolerance: Rational): boolean {
  const difference = plus(a, negative(b));
  const size = difference.num < 0n ? -difference.num : difference.num;
  return size * tolerance.den <= tolerance.num * difference.den;
}

/** For example `7/2`, `-3`. */
export const showRational = ({ num, den }: Rational): string => (den === 1n ? `${num}` : `${num}/${den}`);
