// A file of a person's own problems as what a run acts in. A spec names it by its contents: `environment` is `custom:<sha-256>`, so that a
// record means exactly these problems and these checks.
import { oneTurn } from '../one-turn.ts';
import type { CustomProblem } from './problem-file.ts';

const PREFIX = 'custom:';

/** What spec.environment says for a file with this hex sha-256. */
export const customEnvironmentId = (sha256: string): string => PREFIX + sha256;

/** The hash of the file that an environment's name stands for; null for any other environment. */
export const customFileOf = (environment: string): string | null =>
  new RegExp(`^${PREFIX}([0-9a-f]{64})$`).exec(environment)?.[1] ?? null;

export const customDynamics = (sha256: string) => oneTurn<CustomProblem>(customEnvironmentId(sha256));
