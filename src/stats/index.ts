// Small statistics with their edge cases stated (null instead of a made-up number).
export { lnGamma, meanNorm } from './gamma.ts';
export { mean, meanOfKnown, quantile, sd, sem, sum, Welford } from './moments.ts';
