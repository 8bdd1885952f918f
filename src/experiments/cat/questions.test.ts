// The questions' words: each once, and each in docs/lab-book/cat.md with the rows that it is judged by.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keysOf } from '../judge/rule.ts';
import { CAT_QUESTIONS, type CatQuestion } from './questions.ts';

it('has words for each question once, and the page has the question', () => {
  const page = readFileSync('docs/lab-book/cat.md', 'utf8');
  const ids = CAT_QUESTIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, title, hypothesis, falsified, names, rule } of CAT_QUESTIONS as readonly CatQuestion[]) {
    expect(page.includes(`| ${id} | `), id).toBe(true);
    expect([title, hypothesis, falsified].every((text) => text.length > 5)).toBe(true);
    // The rule asks of what is named, of all of it, and ends with what else.
    expect(keysOf(rule).sort(), id).toEqual(Object.keys(names).sort());
    expect(rule.cases.at(-1)?.when, id).toBeUndefined();
  }
});
