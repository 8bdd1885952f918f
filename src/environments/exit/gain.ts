// What a step of self-improvement is paid (ExIt, arXiv 2509.04575): the part of what was missing that it added.

export const GAINS = ['clipped', 'signed'] as const;
/** `clipped`, as published: nothing is paid or taken for making an answer worse. `signed`: that is punished, to -1. */
export type Gain = (typeof GAINS)[number];

/** Qualities in [0, 1]. An answer that was perfect has nothing to add: 0 if it stays, and -1 under `signed` if it does not. */
export function gainOf(before: number, after: number, gain: Gain): number {
  const lowest = gain === 'signed' ? -1 : 0;
  if (before >= 1) return after >= 1 ? 0 : lowest;
  return Math.max(lowest, (after - before) / (1 - before));
}
