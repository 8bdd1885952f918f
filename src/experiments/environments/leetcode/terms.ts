// The terms of a file of real problems: those of the code substrate.
import { problemFileOf } from '../../../environments/leetcode/environment.ts';
import type { WorldTerms } from '../terms.ts';

export const LEETCODE_TERMS: WorldTerms = {
  id: 'leetcode',
  label: 'Real problems, from a file',
  named: (environment) => problemFileOf(environment) !== null,
  example: 'leetcode:<sha-256> for a file of real problems',
  pairs: true,
  teacher: true,
  loopholes: true,
  defaults: () => ({ settings: {} }),
};
