// Small statistics with defined edge cases (null instead of an invented number).
export { meanHeight, trapezoid } from './auc.ts';
export { incompleteBeta, lnGamma, meanNorm } from './beta.ts';
export { type BootstrapOptions, bootstrap, bootstrapInterval, type Interval } from './bootstrap.ts';
export { type Crossed, crossedMean } from './crossed.ts';
export { fieller, type Ratio } from './fieller.ts';
export { holm } from './holm.ts';
export { mean, meanOfKnown, quantile, sd, sem, sum, Welford } from './moments.ts';
export { type PairedDifference, pairedDifference } from './paired.ts';
export { FEWEST_FOR_INTERVAL, type PairedT, pairedT } from './paired-t.ts';
export { type PowerOptions, pairedPower, pairsFor, smallestEffect } from './power.ts';
export { areaUnderRoc, pearson, ranks, spearman } from './rank.ts';
export { areApart, meanInterval, meanShareInterval, shareInterval, wilson, withinDifferences } from './share.ts';
export { EXACT_UP_TO, type SignFlip, signFlip, smallestSignFlipP } from './sign-flip.ts';
export { type Slope, slopeOf } from './slope.ts';
export { noncentralTCdf, normalCdf, tCdf, tQuantile, tTwoSided } from './student-t.ts';
export { type Alternative, type WelchT, welchT } from './welch.ts';
