// Generated scenarios as an Environment of several turns: the model writes one action of the compact language a turn, is shown what came
// of it, and ends by writing to the user. A state is all that was said; each act plays the scenario again from its beginning (about
// two milliseconds), so that a state can be gone on from as often as one likes.
import type { Dynamics, Observation } from '../types.ts';
import { playEpisode, saying } from './play.ts';
import { shownAfter } from './prompt.ts';
import type { AgentTask } from './types.ts';

export interface AgentEpisode {
  readonly task: AgentTask;
  readonly said: readonly string[];
  /** What is shown next; null where the episode is over. */
  readonly next: string | null;
}

export const agentsDynamics: Dynamics<AgentTask, AgentEpisode> = {
  id: 'agents',
  begin: (task) => ({ task, said: [], next: task.prompt }),
  observe: ({ next }): Observation => (next === null ? { kind: 'end' } : { kind: 'prompt', text: next }),
  async act({ task, said }, completion, ended = true) {
    const all = [...said, completion];
    const { next } = await playEpisode(task, saying(all));
    return { task, said: all, next: next === null ? null : shownAfter(next, ended) };
  },
};
