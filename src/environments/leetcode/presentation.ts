// Files of real problems as environments. A spec names a file by its contents: `environment` is `leetcode:<sha-256>`, so that a link or a
// record identifies exactly these problems, and no further setting is needed.
import { CODE_METRICS, CODE_REWARD, CODE_ROLLOUTS, CODE_SPLITS } from '../code/presentation.ts';
import type { EnvironmentEntry } from '../entry.ts';

const PREFIX = 'leetcode:';

/** The spec.environment of a problem file with this hex sha-256. */
export const leetcodeEnvironmentId = (sha256: string): string => PREFIX + sha256;

/** The hash of the problem file that this environment stands for; null for any other environment. */
export function problemFileOf(environment: string): string | null {
  return new RegExp(`^${PREFIX}([0-9a-f]{64})$`).exec(environment)?.[1] ?? null;
}

/** It has pairs, a teacher and loopholes like the code environment; its answers are not revised. */
export const LEETCODE = {
  id: 'leetcode',
  label: 'Real problems, from a file',
  named: (environment) => problemFileOf(environment) !== null,
  example: 'leetcode:<sha-256> for a file of real problems',
  pairs: true,
  teacher: true,
  loopholes: true,
  clauses: true,
  defaults: () => ({ settings: {} }),
  card: {
    question: 'Does it hold on real problems, with a larger model?',
    about: 'LeetCode problems from a file of your own, graded by CPython in this tab.',
  },
  python: 'cpython',
  kinds: 'Hack per loophole mode',
  reward: CODE_REWARD,
  rolloutPresentation: CODE_ROLLOUTS,
  metrics: CODE_METRICS,
  splits: CODE_SPLITS,
} satisfies EnvironmentEntry;
