// Questions of which words and rule stand as data (experiments/cat/questions.ts): those, and what Findings adds to them.
import { type CatQuestion, CAT_QUESTIONS as WORDS } from '../../cat/questions.ts';
import { ruleWords } from '../../judge/rule.ts';
import type { SeriesQuestion } from '../../judge/types.ts';

type Added = Omit<SeriesQuestion, 'id' | 'title' | 'hypothesis' | 'falsified' | 'rule'>;

export function catQuestion(id: string, added: Added): SeriesQuestion {
  const { title, hypothesis, falsified, names, rule } = WORDS.find((words) => words.id === id)! as CatQuestion;
  return { id, title, hypothesis, falsified, rule: ruleWords(rule, { names, unit: 'seed' }), ...added };
}
