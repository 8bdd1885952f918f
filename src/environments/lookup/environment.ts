// Questions with tools as an Environment: the model calls a tool and is shown what it says, up to four times, and answers in a box.
// The turn after the last call ends the episode, whatever it says.
import type { Environment, Observation } from '../types.ts';
import { END_OF_TURN, said } from './problem.ts';
import { replyTo } from './tools.ts';
import { type LookupProblem, MOST_TURNS } from './types.ts';

export interface LookupEpisode {
  readonly problem: LookupProblem;
  /** Turns that were taken. */
  readonly turns: number;
  /** What is shown next; null where the episode is over. */
  readonly next: string | null;
}

/** What is appended after a turn; one that was cut off is closed first. */
export const shownAfter = (text: string, ended: boolean): string => `${ended ? '' : END_OF_TURN}\n${said(text)}`;

export const lookupEnvironment: Environment<LookupProblem, LookupEpisode> = {
  id: 'lookup',
  begin: (problem) => ({ problem, turns: 0, next: problem.prompt }),
  observe: ({ next }): Observation => (next === null ? { kind: 'end' } : { kind: 'prompt', text: next }),
  async act({ problem, turns }, completion, ended = true) {
    const reply = replyTo(problem, completion);
    const isOver = reply.kind === 'answer' || turns + 1 >= MOST_TURNS;
    return { problem, turns: turns + 1, next: isOver ? null : shownAfter(reply.text, ended) };
  },
};
