// One-line Python problems as an Environment: one prompt, one answer, the end.
import type { Dynamics, Observation } from '../types.ts';
import type { CodeProblem } from './types.ts';

export interface CodeEpisode {
  readonly problem: CodeProblem;
  /** What the model answered; null until it has. */
  readonly completion: string | null;
}

export const codeDynamics: Dynamics<CodeProblem, CodeEpisode> = {
  id: 'one-line-python',
  begin: (problem) => ({ problem, completion: null }),
  observe: ({ problem, completion }): Observation =>
    completion === null ? { kind: 'prompt', text: problem.prompt } : { kind: 'end' },
  act: async (episode, completion) => ({ ...episode, completion }),
};
