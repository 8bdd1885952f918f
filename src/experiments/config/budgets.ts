// Token and turn limits of an episode, and the composition of a group: teacher rows and live rollouts. A single-turn run behaves as before
// multi-turn episodes existed: its only limit is maxNew.
import type { EpisodeBudgets } from '../../engine/types.ts';
import type { Settings } from './settings.ts';

/** Older specs lack maxTurns and maxTokens, which means one turn. */
export type EpisodeSettings = Pick<Settings, 'maxNew'> &
  Partial<Pick<Settings, 'maxTurns' | 'maxTokens' | 'thinkingBudget' | 'kvCache'>>;

/** If maxTokens is 0, every turn may have its full length; observations count towards the sum. */
export function budgetsOf({ maxNew, maxTurns = 1, maxTokens = 0 }: EpisodeSettings): EpisodeBudgets {
  if (maxTurns === 1) return { maxNew, maxTokens: maxNew, maxTurns };
  return { maxNew, maxTokens: maxTokens || maxNew * maxTurns, maxTurns };
}

/** G_t = floor(G · mix + ½). */
export function teacherRows(run: Pick<Settings, 'groupSize' | 'mix'>): number {
  return Math.floor(run.groupSize * run.mix + 0.5);
}
/** G_s = G − G_t, for prompts that have teacher rows. */
export function liveRows(run: Pick<Settings, 'groupSize' | 'mix'>): number {
  return run.groupSize - teacherRows(run);
}
