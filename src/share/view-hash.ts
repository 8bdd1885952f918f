// Owner of an address's part after #: an experiment, or a view: a probe's results, a run of an agent, a sweep. It is a file of its own,
// because every page asks.

/** Prefix of a probe's packed results. */
export const PROBE_MARK = 'probe1.';
/** Prefix of an agent's run. */
export const ARE_MARK = 'are1.';
/** Prefix of a sweep. */
export const SWEEP_MARK = 'sweep1.';

const startsWithMark = (hash: string, mark: string): boolean => hash.replace(/^#/, '').startsWith(mark);

export const isProbeHash = (hash: string): boolean => startsWithMark(hash, PROBE_MARK);
export const isAreHash = (hash: string): boolean => startsWithMark(hash, ARE_MARK);
export const isSweepHash = (hash: string): boolean => startsWithMark(hash, SWEEP_MARK);
export const isOfAView = (hash: string): boolean =>
  [PROBE_MARK, ARE_MARK, SWEEP_MARK].some((mark) => startsWithMark(hash, mark));
