// A file of a person's own problems as what a run acts in. A spec names it by its contents: `environment` is `custom:<sha-256>`, so that a
// record means exactly these problems and these checks.
import type { Dynamics, Observation } from '../types.ts';
import type { CustomProblem } from './problem-file.ts';

const PREFIX = 'custom:';

/** What spec.environment says for a file with this hex sha-256. */
export const customEnvironmentId = (sha256: string): string => PREFIX + sha256;

/** The hash of the file that an environment's name stands for; null for any other environment. */
export const customFileOf = (environment: string): string | null =>
  new RegExp(`^${PREFIX}([0-9a-f]{64})$`).exec(environment)?.[1] ?? null;

export interface CustomEpisode {
  readonly problem: CustomProblem;
  readonly isOver: boolean;
}

/** One prompt, one answer, the end. */
export const customDynamics = (sha256: string): Dynamics<CustomProblem, CustomEpisode> => ({
  id: customEnvironmentId(sha256),
  begin: (problem) => ({ problem, isOver: false }),
  observe: ({ problem, isOver }): Observation => (isOver ? { kind: 'end' } : { kind: 'prompt', text: problem.prompt }),
  act: async ({ problem }) => ({ problem, isOver: true }),
});
