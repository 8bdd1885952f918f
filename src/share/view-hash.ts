// Whose an address's part after # is: an experiment's, or of a view that has its own: a probe's results, a run of an agent,
// a sweep. Alone, because every page asks.

/** Before a probe's packed results. */
export const PROBE_MARK = 'probe1.';
/** Before an agent's run. */
export const ARE_MARK = 'are1.';
/** Before a sweep. */
export const SWEEP_MARK = 'sweep1.';

const begins = (hash: string, mark: string): boolean => hash.replace(/^#/, '').startsWith(mark);

export const isProbeHash = (hash: string): boolean => begins(hash, PROBE_MARK);
export const isAreHash = (hash: string): boolean => begins(hash, ARE_MARK);
export const isSweepHash = (hash: string): boolean => begins(hash, SWEEP_MARK);
export const isOfAView = (hash: string): boolean =>
  [PROBE_MARK, ARE_MARK, SWEEP_MARK].some((mark) => begins(hash, mark));
