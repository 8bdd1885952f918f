// Questions of which the words stand as data beside their rules (experiments/agreement/questions.ts): those words, and what Findings
// adds to them.
import { CAT_QUESTIONS as WORDS } from '../../agreement/questions.ts';
import type { WorldQuestion } from '../types.ts';

type Added = Omit<WorldQuestion, 'id' | 'title' | 'hypothesis' | 'falsified' | 'rule'>;

export function told(id: string, added: Added): WorldQuestion {
  const { title, hypothesis, falsified, rule } = WORDS.find((words) => words.id === id)!;
  return { id, title, hypothesis, falsified, rule, ...added };
}
