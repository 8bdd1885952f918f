// Every script that does long work says how it is called, whoever asks, and does nothing then.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { at } from './project.mjs';

describe('a script that is asked for help', () => {
  for (const name of ['fuzz', 'campaign', 'bench', 'test', 'start'])
    it.concurrent(`${name}: prints how it is called, and begins nothing`, () => {
      for (const flag of ['--help', '-h']) {
        const { status, stdout, stderr } = spawnSync(process.execPath, [at('scripts', `${name}.mjs`), flag], {
          encoding: 'utf8',
        });
        expect([status, stderr]).toEqual([0, '']);
        expect(stdout).toMatch(name === 'test' || name === 'start' ? /^npm / : /^npm run /);
      }
    });
});
