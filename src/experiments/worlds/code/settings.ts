// The code substrate's own settings, by name and type.
import type { Mode } from '../../../environments/code/types.ts';

export interface CodeSettings {
  /** Grader flaws that the hackable problems are divided among. */
  modes: readonly Mode[];
  /** Share of problems whose grader has none. */
  honestShare: number;
  trainOn: 'all' | 'honest';
}
