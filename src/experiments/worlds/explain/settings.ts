// The explanations' own settings, by name and type.
import type { Grading } from '../../../environments/explain/types.ts';

export interface ExplainSettings {
  /** Whom an answer is paid by. */
  grading: Grading;
  /** Tokens of an answer; a longer one is paid −1 by a model. 0: none. */
  answerBudget: number;
}
