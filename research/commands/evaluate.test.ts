// Tests that `evaluate` continues from the published rows: runs that were evaluated again are not repeated, whatever its folder contains.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/command.ts';
import { callCommand } from '../../src/cli/testing/call.ts';
import { PROJECT } from '../judge/testing/pages.ts';
import { evaluate } from './evaluate.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evaluate-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('repeats no run whose further draws are published', async () => {
  const { code, text } = await callCommand(evaluate, ['--headline', 'L1,G1', '--out', folder], { root: PROJECT });
  expect(code, text).toBe(EXIT.ok);
  expect(text).toContain('L1: 5 of 5 runs made again, and equal to what is published.');
  expect(text).toContain('G1: 5 of 5 runs made again, and equal to what is published.');
  expect(await readdir(join(folder, 'runs'))).toEqual([]);
});
