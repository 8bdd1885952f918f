// Exact values of written numbers: integers, decimals and fractions, so that 1/2, 0.5 and 2/4 are one answer. A leaf.

/** In lowest terms, den > 0. */
export interface Rational {
  num: bigint;
  den: bigint;
}

/** A longer text is no number: products of two such stay small, whatever a model writes. */
export const MAX_LENGTH = 40;

const DECIMAL = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)$/;
const LATEX_FRACTION = /^([+-]?)\s*\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}$/;

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

function reduced(num: bigint, den: bigint): Rational {
  const [n, d] = den < 0n ? [-num, -den] : [num, den];
  const common = gcd(n, d);
  return { num: n / common, den: d / common };
}

function decimal(text: string): Rational | null {
  const found = DECIMAL.exec(text.trim());
  if (!found) return null;
  const [, sign, digits] = found;
  const [whole, part = ''] = digits.split('.');
  const value = BigInt(whole + part);
  return reduced(sign === '-' ? -value : value, 10n ** BigInt(part.length));
}

function quotient(above: Rational | null, below: Rational | null): Rational | null {
  if (!above || !below || below.num === 0n) return null;
  return reduced(above.num * below.den, above.den * below.num);
}

/** `12`, `-3.50`, `7/2`, `\frac{7}{2}`; null for anything else, a division by nought among it. */
export function parseRational(text: string): Rational | null {
  if (text.length > MAX_LENGTH) return null;
  const plain = text.trim();
  const latex = LATEX_FRACTION.exec(plain);
  if (latex) {
    const value = quotient(decimal(latex[2]), decimal(latex[3]));
    return value && latex[1] === '-' ? { num: -value.num, den: value.den } : value;
  }
  const parts = plain.split('/');
  if (parts.length === 1) return decimal(plain);
  return parts.length === 2 ? quotient(decimal(parts[0]), decimal(parts[1])) : null;
}

/** `7/2`, `-3`. */
export const showRational = ({ num, den }: Rational): string => (den === 1n ? `${num}` : `${num}/${den}`);

export const sameValue = (a: Rational, b: Rational): boolean => a.num === b.num && a.den === b.den;
