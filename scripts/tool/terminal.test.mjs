// Tests that every script with long work prints its usage when asked for help, and does nothing else.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { at } from './project.mjs';

describe('a script with --help', () => {
  for (const name of ['fuzz', 'campaign', 'bench', 'test', 'start'])
    it.concurrent(`${name} prints its usage, and begins nothing`, () => {
      for (const flag of ['--help', '-h']) {
        const { status, stdout, stderr } = spawnSync(process.execPath, [at('scripts', `${name}.mjs`), flag], {
          encoding: 'utf8',
        });
        expect([status, stderr]).toEqual([0, '']);
        expect(stdout).toMatch(name === 'test' || name === 'start' ? /^npm / : /^npm run /);
      }
    });
});
