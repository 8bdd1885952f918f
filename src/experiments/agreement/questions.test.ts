// The questions' words: each once, and each in docs/cat.md with the rows that it is judged by.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CAT_QUESTIONS } from './questions.ts';

it('has words for each question once, and the page has the question', () => {
  const page = readFileSync('docs/cat.md', 'utf8');
  const ids = CAT_QUESTIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, title, hypothesis, falsified, rule } of CAT_QUESTIONS) {
    expect(page.includes(`| ${id} | `), id).toBe(true);
    for (const word of ['holds:', 'fails:', 'open:']) {
      // Some rules have no third way, and some refer to the one before.
      if (!/^As /.test(rule) && !(word === 'open:' && /fails: (else|the first)/.test(rule)))
        expect(rule, id).toContain(word);
    }
    expect([title, hypothesis, falsified].every((text) => text.length > 5)).toBe(true);
  }
});
