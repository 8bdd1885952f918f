// The head of a rollout: the fields for filters and counts, without its texts. A run of 60 steps × 128 rollouts has some megabytes of heads
// but far more of texts, so the page loads all heads and only the texts that it shows.

import type { RolloutPresentation } from '../../environments/rollout-presentation.ts';
import type { RolloutRecord } from '../../experiments/records/events.ts';

/** Fields copied from the record. */
type Copied = 'step' | 'promptIndex' | 'sampleIndex' | 'taskId' | 'kind' | 'source' | 'reward' | 'advantage';

export interface RolloutHead extends Pick<RolloutRecord, Copied> {
  runId: string;
  /** One of its environment's outcomes. */
  outcome: string;
  /** Its environment's other filters that accept it. */
  kept: string[];
  /** Lines of all turns' answers, from which the page estimates heights before it has the text. */
  lines: number;
}

export function headOf(runId: string, rollout: RolloutRecord, rolloutPresentation: RolloutPresentation): RolloutHead {
  const { step, promptIndex, sampleIndex, taskId, kind, source, advantage, reward, verdict, turns } = rollout;
  return {
    runId,
    step,
    promptIndex,
    sampleIndex,
    taskId,
    kind,
    source,
    reward,
    advantage,
    outcome: rolloutPresentation.outcomeOf(verdict, kind),
    kept: rolloutPresentation.filters.filter(({ keeps }) => keeps(verdict)).map(({ name }) => name),
    lines: turns.reduce((sum, { completion }) => sum + completion.trimEnd().split('\n').length, 0),
  };
}

/** Whether an answer, a prompt, the task's name or the verdict's note contains the text, ignoring case. Every rollout contains an empty
 *  text. */
function holdsText(rollout: RolloutRecord, text: string, rolloutPresentation: RolloutPresentation): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return true;
  const { turns, taskId, verdict } = rollout;
  const fields = [
    ...turns.flatMap(({ completion, prompt }) => [completion, prompt]),
    taskId,
    rolloutPresentation.note(verdict),
  ];
  return fields.some((field) => field.toLowerCase().includes(wanted));
}

export const headsOf = (
  runId: string,
  rollouts: readonly RolloutRecord[],
  text: string,
  rolloutPresentation: RolloutPresentation,
): RolloutHead[] =>
  rollouts
    .filter((rollout) => holdsText(rollout, text, rolloutPresentation))
    .map((rollout) => headOf(runId, rollout, rolloutPresentation));
