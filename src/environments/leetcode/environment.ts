// Real problems as what a run acts in. A spec names them by their file's contents: `environment` is `leetcode:<sha-256>`, so
// that a link or a record means exactly these problems, and no setting had to be added.
import type { CodeProblem } from '../code/types.ts';
import { oneTurn } from '../one-turn.ts';

const PREFIX = 'leetcode:';

/** What spec.environment says for a problem file with this hex sha-256. */
export const leetcodeEnvironmentId = (sha256: string): string => PREFIX + sha256;

/** The hash of the problem file that an environment's name stands for; null for any other environment. */
export function problemFileOf(environment: string): string | null {
  return new RegExp(`^${PREFIX}([0-9a-f]{64})$`).exec(environment)?.[1] ?? null;
}

export const leetcodeEnvironment = (sha256: string) => oneTurn<CodeProblem>(leetcodeEnvironmentId(sha256));
