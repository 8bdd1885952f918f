import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SETTING_NAMES } from '../../experiments/config/settings.ts';
import { ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import { stepRow } from '../../experiments/records/rows-schema.ts';
import { measuresMarkdown, measuresText, settingsMarkdown, settingsText } from './settings.ts';

const docs = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

it('lists every option once, and docs/reference/options.md is that list', () => {
  expect(docs('reference/options.md')).toBe(`${settingsMarkdown()}\n`);
  for (const name of SETTING_NAMES) {
    expect(docs('reference/options.md').split(`| \`${name}\` |`)).toHaveLength(2);
    expect(settingsText()).toContain(`${name} `);
  }
});

it('lists every number that is logged, and docs/reference/measures.md is that list', () => {
  expect(docs('reference/measures.md')).toBe(`${measuresMarkdown()}\n`);
  // The numbers are scalars: not those of rollouts, of controls, of documents or of episodes.
  const parts = ['step', 'student', 'teacher', 'shadowNorms', 'shadowCin', 'objective', 'documents', 'episodes'];
  const fields = Object.keys(stepRow.shape).filter((name) => !parts.includes(name));
  for (const name of [...fields, ...ENVIRONMENTS.flatMap(({ metrics }) => metrics.map(({ id }) => id))])
    expect(measuresText()).toContain(`  ${name} `);
});
