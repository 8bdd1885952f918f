// Tests every question on rows: its rule uses only named estimates, has a sentence for each verdict, and ends with a default case.
import { expect, it } from 'vitest';
import { keysOf, verdictText } from '../../src/experiments/judge/rule.ts';
import { wordsOf } from '../judge/question.ts';
import { ENVIRONMENT_QUESTIONS } from './questions.ts';

const ALL = Object.values(ENVIRONMENT_QUESTIONS).flat();

it.each(ALL.map((question) => [question.id, question] as const))('%s has verdicts in words', (_, question) => {
  const { names, rule, says, title, hypothesis, falsified, caveat } = question;
  for (const key of keysOf(rule)) expect(Object.keys(names)).toContain(key);
  expect(rule.cases.at(-1)?.when).toBeUndefined();
  // Status and reason identify a case, so no two cases may share both.
  const verdicts = rule.cases.map(({ status, because = null }) => verdictText({ status, because }));
  expect(new Set(verdicts).size).toBe(verdicts.length);
  for (const verdict of verdicts) expect(says[verdict] ?? says[verdict.split(':')[0]], verdict).toMatch(/\.$/);
  for (const text of [title, hypothesis, falsified, caveat, wordsOf(question).rule])
    expect(text.length).toBeGreaterThan(5);
});
