// The reference of the docs is what the commands say of themselves.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS } from './commands.ts';
import { commandsMarkdown } from './commands-page.ts';

it('docs/reference/commands.md has every command with all its flags, as --help prints them', async () => {
  const page = await commandsMarkdown();
  expect(readFileSync(new URL('../../docs/reference/commands.md', import.meta.url), 'utf8')).toBe(`${page}\n`);
  for (const name of Object.keys(COMMANDS)) expect(page.split(`\n## ${name}\n`)).toHaveLength(2);
}, 120_000);
