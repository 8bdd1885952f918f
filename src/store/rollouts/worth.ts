// Where an experiment has the rollouts most worth reading: its own hacks, its flattery, a wrong vote; the newest step of a run that has
// any. Nothing is offered that is not there.

import { standsForVanilla } from '../../experiments/analysis/vanilla.ts';
import { rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { keeps, NO_FILTER } from './rollouts.ts';
import type { RolloutSource } from './source.ts';

export interface WorthReading {
  /** Label of the button. */
  words: string;
  runId: string;
  step: number;
  verdict: string;
}

/** Steps that are searched together, from the last one back. */
const AT_ONCE = 10;

/** Null where no rollout of the student matches anything that its environment names. */
export async function worthReading(
  runs: readonly RunRecord[],
  heads: RolloutSource['heads'],
): Promise<WorthReading | null> {
  const arms = runs.map(({ spec }) => spec.arm);
  // The lesson is learned first in vanilla's run, or in the one that trains as vanilla does.
  const isPlain = ({ spec }: RunRecord) => standsForVanilla(spec.arm, arms);
  const inOrder = [...runs.filter(isPlain), ...runs.filter((run) => !isPlain(run))];
  for (const { words, verdict } of rolloutPresentationOf(runs[0]?.spec.environment ?? '').worthReading) {
    for (const { id, rows } of inOrder) {
      const steps = rows.map(({ step }) => step);
      for (let end = steps.length; end > 0; end -= AT_ONCE) {
        const span = { runId: id, steps: steps.slice(Math.max(0, end - AT_ONCE), end) };
        const found = (await heads([span], '')).findLast((head) =>
          keeps({ ...NO_FILTER, source: 'student', verdict }, head),
        );
        if (found) return { words, runId: id, step: found.step, verdict };
      }
    }
  }
  return null;
}
