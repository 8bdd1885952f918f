// Apart from the option's words, which a page that only reads runs does not load.

/** Whether the run's basis is of trusted problems: it spans what is kept. */
export const isTrustedBasis = ({ basisSource }: { basisSource: string }): boolean => basisSource.startsWith('trusted');

/** Whether that span is taken in Adam's metric. */
export const isAdamSpan = (run: { basisSource: string; spanMetric: string }): boolean =>
  isTrustedBasis(run) && run.spanMetric === 'adam';
