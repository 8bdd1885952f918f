// Tests a full disk during a run: earlier answers stay complete, and no partial trace is left.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCK } from '@projected-grpo-lab/base/files/lock.node.ts';
import { disk } from '@projected-grpo-lab/base/files/testing/full-disk.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { sampleTrace } from '../testing/sample.ts';
import { keptRun } from './kept-answers.ts';

vi.mock('node:fs/promises', async (load) =>
  (await import('@projected-grpo-lab/base/files/testing/full-disk.ts')).withFullDisk(await load()),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kept-answers-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('stores why an answer was incomplete, so that a resumed run shows its model the same', async () => {
  const path = join(folder, 'flawed.json');
  const flawed = { text: '', inputTokens: 1, outputTokens: 1, seconds: 0, flaw: 'content is null' };
  let asked = 0;
  const answer = async () => {
    asked++;
    return flawed;
  };
  const turns = [{ role: 'user', content: 'x' }] as const;
  for (let run = 0; run < 2; run++) {
    const kept = await keptRun(path, 'made', true, () => {});
    expect(await kept.through?.({ name: 'm', answer }).answer(turns, { stop: [] })).toEqual(flawed);
    if (run === 1) await kept.finish(sampleTrace());
  }
  expect(asked).toBe(1);
  await rm(path);
});

it('with a full disk keeps earlier answers, and leaves no partial answer or trace', async () => {
  const path = join(folder, 'trace.json');
  let asked = 0;
  const model = {
    name: 'm',
    answer: async () => ({ text: `answer ${++asked}`, inputTokens: 1, outputTokens: 1, seconds: 0 }),
  };
  const ask = async (count: number) => {
    const run = await keptRun(path, 'made', true, () => {});
    const own = run.through?.(model);
    for (let at = 0; at < count; at++) await own?.answer([{ role: 'user', content: String(at) }], { stop: [] });
    return run;
  };
  await ask(2);
  disk.isFull = true;
  await expect(ask(3)).rejects.toThrow(/ENOSPC/);
  disk.isFull = false;
  const answers = await readFile(`${path}.answers.jsonl`, 'utf8');
  expect(answers.trimEnd().split('\n')).toHaveLength(2);
  asked = 0;
  const run = await ask(3);
  expect(asked).toBe(1);
  disk.isFull = true;
  await expect(run.finish(sampleTrace())).rejects.toThrow(/trace\.json cannot be written: the disk is full/);
  disk.isFull = false;
  // The lock also stays while this run may write answers.
  expect(await readdir(folder)).toEqual(['trace.json.answers.jsonl', `trace.json.answers.jsonl.${LOCK}`]);
  await run.finish(sampleTrace());
  expect(await readdir(folder)).toEqual(['trace.json']);
});
