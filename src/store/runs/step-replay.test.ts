// The control that replays a finished run with another basis: its name, its request, and the use of the answer.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../experiments/config/presets.ts';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import type { LabClient } from '../../lab/client.ts';
import type { WorkerEvent } from '../../lab/protocol/protocol.ts';
import type { StoreContext } from '../context.ts';
import { viewOfRecord } from '../experiment-view.ts';
import type { LabState } from '../lab-state.ts';
import { controlOf, createStepReplay, routableArms, type StepReplayDraft } from './step-replay.ts';

const spec = parseExperimentSpec({
  preset: 'smoke',
  arms: ['none', 'erase', 'route-update', 'route'],
  seeds: [41, 42],
});
const runs = resolveRuns(spec).map(
  (run) => ({ id: `e/${run.arm}/${run.seed}`, spec: run, status: 'done', rows: [], evals: [] }) as unknown as RunRecord,
);
const record = { id: 'e', spec, createdAt: 1, status: 'done', result: null, error: null } as never;
const draft: StepReplayDraft = {
  arm: '',
  kind: 'real',
  pairSet: 'prog_wide',
  basisKind: 'svd',
  basisLoss: 'nll',
  gate: 'one_sided',
  k: 5,
  overshoot: 1,
};

function bench(answer: (params: never) => unknown) {
  let state = { opened: null, live: viewOfRecord(record, runs) } as unknown as LabState;
  const listeners: ((event: WorkerEvent) => void)[] = [];
  const asked: { kind: string; params: unknown }[] = [];
  const store = {
    getState: () => state,
    setState: (change: Partial<LabState> | ((s: LabState) => Partial<LabState>)) => {
      state = { ...state, ...(typeof change === 'function' ? change(state) : change) };
    },
  };
  const client = {
    subscribe: (listener: (event: WorkerEvent) => void) => listeners.push(listener),
    request: async (kind: string, params: never) => {
      asked.push({ kind, params });
      return answer(params);
    },
  } as unknown as LabClient;
  const replaySteps = createStepReplay({ store, client, notices: {} } as unknown as StoreContext);
  return {
    replaySteps,
    asked,
    view: () => state.live!,
    emit: (event: WorkerEvent) => listeners.forEach((hear) => void hear(event)),
  };
}

describe('routing again, on the page', () => {
  it('offers arms whose runs have all ended, and trained as vanilla does', () => {
    expect(routableArms(viewOfRecord(record, runs))).toEqual(['none', 'route-update']);
    const half = runs.map((run) => (run.id === 'e/none/42' ? { ...run, status: 'failed' as const } : run));
    expect(routableArms(viewOfRecord(record, half))).toEqual(['route-update']);
  });

  it('names a quarantine by what differs from the run’s own basis, and asks for no more', () => {
    const { settings } = PRESETS.smoke;
    const named = (changes: Partial<StepReplayDraft>) => controlOf({ ...draft, ...changes }, settings);
    expect(named({})).toEqual({ id: 'k 5', kind: 'real', gate: 'one_sided', k: 5, mode: null });
    expect(named({ k: 12, gate: 'no_gate', pairSet: 'placebo', basisLoss: 'grpo', overshoot: 1.5 })).toEqual({
      id: 'placebo, grpo gradients, k 12, no gate, overshoot 1.5',
      kind: 'real',
      gate: 'no_gate',
      k: 12,
      mode: null,
      settings: { pairSet: 'placebo', basisLoss: 'grpo', overshoot: 1.5 },
    });
    expect(named({ basisKind: 'mean_diff' }).id).toBe('mean diff');
    const matched = named({ kind: 'random_matched', pairSet: 'placebo', basisKind: 'mean_diff' });
    expect(matched).toEqual({ id: 'random matched', kind: 'random_matched', gate: 'one_sided', k: 5, mode: null });
    expect(named({ pairSet: `pairs:${'0123456789'.repeat(6)}`, kind: 'flipped' }).id).toBe(
      'flipped, pairs 012345, k 5',
    );
  });

  it('asks for the first arm unless another is chosen, shows progress, and puts the answer in the view', async () => {
    const replayed = runs.map((run) => ({ ...run, rerouted: [] }));
    const fake = bench(() => {
      fake.emit({ type: 'replaySteps', task: 'replaySteps-1', what: 'run 1 of 2', fraction: 0.25 });
      fake.emit({ type: 'replaySteps', task: 'another', what: 'x', fraction: 1 });
      expect(fake.replaySteps.store.getState().work).toEqual({
        task: 'replaySteps-1',
        what: 'run 1 of 2',
        fraction: 0.25,
      });
      return { record, runs: replayed };
    });
    await fake.replaySteps.start();
    expect(fake.asked[0]).toMatchObject({
      kind: 'replaySteps',
      params: { experimentId: 'e', arm: 'none', shadow: { id: 'k 5' } },
    });
    expect(fake.replaySteps.store.getState()).toMatchObject({ work: null, made: 'k 5', problem: null });
    expect(fake.view().runs[0].rerouted).toEqual([]);
    fake.replaySteps.change({ arm: 'route-update' });
    expect(fake.replaySteps.store.getState().made).toBeNull();
    await fake.replaySteps.start();
    expect(fake.asked[1]).toMatchObject({ params: { task: 'replaySteps-2', arm: 'route-update' } });
  });

  it('says what was refused, and keeps quiet about a cancel', async () => {
    const refused = bench(() => {
      throw new Error('no room');
    });
    await refused.replaySteps.start();
    expect(refused.replaySteps.store.getState()).toMatchObject({ work: null, problem: { message: 'no room' } });
    const cancelled = bench(() => {
      throw new StoppedError('stopped', 'Ask again.');
    });
    await cancelled.replaySteps.start();
    expect(cancelled.replaySteps.store.getState()).toMatchObject({ work: null, problem: null });
  });
});
