// Tasks that know what they revise, for environments whose answers are texts, and a reward that pays a revision what it gained.
import type { Reward } from '../types.ts';
import type { Answer } from './types.ts';
import { type Gain, gainOf } from './types.ts';

/** Of a task; absent of one that is asked anew. */
export interface Revised {
  /** The last answer's quality, and how many came before. */
  before?: number;
  depth?: number;
}

/** The root with another prompt. */
export const revisionOf = <Task>(root: Task, history: readonly Answer[], prompt: string): Task & Revised => ({
  ...root,
  ...{ prompt, before: history[history.length - 1].quality, depth: history.length },
});

/** Answers to tasks asked anew are paid as they were. */
export function payingGains<Task extends Revised, Verdict>(
  reward: Reward<Task, Verdict>,
  qualityOf: (verdict: Verdict) => number,
  gain: Gain,
): Reward<Task, Verdict> {
  return {
    ...reward,
    id: `${reward.id} ${gain}`,
    async score(groups, models, signal) {
      const judged = await reward.score(groups, models, signal);
      return judged.map((own, g) => {
        const { before } = groups[g].task;
        if (before === undefined) return own;
        return own.map(({ verdict }) => ({ verdict, reward: gainOf(before, qualityOf(verdict), gain) }));
      });
    },
  };
}
