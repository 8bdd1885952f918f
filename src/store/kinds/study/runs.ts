// The runs behind a question: grouped by what decides them besides their seed, each there or not, and where it was made.

import { runsOf } from '../../../../research/series/study/plan.ts';
import type { QuestionId } from '../../../../research/series/study/types.ts';
import { ARMS } from '../../../experiments/config/spec.ts';
import { planOf } from './missing.ts';
import type { QuestionsState } from './state.ts';

interface RunSlot {
  seed: number;
  /** Null: not run. */
  runId: string | null;
  isHere: boolean;
}

export interface RunGroup {
  label: string;
  /** What differs from the defaults, as the study's key writes it. */
  settings: string;
  slots: RunSlot[];
}

export function runGroups(
  question: QuestionId,
  { published, own }: Pick<QuestionsState, 'published' | 'own'>,
): RunGroup[] {
  const groups = new Map<string, RunGroup>();
  for (const { key, spec } of runsOf(planOf(question))) {
    // `route/update, seed 41, honestShare 0, steps 40`
    const settings = key.split(', ').slice(2).join(', ');
    const id = `${key.split(', ')[0]}, ${settings}`;
    const group = groups.get(id) ?? { label: ARMS[spec.arm].label, settings, slots: [] };
    groups.set(id, group);
    const found = published.get(key) ?? own.get(key);
    group.slots.push({ seed: spec.seed, runId: found?.record.id ?? null, isHere: !published.has(key) && own.has(key) });
  }
  for (const { slots } of groups.values()) slots.sort((a, b) => a.seed - b.seed);
  return [...groups.values()];
}
