// What an address's part after # belongs to: an experiment, or a view (a probe's results, an agent's run, a sweep). This is a separate file,
// because every page needs it.

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
