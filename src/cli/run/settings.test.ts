import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SETTING_NAMES } from '../../experiments/spec/spec.ts';
import { settingsMarkdown, settingsText } from './settings.ts';

it('lists every option once, and docs/options.md is that list', () => {
  const docs = readFileSync(new URL('../../../docs/options.md', import.meta.url), 'utf8');
  expect(docs).toBe(`${settingsMarkdown()}\n`);
  for (const name of SETTING_NAMES) {
    expect(docs.split(`| \`${name}\` |`)).toHaveLength(2);
    expect(settingsText()).toContain(`${name} `);
  }
});
