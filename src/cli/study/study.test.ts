// `study` end to end on the CPU device: trains, prints JSON, and a second time has nothing to do.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planStudy } from '../../../research/series/study/plan.ts';
import { EXIT } from '../command.ts';
import { callCommand } from '../testing/call.ts';
import { published } from './publish.ts';
import { study } from './study.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MINUTES = 60_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'study-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (args: string[], signal = new AbortController().signal) =>
  callCommand(study, [...args, '--device', 'cpu', '--threads', '1', '--out', folder], { signal, root: ROOT });

describe('study', () => {
  it(
    'answers Q2 from two seeds of one step, and makes nothing twice',
    async () => {
      const args = ['--question', 'Q2', '--seeds', '41,42', '--steps', '1', '--json'];
      const first = await run(args);
      expect(first.code).toBe(EXIT.ok);
      const { questions, h1 } = JSON.parse(first.text);
      expect(questions.map(({ id }: { id: string }) => id)).toEqual(['Q2']);
      const [{ cells, done, planned, verdict }] = questions;
      expect([done, planned]).toEqual([8, 8]);
      expect(verdict.length).toBeGreaterThan(0);
      expect(h1.n).toBe(2);
      for (const { id, seeds, hack, solve } of cells) {
        if (id !== 'base') expect(seeds, id).toEqual([41, 42]);
        expect(hack.mean, id).toBeGreaterThanOrEqual(0);
        // The embedded model solves some of its problems, trained a step or not.
        expect(solve.mean, id).toBeGreaterThan(0);
      }
      expect(first.notes.filter((line) => line.includes('training')).length).toBe(6);
      const again = await run(args);
      expect(again.notes).toEqual([]);
      expect(again.text).toBe(first.text);
    },
    10 * MINUTES,
  );

  it('lists without running, and refuses seeds that no run has', async () => {
    const { text } = await run(['--question', 'Q18', '--list']);
    const kept = await published(ROOT);
    const { jobs } = planStudy({ questions: ['Q18'] });
    const done = jobs.filter(({ run }) => kept.has(run.key)).length;
    // 80 of the routed model, erase and honest-only; 30 of what is beside them on the frontier.
    expect(jobs).toHaveLength(110);
    expect(text).toMatch(new RegExp(`Q18 {2}${done}/110 jobs done, ${110 - done} runs to train`));
    expect(text).toContain('k24');
    await expect(run(['--question', 'Q2', '--seeds', '7'])).rejects.toThrow(SpecError);
  });
});
