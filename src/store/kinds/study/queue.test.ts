// "Run what is missing" against a lab that answers by hand: the order of its parts, what stops it, what is said of a failure.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { madeRuns } from '../../../experiments/testing/study-runs.ts';
import type { LabClient } from '../../../lab/client.ts';
import type { WorkerEvent } from '../../../lab/protocol/protocol.ts';
import type { StoreContext } from '../../context.ts';
import { type Missing, missingOf } from './missing.ts';
import { createQuestionQueue, type QueueState } from './queue.ts';

type End = 'done' | 'failed' | 'stopped';

/** @param endOf how the n-th experiment ends; null leaves it at work until it is stopped. */
function fake(endOf: (n: number) => End | null, replaySteps: () => unknown = () => null) {
  const listeners = new Set<(event: WorkerEvent) => void>();
  const emit = (event: unknown) => {
    for (const listener of listeners) listener(event as WorkerEvent);
  };
  const log: string[] = [];
  const states: QueueState[] = [];
  let started = 0;
  const end = (id: string, status: End) =>
    emit({ type: 'experiment', summary: { id, status, error: { message: 'no room', remedy: 'Delete something.' } } });
  const client = {
    subscribe(listener: (event: WorkerEvent) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async request(
      kind: string,
      params: { id?: string; experimentId?: string; shadow?: { id: string }; task?: string },
    ) {
      if (kind === 'kept.load') return { record: { id: params.id }, runs: [] };
      if (kind === 'stop') end(params.id!, 'stopped');
      if (kind === 'replaySteps') {
        log.push(`route ${params.experimentId} ${params.shadow?.id}`);
        emit({ type: 'replaySteps', task: params.task, what: 'run 1 of 1', fraction: 0.5 });
        const answer = replaySteps();
        if (answer instanceof Error) throw answer;
        return { record: { id: params.experimentId }, runs: [] };
      }
      return null;
    },
  } as unknown as LabClient;
  const names = new Map<string, string>();
  const store = createStore(() => ({ busy: false, device: { choice: 'cpu' }, kept: [] }));
  const context = {
    client,
    store,
    notices: { fail: (error: unknown) => log.push(String(error)) },
  } as unknown as StoreContext;
  const queue = createQuestionQueue({
    context,
    async startSpec(id, spec) {
      names.set(id, `e${++started}`);
      log.push(`start ${spec.arms.join('+')} on ${spec.device}`);
      const how = endOf(started);
      // At once: it may end before its start has been answered.
      if (how) end(id, how);
      return true;
    },
    annotate: async (_id, { tags }) => {
      log.push(`tagged ${tags?.join(' ')}`);
      return true;
    },
    put: (state) => states.push(state),
    changed: () => {},
  });
  const lines = () => log.map((line) => line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, (id) => names.get(id) ?? id));
  return { queue, lines, states, listeners, store };
}

const q4 = (): Missing => missingOf('Q4', new Map(), new Map());
const routes = (): Missing => {
  const bare = new Map([...madeRuns({ questions: ['Q4'] })].map(([key, run]) => [key, { ...run, rerouted: [] }]));
  return missingOf('Q4', bare, new Map([...bare].map(([key, run]) => [key, { ...run, experimentId: 'mine' }])));
};

describe('the queue of a question', () => {
  it('trains each experiment on the device at hand, and then routes its quarantines', async () => {
    const lab = fake(() => 'done');
    const missing = q4();
    await lab.queue.run('Q4', missing);
    const expected = missing.experiments.flatMap(({ spec, shadows: controls }, i) => [
      `start ${spec.arms.join('+')} on cpu`,
      'tagged study Q4',
      ...controls.map(({ id }) => `route e${i + 1} ${id}`),
    ]);
    expect(lab.lines()).toEqual(expected);
    expect(lab.lines().some((line) => line.startsWith('route'))).toBe(true);
    const last = lab.states.at(-1);
    expect(last).toMatchObject({ status: 'done', problem: null });
    expect(last?.done).toBe(last?.of);
    expect(lab.states.map(({ done }) => done)).toEqual(lab.states.map(({ done }) => done).toSorted((a, b) => a - b));
    expect(lab.states.some(({ what, fraction }) => what === 'run 1 of 1' && fraction === 0.5)).toBe(true);
    // Only the queue itself still listens.
    expect(lab.listeners.size).toBe(1);
  });

  it('routes runs that are there without training', async () => {
    const lab = fake(() => 'done');
    await lab.queue.run('Q4', routes());
    expect(lab.lines()).toEqual(['route mine k1', 'route mine mean_diff']);
    expect(lab.lines().length).toBe(lab.states.at(-1)?.of);
  });

  it('ends at the first that fails, and says why', async () => {
    const lab = fake((n) => (n === 2 ? 'failed' : 'done'));
    await lab.queue.run('Q4', q4());
    expect(lab.lines().filter((line) => line.startsWith('start'))).toHaveLength(2);
    expect(lab.states.at(-1)).toMatchObject({
      status: 'failed',
      problem: { message: 'no room', remedy: 'Delete something.' },
    });
    const refused = fake(
      () => 'done',
      () => new SpecError('The model is training.', 'Wait.'),
    );
    await refused.queue.run('Q4', routes());
    expect(refused.states.at(-1)).toMatchObject({ status: 'failed', problem: { message: 'The model is training.' } });
  });

  it('stops where a person stops it, and starts no more', async () => {
    const lab = fake((n) => (n === 2 ? null : 'done'));
    const running = lab.queue.run('Q4', q4());
    await expect.poll(() => lab.lines().filter((line) => line.startsWith('tagged')).length).toBe(2);
    await lab.queue.stop();
    await running;
    expect(lab.lines().filter((line) => line.startsWith('start'))).toHaveLength(2);
    expect(lab.states.at(-1)).toMatchObject({ status: 'stopped', problem: null });
    const routed = fake(
      () => 'done',
      () => new StoppedError(),
    );
    await routed.queue.run('Q4', routes());
    expect(routed.states.at(-1)).toMatchObject({ status: 'stopped', problem: null, done: 0 });
  });

  it('lets train first what a person has queued meanwhile, and can be stopped while it waits', async () => {
    const lab = fake(
      () => 'done',
      () => lab.store.setState({ busy: true }),
    );
    const running = lab.queue.run('Q4', routes());
    await expect.poll(() => lab.states.at(-1)?.what).toBe('waiting for the running experiment');
    expect(lab.lines()).toEqual(['route mine k1']);
    lab.store.setState({ busy: false });
    await running;
    expect(lab.lines()).toEqual(['route mine k1', 'route mine mean_diff']);
    expect(lab.states.at(-1)).toMatchObject({ status: 'done' });

    const stopped = fake(
      () => 'done',
      () => stopped.store.setState({ busy: true }),
    );
    const waiting = stopped.queue.run('Q4', routes());
    await expect.poll(() => stopped.states.at(-1)?.what).toBe('waiting for the running experiment');
    await stopped.queue.stop();
    await waiting;
    expect(stopped.lines()).toEqual(['route mine k1']);
    expect(stopped.states.at(-1)).toMatchObject({ status: 'stopped', problem: null });
  });

  it('is one at a time', async () => {
    const lab = fake(() => null);
    const running = lab.queue.run('Q4', q4());
    await expect.poll(() => lab.lines().filter((line) => line.startsWith('tagged')).length).toBe(1);
    await lab.queue.run('Q2', missingOf('Q2', new Map(), new Map()));
    expect(lab.states.every(({ question }) => question === 'Q4')).toBe(true);
    await lab.queue.stop();
    await running;
  });
});
