// The gamma function and the mean length of a Gaussian vector: what the null of the overlap is made of. A leaf.

// Lanczos' approximation, g = 7, n = 9 (Godfrey's coefficients): about 15 digits for x > 0.
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** ln Γ(x), x > 0. */
export function lnGamma(x: number): number {
  if (!(x > 0)) throw new RangeError(`lnGamma(x) needs x > 0, got ${x}`);
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - lnGamma(1 - x);
  let series = LANCZOS[0];
  for (let i = 1; i < LANCZOS.length; i++) series += LANCZOS[i] / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}

/** χ_n = E‖z‖ for z standard normal in n dimensions = √2 Γ((n+1)/2) / Γ(n/2); χ_0 = 0. */
export function meanNorm(n: number): number {
  return n === 0 ? 0 : Math.SQRT2 * Math.exp(lnGamma((n + 1) / 2) - lnGamma(n / 2));
}
