// Kept apart from the options, which a page that only shows runs does not load.

/** Whether the run's basis comes from trusted problems; it then spans what is kept. */
export const isTrustedBasis = ({ basisSource }: { basisSource: string }): boolean => basisSource.startsWith('trusted');

/** Whether that span is taken in Adam's metric. */
export const isAdamSpan = (run: { basisSource: string; spanMetric: string }): boolean =>
  isTrustedBasis(run) && run.spanMetric === 'adam';
