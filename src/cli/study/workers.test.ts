// Jobs shared out by claims, with work that only takes notes: side by side but never two on one run, vanilla before what needs its steps, a
// failed job left behind, a stop that ends a worker.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StudyJob } from '../../../research/series/study/plan.ts';
import type { RunStore } from '../../experiments/runs/runner.ts';
import { memoryRunStore } from '../../experiments/runs/testing/run-jobs.ts';
import { runMade } from '../../experiments/testing/statistics-runs.ts';
import { folderClaims } from '../../storage/claims/folder.node.ts';
import { StorageError } from '../../storage/kv.ts';
import { drainStudy } from './workers.ts';

const record = runMade({});
const { spec } = record;
const job = (key: string, more: Partial<StudyJob> = {}): StudyJob => ({
  question: 'Q1',
  run: { key, spec },
  shadows: [],
  needs: null,
  ...more,
});

let root: string;
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'study-workers-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

type Work = (key: string, log: readonly string[]) => void | Promise<void>;

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(1);
}

/** Workers of one folder that log `+key` and `-key`; `work` may throw. Gives the log, failures told, and what claims are left. */
async function drained(
  jobs: readonly StudyJob[],
  count: number,
  { work = () => {}, store = memoryRunStore() }: { work?: Work; store?: RunStore } = {},
) {
  const path = join(root, String(++folders));
  const log: string[] = [];
  const failures: string[] = [];
  async function* run({ run: { key } }: StudyJob) {
    log.push(`+${key}`);
    yield { type: 'prepare' as const, what: 'notes', done: 0, total: 1 };
    await work(key, log);
    await store.save({ key, record: { ...record, id: key }, rerouted: [] });
    log.push(`-${key}`);
  }
  const failed = new Set<StudyJob>();
  const on = {
    start: () => {},
    progress: () => {},
    end: () => {},
    failed: ({ run: { key } }: StudyJob, message: string) => void failures.push(`${key}: ${message}`),
  };
  const { signal } = new AbortController();
  const workers = Array.from({ length: count }, () =>
    drainStudy(jobs, { store, claims: folderClaims(path), run: run as never, signal, on, failed }),
  );
  const ends = await Promise.allSettled(workers);
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  return { log, failures, errors, claims: await readdir(path) };
}

describe('jobs that several share', () => {
  it('are made side by side, but never two on one run, and vanilla comes first', async () => {
    const jobs = [job('a'), job('a', { question: 'Q4' }), job('m', { needs: 'a' }), job('b'), job('c')];
    // The first lasts until the other has begun.
    const work: Work = (key, log) => (key === 'a' ? until(() => log.includes('+b')) : undefined);
    const { log, failures, claims } = await drained(jobs, 2, { work });
    expect([failures, claims]).toEqual([[], []]);
    expect(log.slice(0, 2)).toEqual(['+a', '+b']);
    // What one has made the other does not make again.
    expect(log.filter((line) => line.startsWith('+')).sort()).toEqual(['+a', '+b', '+c', '+m']);
    expect(log.indexOf('+m')).toBeGreaterThan(log.indexOf('-a'));
  });

  it('need a run’s steps: it is trained again for them by one alone', async () => {
    const together = async (withSteps: boolean) => {
      const store = memoryRunStore();
      await store.save({ key: 'v', record, rerouted: [] });
      if (withSteps)
        for (let step = 1; step <= record.spec.steps; step++) await store.steps.append(record.id, step, []);
      // Where both may read the steps, each lasts until the other has begun; else the first leaves the other time to begin.
      const work: Work = (_, log) => (withSteps ? until(() => log.length > 1) : setTimeout(50));
      return (await drained([job('m', { needs: 'v' }), job('n', { needs: 'v' })], 2, { work, store })).log;
    };
    const signs = (log: string[]) => log.map(([sign]) => sign).join('');
    expect(signs(await together(true))).toBe('++--');
    expect(signs(await together(false))).toBe('+-+-');
  });

  it('that fail are left behind, with what needed them', async () => {
    const jobs = [job('a'), job('m', { needs: 'a' }), job('b')];
    const { log, failures, claims } = await drained(jobs, 1, {
      work(key) {
        if (key === 'a') throw new SpecError('no', 'None.');
      },
    });
    expect(failures).toEqual(['a: no None.', 'm: what it needs could not be made']);
    expect(log).toContain('-b');
    expect(claims).toEqual([]);
  });

  it.each([
    [
      'the disk cannot be written: every other job would meet the same',
      new StorageError('The disk is full.', 'Free some.'),
    ],
    ['somebody stops it', new StoppedError()],
  ])('end where %s', async (_, error) => {
    const { log, errors, claims } = await drained([job('a'), job('b'), job('c')], 1, {
      work() {
        throw error;
      },
    });
    expect([log, errors, claims]).toEqual([['+a'], [error], []]);
  });
});
