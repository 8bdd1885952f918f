// What an episode of a run may take, and how a group is filled: so many rows of the teacher, the rest live rollouts. A run of one turn is
// what every run was before there were more: its only budget is maxNew.
import type { EpisodeBudgets } from '../../engine/types.ts';
import type { Settings } from './settings.ts';

/** maxTurns and maxTokens are absent in a spec that was kept before they existed: one turn. */
export type EpisodeSettings = Pick<Settings, 'maxNew'> &
  Partial<Pick<Settings, 'maxTurns' | 'maxTokens' | 'thinkingBudget'>>;

/** maxTokens 0: every turn at its longest, observations counted in. */
export function budgetsOf({ maxNew, maxTurns = 1, maxTokens = 0 }: EpisodeSettings): EpisodeBudgets {
  if (maxTurns === 1) return { maxNew, maxTokens: maxNew, maxTurns };
  return { maxNew, maxTokens: maxTokens || maxNew * maxTurns, maxTurns };
}

/** G_t = floor(G · mix + ½). */
export function teacherRows(run: Pick<Settings, 'groupSize' | 'mix'>): number {
  return Math.floor(run.groupSize * run.mix + 0.5);
}
/** G_s = G − G_t, where the prompt has teacher rows. */
export function liveRows(run: Pick<Settings, 'groupSize' | 'mix'>): number {
  return run.groupSize - teacherRows(run);
}
