// Handing out jobs, with workers that only take notes: side by side but never two on one run, vanilla before what needs its
// steps, a failed job left behind, a stop that ends all.
import { setImmediate } from 'node:timers/promises';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import type { StudyJob } from '../../experiments/kinds/study/plan.ts';
import { memoryStudyStore } from '../../experiments/kinds/study/testing/memory-store.ts';
import { runMade } from '../../experiments/testing/statistics-runs.ts';
import { StorageError } from '../../storage/kv.ts';
import { drainJobs, type StudyWorker } from './workers.ts';

const { spec } = runMade({});
const job = (key: string, more: Partial<StudyJob> = {}): StudyJob => ({
  question: 'Q1',
  run: { key, spec },
  shadows: [],
  needs: null,
  ...more,
});
const QUIET = { start: () => {}, progress: () => {}, end: () => {}, failed: () => {} };

/** Workers that log `+key` and `-key`; `work` may throw. */
function workers(count: number, log: string[], work: (key: string) => void = () => {}): StudyWorker[] {
  return Array.from({ length: count }, () => ({
    async run({ run }) {
      log.push(`+${run.key}`);
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      work(run.key);
      log.push(`-${run.key}`);
    },
    close: async () => {},
  }));
}

describe('drainJobs', () => {
  it('works side by side, but never twice on one run, and vanilla comes first', async () => {
    const log: string[] = [];
    const jobs = [job('a'), job('a', { question: 'Q4' }), job('m', { needs: 'a' }), job('b'), job('c')];
    const failures = await drainJobs(jobs, workers(2, log), memoryStudyStore(), QUIET);
    expect(failures).toEqual([]);
    expect(log.slice(0, 2)).toEqual(['+a', '+b']);
    expect(log.filter((line) => line === '+a').length).toBe(2);
    const open = new Set<string>();
    for (const line of log) {
      const [sign, key] = [line[0], line.slice(1)];
      if (sign === '+') expect(open.has(key), log.join(' ')).toBe(false);
      if (sign === '+') open.add(key);
      else open.delete(key);
    }
    expect(log.indexOf('+m')).toBeGreaterThan(log.indexOf('-a'));
  });

  it('trains a needed run again for its steps once, not side by side', async () => {
    const together = async (withSteps: boolean) => {
      const store = memoryStudyStore();
      const record = runMade({});
      await store.save({ key: 'v', record, rerouted: [] });
      if (withSteps)
        for (let step = 1; step <= record.spec.steps; step++) await store.steps.append(record.id, step, []);
      const log: string[] = [];
      const jobs = [job('m', { needs: 'v' }), job('n', { needs: 'v' })];
      expect(await drainJobs(jobs, workers(2, log), store, QUIET)).toEqual([]);
      return log;
    };
    expect(await together(false)).toEqual(['+m', '-m', '+n', '-n']);
    expect(await together(true)).toEqual(['+m', '+n', '-m', '-n']);
  });

  it('leaves a failed job behind, and what needed it', async () => {
    const log: string[] = [];
    const told: string[] = [];
    const jobs = [job('a'), job('m', { needs: 'a' }), job('b')];
    const fail = (key: string) => {
      if (key === 'a') throw new SpecError('no', 'None.');
    };
    const on = {
      ...QUIET,
      failed: ({ job: { run }, message }: { job: StudyJob; message: string }) =>
        void told.push(`${run.key}: ${message}`),
    };
    const failures = await drainJobs(jobs, workers(2, log, fail), memoryStudyStore(), on);
    expect(failures.map(({ job: { run } }) => run.key)).toEqual(['a', 'm']);
    expect(told).toEqual(['a: no None.', 'm: what it needs could not be made']);
    expect(log).toContain('-b');
  });

  it('ends where the disk cannot be written: every other job would meet the same', async () => {
    const log: string[] = [];
    const full = () => {
      throw new StorageError('The disk is full.', 'Free some.');
    };
    const jobs = [job('a'), job('b'), job('c')];
    await expect(drainJobs(jobs, workers(1, log, full), memoryStudyStore(), QUIET)).rejects.toThrow(/disk is full/);
    expect(log).toEqual(['+a']);
  });

  it('ends at a stop', async () => {
    const log: string[] = [];
    const stop = () => {
      throw new StoppedError();
    };
    const jobs = [job('a'), job('b'), job('c')];
    await expect(drainJobs(jobs, workers(1, log, stop), memoryStudyStore(), QUIET)).rejects.toThrow(StoppedError);
    expect(log).toEqual(['+a']);
  });
});
