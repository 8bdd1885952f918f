// How a group is filled: with so many rows of the teacher, and the rest with live rollouts.
import type { Settings } from './settings.ts';

/** G_t = floor(G · mix + ½). */
export function teacherRows(run: Pick<Settings, 'groupSize' | 'mix'>): number {
  return Math.floor(run.groupSize * run.mix + 0.5);
}
/** G_s = G − G_t, where the prompt has teacher rows. */
export function liveRows(run: Pick<Settings, 'groupSize' | 'mix'>): number {
  return run.groupSize - teacherRows(run);
}
