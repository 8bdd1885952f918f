// Finds the rollouts of an experiment that are most worth reading (its own hacks, its flattery, a wrong vote), in the newest step of a run
// that has any. Nothing is suggested if nothing matches.

import { isVanillaEquivalent } from '../../experiments/analysis/vanilla.ts';
import { rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { NO_FILTER, passesFilter } from './rollouts.ts';
import type { RolloutSource } from './source.ts';

export interface SuggestedRollout {
  /** Label of the button. */
  words: string;
  runId: string;
  step: number;
  verdict: string;
}

/** Number of steps that are searched in one request, from the last one backwards. */
const STEPS_PER_SEARCH = 10;

/** Null if no rollout of the student matches any verdict that its environment names. */
export async function suggestRollout(
  runs: readonly RunRecord[],
  heads: RolloutSource['heads'],
): Promise<SuggestedRollout | null> {
  const arms = runs.map(({ spec }) => spec.arm);
  // Vanilla's run, or one that trains like vanilla, is searched first, because it learns the hack first.
  const isPlain = ({ spec }: RunRecord) => isVanillaEquivalent(spec.arm, arms);
  const inOrder = [...runs.filter(isPlain), ...runs.filter((run) => !isPlain(run))];
  for (const { words, verdict } of rolloutPresentationOf(runs[0]?.spec.environment ?? '').worthReading) {
    for (const { id, rows } of inOrder) {
      const steps = rows.map(({ step }) => step);
      for (let end = steps.length; end > 0; end -= STEPS_PER_SEARCH) {
        const span = { runId: id, steps: steps.slice(Math.max(0, end - STEPS_PER_SEARCH), end) };
        const found = (await heads([span], '')).findLast((head) =>
          passesFilter({ ...NO_FILTER, source: 'student', verdict }, head),
        );
        if (found) return { words, runId: id, step: found.step, verdict };
      }
    }
  }
  return null;
}
