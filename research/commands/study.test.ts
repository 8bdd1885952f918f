// Tests `study` end to end: it writes sweeps, `sweep run` trains them, and their runs are judged together with the published ones.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/command.ts';
import { sweepRun } from '../../src/cli/sweep/run.ts';
import { callCommand } from '../../src/cli/testing/call.ts';
import { study } from './study.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MINUTES = 60_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'study-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...args: string[]) => callCommand(study, args, { root: ROOT });

describe('study', () => {
  it(
    'answers Q2 from sweeps of two seeds of one step',
    async () => {
      const scope = ['--question', 'Q2', '--seeds', '41,42', '--steps', '1'];
      const [plans, runs] = [join(folder, 'plans'), join(folder, 'runs')];
      const { text } = await run(...scope, '--sweeps', plans);
      const files = (await readdir(plans)).sort();
      expect(files).toEqual(['1.sweep.json', '2.sweep.json']);
      expect(text).toContain('1.sweep.json: 4 runs, classic, ');
      for (const file of files) {
        const out = join(runs, file);
        const trained = await callCommand(
          sweepRun,
          [join(plans, file), '--out', out, '--threads', '1', '--jobs', '1'],
          { root: ROOT },
        );
        expect(trained.code, trained.text).toBe(EXIT.ok);
      }
      const folders = files.map((file) => join(runs, file));
      const { questions, h1 } = JSON.parse((await run(...folders, ...scope, '--json')).text);
      expect(questions.map(({ id }: { id: string }) => id)).toEqual(['Q2']);
      const [{ cells, done, planned, verdict }] = questions;
      expect([done, planned]).toEqual([8, 8]);
      expect(verdict.length).toBeGreaterThan(0);
      expect(h1.n).toBe(2);
      for (const { id, seeds, hack, solve } of cells) {
        if (id !== 'base') expect(seeds, id).toEqual([41, 42]);
        expect(hack.mean, id).toBeGreaterThanOrEqual(0);
        // The embedded model solves some problems even before training.
        expect(solve.mean, id).toBeGreaterThan(0);
      }
      // Runs that exist are not requested again.
      const left = await run(...folders, ...scope, '--sweeps', join(folder, 'left'), '--missing');
      expect(left.text).toBe('Nothing is missing: all 6 runs are there.');
    },
    10 * MINUTES,
  );

  it('answers from the published runs, which are complete', async () => {
    const { text } = await run('--question', 'Q2');
    expect(text).toContain('The hypothesis fails: erase removes less than 15 points of hack (H1).');
    const { text: missing } = await run('--sweeps', join(folder, 'none'), '--missing');
    expect(missing).toBe('Nothing is missing: all 515 runs are there.');
  });

  it('names the runs that no sweep can train', async () => {
    const { text } = await run('--question', 'Q12', '--sweeps', join(folder, 'q12'));
    expect(text).toMatch(/No sweep trains these 10 runs/);
    expect(text.match(/basisSource random_matched/g)).toHaveLength(10);
  });

  it('refuses unknown seeds, folders without runs, and flags without effect', async () => {
    await expect(run('--question', 'Q2', '--seeds', '7')).rejects.toThrow(SpecError);
    await expect(run(join(folder, 'nowhere'))).rejects.toThrow(/has no finished run/);
    await expect(run('--missing')).rejects.toThrow(/Add --sweeps|--sweeps writes/);
    await expect(run('--again')).rejects.toThrow(SpecError);
  });
});
