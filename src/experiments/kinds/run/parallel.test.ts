// Tests parallel runs with fake workers that only yield a run's events: each run is trained once, runs that another's basis needs come first, and a
// failure ends the others.
import { setImmediate } from 'node:timers/promises';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { runIdOf } from '../../config/run-spec.ts';
import { type ExperimentSpec, parseExperimentSpec, resolveRuns } from '../../config/spec.ts';
import { SharedCache } from '../../parallel/shared-cache.ts';
import type { LabEvent, RunRecord } from '../../records/events.ts';
import { runMade } from '../../testing/statistics-runs.ts';
import { drainRuns, needsOf, type RunWorker } from './parallel.ts';

const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'route-update', 'erase-update'], seeds: [41, 42] });
const record = (run: ReturnType<typeof resolveRuns>[number]): RunRecord => ({
  ...runMade({}),
  spec: run,
  id: runIdOf('x', run),
  experimentId: 'x',
  status: 'done',
});

/** `log` gets `+id` at the start and `-id` at the end of a run; `turns`: event-loop turns that a worker takes per run. */
function workers(
  of: ExperimentSpec,
  log: string[],
  { count = 2, turns = () => 3, fails = () => null as Error | null, news = [] } = {} as {
    count?: number;
    news?: string[];
    turns?: (id: string) => number;
    fails?: (id: string) => Error | null;
  },
): RunWorker[] {
  const runs = new Map(resolveRuns(of).map((run) => [runIdOf('x', run), run]));
  return Array.from({ length: count }, () => {
    let stopped = false;
    return {
      async *stream(id: string): AsyncGenerator<LabEvent, void> {
        log.push(`+${id}`);
        const run = record(runs.get(id)!);
        yield { type: 'run-start', run: { ...run, status: 'running' } };
        for (let turn = 0; turn < turns(id); turn++) {
          await setImmediate();
          if (stopped) {
            yield { type: 'run-end', run: { ...run, status: 'stopped' } };
            throw new StoppedError();
          }
        }
        const error = fails(id);
        if (error) throw error;
        yield { type: 'run-end', run };
        log.push(`-${id}`);
      },
      evaluate: async () => null,
      stop: () => {
        stopped = true;
      },
      share: (atWork: number) => void news.push(`of ${atWork}`),
    };
  });
}

/** Yields the events of all workers as they arrive; `over`: ids of finished runs. */
async function drained(
  of: ExperimentSpec,
  all: readonly RunWorker[],
  { over = [] as string[], cache = new SharedCache(), events = [] as LabEvent[] } = {},
): Promise<LabEvent[]> {
  const planned = resolveRuns(of).map((run) => ({ id: runIdOf('x', run), spec: run }));
  await drainRuns(all, { planned, over, cache }, async (worker, id) => {
    for await (const event of worker.stream(id)) events.push(event);
  });
  return events;
}

describe('drainRuns', () => {
  it('trains every run once, several at a time', async () => {
    const log: string[] = [];
    const events = await drained(spec, workers(spec, log, { turns: (id) => id.length % 5 }));
    const ids = resolveRuns(spec).map((run) => runIdOf('x', run));
    expect(log.filter((line) => line.startsWith('+')).sort()).toEqual(ids.map((id) => `+${id}`).sort());
    expect(log.slice(0, 2).every((line) => line.startsWith('+'))).toBe(true);
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(ids.length);
  });

  it('skips finished runs', async () => {
    const log: string[] = [];
    const [first, ...rest] = resolveRuns(spec).map((run) => runIdOf('x', run));
    await drained(spec, workers(spec, log), { over: [first] });
    expect(log.filter((line) => line.startsWith('+')).sort()).toEqual(rest.map((id) => `+${id}`).sort());
  });

  it('starts no run before the one whose steps it is matched to, and does not deadlock on it', async () => {
    const matched = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'random_V_matched'], seeds: [41, 42] });
    const planned = resolveRuns(matched);
    const needs = planned.map((run) => needsOf(run, planned).map(({ arm, seed }) => `${arm}/${seed}`));
    expect(needs.flat().length).toBeGreaterThan(0);
    const log: string[] = [];
    await drained(matched, workers(matched, log, { count: 3, turns: () => 5 }));
    for (const [i, run] of planned.entries())
      for (const needed of needs[i])
        expect(log.indexOf(`-x/${needed}`)).toBeLessThan(log.indexOf(`+${runIdOf('x', run)}`));
    expect(log).toHaveLength(2 * planned.length);
  });

  it('ends with the first failure, after the others have stopped', async () => {
    const log: string[] = [];
    const ids = resolveRuns(spec).map((run) => runIdOf('x', run));
    const fails = (id: string) => (id === ids[1] ? new SpecError('no', 'None.') : null);
    const events: LabEvent[] = [];
    const all = workers(spec, log, { fails, turns: (id) => (id === ids[0] ? 1000 : 2) });
    const ended = drained(spec, all, { events });
    await expect(ended).rejects.toThrow(SpecError);
    expect(log).toEqual([`+${ids[0]}`, `+${ids[1]}`]);
    expect(events.at(-1)).toMatchObject({ type: 'run-end', run: { id: ids[0], status: 'stopped' } });
  });

  it('tells the remaining workers their number', async () => {
    const log: string[] = [];
    const three = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'erase', 'erase-update'], seeds: [41] });
    const [first, second, last] = resolveRuns(three).map((run) => runIdOf('x', run));
    const turns = (id: string) => (id === first ? 3 : id === second ? 9 : 30);
    await drained(three, workers(three, log, { count: 3, turns, news: log }));
    const ends = log.filter((line) => !line.startsWith('+'));
    expect(ends).toEqual([`-${first}`, 'of 2', 'of 2', `-${second}`, 'of 1', `-${last}`]);
  });

  it('lets a worker without a run do offered jobs, and counts the busy workers', async () => {
    const log: string[] = [];
    const news: string[] = [];
    const two = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'erase'], seeds: [41] });
    const [short, long] = resolveRuns(two).map((run) => runIdOf('x', run));
    const cache = new SharedCache();
    const all = workers(two, log, { turns: () => 2, news }).map((worker) => ({
      ...worker,
      async *stream(id: string): AsyncGenerator<LabEvent, void> {
        if (id === long) {
          for (let turn = 0; turn < 20; turn++) await setImmediate();
          await cache.offer(
            ['a', 'b'].map((key) => ({ key, job: { spec: resolveRuns(two)[1], adapterParams: new Float32Array(1) } })),
          );
          for (let left = ['a', 'b']; left.length > 0; ) {
            const { key, made } = await cache.next(left);
            left = left.filter((other) => other !== key);
            log.push(`${key} ${made ? made.value : 'own'}`);
            if (!made) for (let turn = 0; turn < 20; turn++) await setImmediate();
          }
        }
        yield* worker.stream(id);
      },
      evaluate: async () => 'helped',
    }));
    await drained(two, all, { cache });
    expect(log).toEqual([`+${short}`, `-${short}`, 'b own', 'a helped', `+${long}`, `-${long}`]);
    expect(news).toEqual(['of 1', 'of 2', 'of 2', 'of 1']);
  });
});
