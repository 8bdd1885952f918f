// A puzzle as an Environment: one prompt, one answer, the end. What comes of an answer is the task sampler's.
import type { Dynamics, Observation } from '../types.ts';
import type { ChainTask } from './types.ts';

export interface ChainEpisode {
  readonly task: ChainTask;
  readonly isOver: boolean;
}

export const chainDynamics: Dynamics<ChainTask, ChainEpisode> = {
  id: 'chain',
  begin: (task) => ({ task, isOver: false }),
  observe: ({ task, isOver }): Observation => (isOver ? { kind: 'end' } : { kind: 'prompt', text: task.prompt }),
  act: async (episode) => ({ ...episode, isOver: true }),
};
