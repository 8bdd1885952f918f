// Word problems as an Environment: one prompt, one answer, the end.
import type { Environment, Observation } from '../types.ts';
import type { ArithmeticProblem } from './types.ts';

export interface ArithmeticEpisode {
  readonly problem: ArithmeticProblem;
  /** What the model answered; null until it has. */
  readonly completion: string | null;
}

export const arithmeticEnvironment: Environment<ArithmeticProblem, ArithmeticEpisode> = {
  id: 'arithmetic',
  begin: (problem) => ({ problem, completion: null }),
  observe: ({ problem, completion }): Observation =>
    completion === null ? { kind: 'prompt', text: problem.prompt } : { kind: 'end' },
  act: async (episode, completion) => ({ ...episode, completion }),
};
