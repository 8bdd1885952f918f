// Small statistics with their edge cases stated (null instead of a made-up number).
export { type BootstrapOptions, bootstrap, bootstrapInterval, type Interval } from './bootstrap.ts';
export { lnGamma, meanNorm } from './gamma.ts';
export { mean, meanOfKnown, quantile, sd, sem, sum, Welford } from './moments.ts';
export { type PairedDifference, pairedDifference } from './paired.ts';
