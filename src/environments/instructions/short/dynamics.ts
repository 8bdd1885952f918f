// A prompt, one answer, the end.
import type { Dynamics } from '../../types.ts';
import type { ShortTask } from './types.ts';

export interface ShortEpisode {
  prompt: string;
  isOver: boolean;
}

export const shortDynamics: Dynamics<ShortTask, ShortEpisode> = {
  id: 'instructions',
  begin: ({ prompt }) => ({ prompt, isOver: false }),
  observe: ({ prompt, isOver }) => (isOver ? { kind: 'end' } : { kind: 'prompt', text: prompt }),
  act: async (episode) => ({ ...episode, isOver: true }),
};
