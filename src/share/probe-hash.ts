// Whose an address's part after # is: an experiment's, or a probe's results. Alone, because every page asks.

/** Before a probe's packed results. */
export const PROBE_MARK = 'probe1.';

export const isProbeHash = (hash: string): boolean => hash.replace(/^#/, '').startsWith(PROBE_MARK);
