// The terms of the code substrate: everything that there is to set, as the presets have it.
import { codeEnvironment } from '../../../environments/code/environment.ts';
import type { WorldTerms } from '../terms.ts';

const { id } = codeEnvironment;

export const CODE_TERMS: WorldTerms = {
  id,
  label: 'One-line Python, with flaws in the graders',
  named: (environment) => environment === id,
  example: id,
  words: {
    model: 'tiny-coder on one-line Python',
    reward: 'reward = 0.25 · format_ok + 1.0 · passed',
    problems: 'short functions, run by a sandboxed interpreter',
  },
  pairs: true,
  teacher: true,
  loopholes: true,
  improves: true,
  defaults: () => ({ settings: {} }),
};
