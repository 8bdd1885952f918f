// Tasks that know what they revise, for worlds whose answers are texts: the conversation so far with the last answer in it and what its
// check said; and a reward that pays a revision what it gained.
import type { Reward } from '../types.ts';
import { type Gain, gainOf } from './gain.ts';
import type { Answer, How } from './types.ts';

/** Of a task; absent of one that is asked anew. */
export interface Revised {
  /** The last answer's quality, and how many came before. */
  before?: number;
  depth?: number;
}

const END_OF_TURN = '<|im_end|>';
const HOW: Readonly<Record<How, string>> = { improve: 'Improve it.', diverge: 'Do it another way.' };

/** The root with its prompt gone on with. `said`: what the check says of the last answer. */
export function revisedTask<Task extends { prompt: string }>(
  root: Task,
  history: readonly Answer[],
  how: How,
  said: string,
): Task & Revised {
  const { text, quality } = history[history.length - 1];
  const asked = `<|im_start|>user\n${said} ${HOW[how]}${END_OF_TURN}\n<|im_start|>assistant\n`;
  const prompt = `${root.prompt}${text}${END_OF_TURN}\n${asked}`;
  return { ...root, prompt, before: quality, depth: history.length };
}

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
