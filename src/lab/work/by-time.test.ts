// Tests that a reload loses only seconds of training however rarely a run's settings request a checkpoint: in this worker, and in parallel
// ones.
import { afterEach, expect, it, vi } from 'vitest';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { memoryStores } from '../../storage/kv.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { closeTestLabs, ended, memoryWorkers, openedLab, SMALL, statusOf, type TestLab } from '../testing/lab.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeTestLabs();
});

const STEPS = 3;
it.each([
  ['here', [41], 0],
  ['by workers', [41, 42], 2],
])('keeps a run by the clock, %s, and goes on from there', async (_, seeds, count) => {
  const overrides = { ...SMALL, steps: STEPS, checkpointEvery: 100 };
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds, device: 'cpu', overrides });
  const stores = await memoryStores();
  const opened = { count: 0 };
  const lab = (onEvent?: (event: WorkerEvent) => void): Promise<TestLab> =>
    openedLab(
      stores,
      ...([undefined, onEvent, undefined, undefined, undefined, undefined] as const),
      memoryWorkers(opened),
    );

  // The clock advances ten seconds at each reading.
  let clock = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    clock += 10_000;
    return clock;
  });
  let kept = { runId: '', step: 0 };
  const first = await lab((event) => {
    if (event.type !== 'lab' || event.event.type !== 'checkpoint' || kept.step > 0) return;
    kept = event.event;
    void first.session.stop('x');
  });
  await first.session.start('x', spec);
  expect(statusOf(await first.until(ended('x')))).toBe('stopped');
  expect(opened.count).toBe(count);
  expect(kept.step).toBeGreaterThanOrEqual(1);
  expect(kept.step).toBeLessThan(STEPS);

  const second = await lab();
  await second.session.resume('x');
  expect(statusOf(await second.until(ended('x')))).toBe('done');
  const begun = second.events.flatMap((event) =>
    event.type === 'lab' && event.event.type === 'run-start' ? [event.event.run] : [],
  );
  const { rows } = begun.find(({ id }) => id === kept.runId)!;
  expect(rows.map(({ step }) => step)).toEqual(Array.from({ length: kept.step }, (_, i) => i + 1));
});
