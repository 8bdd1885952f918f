// A function to be explained as an Environment: one prompt, one answer, the end.
import type { Environment, Observation } from '../types.ts';
import type { ExplainTask } from './types.ts';

export interface ExplainEpisode {
  readonly task: ExplainTask;
  readonly isOver: boolean;
}

export const explainEnvironment: Environment<ExplainTask, ExplainEpisode> = {
  id: 'explain',
  begin: (task) => ({ task, isOver: false }),
  observe: ({ task, isOver }): Observation => (isOver ? { kind: 'end' } : { kind: 'prompt', text: task.prompt }),
  act: async (episode) => ({ ...episode, isOver: true }),
};
