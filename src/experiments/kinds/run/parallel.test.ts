// Runs in parallel, with workers that only yield a run's events: each run once, the runs that another's basis needs first, results in the
// plan's order, and a failure that ends the others.
import { setImmediate } from 'node:timers/promises';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { runIdOf } from '../../config/run-spec.ts';
import { type ExperimentSpec, parseExperimentSpec, resolveRuns } from '../../config/spec.ts';
import { SharedCache } from '../../parallel/shared-cache.ts';
import type { LabEvent, RunRecord } from '../../records/events.ts';
import { runMade } from '../../testing/statistics-runs.ts';
import { resultOf } from './experiment.ts';
import { needsOf, type RunWorker, runParallel } from './parallel.ts';

const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'route-update', 'erase-update'], seeds: [41, 42] });
const record = (run: ReturnType<typeof resolveRuns>[number]): RunRecord => ({
  ...runMade({}),
  spec: run,
  id: runIdOf('x', run),
  experimentId: 'x',
  status: 'done',
});

/** `log`: `+id` and `-id`. `turns`: how long a worker takes for a run. */
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

async function drain(stream: ReturnType<typeof runParallel>) {
  const events: LabEvent[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) return { events, result: next.value };
    events.push(next.value);
  }
}
const none = { experimentId: 'x' };

describe('runParallel', () => {
  it('trains every run once, several at a time, and gives what one after another gives', async () => {
    const log: string[] = [];
    const { events, result } = await drain(
      runParallel(spec, none, workers(spec, log, { turns: (id) => id.length % 5 })),
    );
    const ids = resolveRuns(spec).map((run) => runIdOf('x', run));
    expect(log.filter((line) => line.startsWith('+')).sort()).toEqual(ids.map((id) => `+${id}`).sort());
    expect(log.slice(0, 2).every((line) => line.startsWith('+'))).toBe(true);
    expect(result).toEqual(resultOf(spec, resolveRuns(spec).map(record)));
    expect(events.at(-1)).toEqual({ type: 'result', result });
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(ids.length);
  });

  it('leaves out what is finished', async () => {
    const log: string[] = [];
    const [first, ...rest] = resolveRuns(spec);
    const finishedRun = async (id: string) => (id === runIdOf('x', first) ? record(first) : null);
    const { result } = await drain(runParallel(spec, { ...none, finishedRun }, workers(spec, log)));
    expect(log.filter((line) => line.startsWith('+'))).toHaveLength(rest.length);
    expect(result.runs.map(({ id }) => id)).toEqual([first, ...rest].map((run) => runIdOf('x', run)));
  });

  it('begins no run before the one whose steps it is matched to, and is not stuck on it', async () => {
    const matched = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'random_V_matched'], seeds: [41, 42] });
    const planned = resolveRuns(matched);
    const needs = planned.map((run) => needsOf(run, planned).map(({ arm, seed }) => `${arm}/${seed}`));
    expect(needs.flat().length).toBeGreaterThan(0);
    const log: string[] = [];
    await drain(runParallel(matched, none, workers(matched, log, { count: 3, turns: () => 5 })));
    for (const [i, run] of planned.entries())
      for (const needed of needs[i])
        expect(log.indexOf(`-x/${needed}`)).toBeLessThan(log.indexOf(`+${runIdOf('x', run)}`));
    expect(log).toHaveLength(2 * planned.length);
  });

  it('ends with the first failure, after the others have stopped', async () => {
    const log: string[] = [];
    const ids = resolveRuns(spec).map((run) => runIdOf('x', run));
    const fails = (id: string) => (id === ids[1] ? new SpecError('no', 'None.') : null);
    const stream = runParallel(spec, none, workers(spec, log, { fails, turns: (id) => (id === ids[0] ? 1000 : 2) }));
    const events: LabEvent[] = [];
    const ended = (async () => {
      for await (const event of stream) events.push(event);
    })();
    await expect(ended).rejects.toThrow(SpecError);
    expect(log).toEqual([`+${ids[0]}`, `+${ids[1]}`]);
    expect(events.at(-1)).toMatchObject({ type: 'run-end', run: { id: ids[0], status: 'stopped' } });
  });

  it('tells the workers that are left how many they are', async () => {
    const log: string[] = [];
    const three = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'erase', 'erase-update'], seeds: [41] });
    const [first, second, last] = resolveRuns(three).map((run) => runIdOf('x', run));
    const turns = (id: string) => (id === first ? 3 : id === second ? 9 : 30);
    await drain(runParallel(three, none, workers(three, log, { count: 3, turns, news: log })));
    const ends = log.filter((line) => !line.startsWith('+'));
    expect(ends).toEqual([`-${first}`, 'of 2', 'of 2', `-${second}`, 'of 1', `-${last}`]);
  });

  it('lets a worker without a run make what another one offers, and counts who is at work', async () => {
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
    await drain(runParallel(two, none, all, cache));
    expect(log).toEqual([`+${short}`, `-${short}`, 'b own', 'a helped', `+${long}`, `-${long}`]);
    expect(news).toEqual(['of 1', 'of 2', 'of 2', 'of 1']);
  });

  it('stops its workers where nobody listens any more', async () => {
    const log: string[] = [];
    const all = workers(spec, log, { turns: () => 1e6 });
    const stream = runParallel(spec, none, all);
    await stream.next();
    await stream.return(undefined as never);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(log.every((line) => line.startsWith('+'))).toBe(true);
    expect(log).toHaveLength(2);
  });
});
