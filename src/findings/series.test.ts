// Tests that a series has one name: the Lab's card and Findings ask the same question, and its docs are a page of the project.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ENVIRONMENTS } from '../experiments/environments/registry.ts';
import { SERIES } from './series.ts';

describe.each(SERIES)('$id', ({ title, environments, docs }) => {
  it.skipIf(environments.length === 0)('has the question of its environment’s card', () => {
    const cards = ENVIRONMENTS.filter(({ id }) => environments.includes(id)).map(({ card }) => card.question);
    expect(cards).toHaveLength(environments.length);
    expect(cards).toContain(title);
  });

  it('has a docs page', () => expect(existsSync(docs)).toBe(true));
});

it('no environment and no letter belongs to two series', () => {
  const all = SERIES.flatMap(({ environments }) => environments);
  expect(new Set(all).size).toBe(all.length);
  const letters = SERIES.flatMap((series) => [...series.letters]);
  expect(new Set(letters).size).toBe(letters.length);
});

it.each(SERIES)('$id has the same name in Findings and in the docs', ({ label, docs }) => {
  const page = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  expect(page(docs).split('\n')[0]).toMatch(new RegExp(`^# ${label}\\b`));
  expect(page('docs/index.md').toLowerCase()).toContain(`[${label.toLowerCase()}](${docs.replace('docs/', '')})`);
});

it('the docs have a table of each environment’s names in the Lab, in Findings, in an address and in the docs', () => {
  const text = readFileSync(new URL('../../docs/how-to/page.md', import.meta.url), 'utf8');
  const rows = SERIES.flatMap(({ environments, label, letters, docs }) =>
    environments.map((id) => {
      const { question } = ENVIRONMENTS.find((one) => one.id === id)!.card;
      const path = docs.replace('docs/', '../');
      return `| \`${id}\` | ${question} | ${label} | ${[...letters].join(', ')} | [${docs.replace('docs/', '')}](${path}) |`;
    }),
  );
  const table = text.split('\n').filter((line) => line.startsWith('| `'));
  expect(table.toSorted()).toEqual(rows.toSorted());
});
