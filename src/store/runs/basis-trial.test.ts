// Tests trying another basis on the page: the newest choice takes precedence, evaluations arrive, and a choice becomes a row of the table.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import { ownChoice, type TrialChoice } from '../../experiments/kinds/run/own-choice.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import type { LabClient } from '../../lab/client.ts';
import type { WorkerEvent } from '../../lab/protocol/protocol.ts';
import type { StoreContext } from '../context.ts';
import { viewOfRecord } from '../experiment-view.ts';
import type { LabState } from '../lab-state.ts';
import { chosenPairs, controlOf, createBasisTrial, type TrialRun, trialRuns } from './basis-trial.ts';

const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'erase', 'route-update', 'route'], seeds: [41] });
const runs = resolveRuns(spec).map(
  (run) => ({ id: `e/${run.arm}/${run.seed}`, spec: run, status: 'done', rows: [], evals: [] }) as unknown as RunRecord,
);
const record = { id: 'e', spec, createdAt: 1, status: 'done', result: null, error: null } as never;
const routed = runs.find((run) => run.spec.arm === 'route-update')!;
const source = { kind: 'kept', runId: routed.id } as const;
const trialRun: TrialRun = { id: routed.id, spec: routed.spec, experimentId: 'e', source: async () => source };
const pair = (n: number) => ({ problem_id: `${n}`, prompt: `p${n}`, hack: `h${n}`, clean: `c${n}`, mechanism: null });
const pairs = [0, 1, 2, 3].map(pair);

type Asked = { task: string; choice: TrialChoice; shadow?: unknown; pairs?: unknown };

function bench(answers: Record<string, (params: Asked) => unknown> = {}) {
  let state = { opened: null, live: viewOfRecord(record, runs) } as unknown as LabState;
  const listeners: ((event: WorkerEvent) => void)[] = [];
  const asked: [string, Asked][] = [];
  const store = {
    getState: () => state,
    setState: (change: Partial<LabState> | ((s: LabState) => Partial<LabState>)) => {
      state = { ...state, ...(typeof change === 'function' ? change(state) : change) };
    },
  };
  const usual: typeof answers = {
    tryBasis: ({ choice }) => ({ axes: choice.k, steps: [] }),
    trialPairs: () => pairs,
    evaluateTrial: () => null,
    ...answers,
  };
  const client = {
    subscribe: (listener: (event: WorkerEvent) => void) => listeners.push(listener),
    request: async (kind: string, params: Asked) => {
      asked.push([kind, params]);
      return usual[kind](params);
    },
  } as unknown as LabClient;
  const trial = createBasisTrial({ store, client, notices: {} } as unknown as StoreContext);
  const emit = (event: WorkerEvent) => listeners.forEach((hear) => void hear(event));
  const kinds = () => asked.map(([kind]) => kind);
  return { trial, asked, kinds, emit, lab: () => state, get: () => trial.store.getState() };
}

describe('trying a basis on the page', () => {
  it('is offered for runs that have ended and that trained like vanilla', () => {
    expect(trialRuns({ runs }).map((run) => run.spec.arm)).toEqual(['none', 'route-update']);
    expect(trialRuns({ runs: runs.map((run) => ({ ...run, status: 'failed' as const })) })).toEqual([]);
  });

  it('requests nothing until something is chosen, then handles only the newest choice, and evaluates it', async () => {
    const fake = bench({
      evaluateTrial: ({ task }) => {
        const point = { step: 3, kind: 'first', all: { n: 64, figures: { hack: 0.5 } } } as const;
        fake.emit({ type: 'trial', task, what: 'evaluating', point });
        fake.emit({ type: 'trial', task: 'an earlier one', what: 'evaluating', point });
        return null;
      },
    });
    fake.trial.show(trialRun);
    expect(fake.asked).toEqual([]);
    const all = [1, 2, 3].map((k) => fake.trial.change({ k }));
    await Promise.all(all);
    // The run's own basis and its pairs are requested once, then the first and the last choice. The one in between is skipped.
    expect(fake.kinds()).toEqual(['tryBasis', 'trialPairs', 'tryBasis', 'tryBasis', 'evaluateTrial']);
    expect(fake.asked.filter(([kind]) => kind === 'tryBasis').map(([, { choice }]) => choice.k)).toEqual([
      routed.spec.k,
      1,
      3,
    ]);
    expect(fake.get()).toMatchObject({ report: { axes: 3 }, own: { axes: routed.spec.k }, doing: null, problem: null });
    expect(fake.get().points).toHaveLength(1);
    await fake.trial.reset();
    expect(fake.get().choice).toEqual(ownChoice(routed.spec));
    expect(fake.get().report).toEqual(fake.get().own);
  });

  it('loads another set’s pairs, and forgets which of the old pairs counted', async () => {
    const fake = bench();
    fake.trial.show(trialRun);
    await fake.trial.change({ off: [1] });
    expect(fake.get().choice!.off).toEqual([1]);
    await fake.trial.change({ pairSet: 'placebo' });
    expect(fake.get()).toMatchObject({ pairs, choice: { off: [], pairSet: 'placebo' } });
    expect(fake.kinds().filter((kind) => kind === 'trialPairs')).toHaveLength(2);
  });

  it('reports refusals, but not an evaluation that was interrupted', async () => {
    const refused = bench({
      tryBasis: () => {
        throw new Error('no steps');
      },
    });
    refused.trial.show(trialRun);
    await refused.trial.start();
    expect(refused.get()).toMatchObject({ report: null, doing: null, problem: { message: 'no steps' } });
    expect(refused.kinds()).toEqual(['tryBasis']);
    const stopped = bench({
      evaluateTrial: () => {
        throw new StoppedError('stopped', 'Ask again.');
      },
    });
    stopped.trial.show(trialRun);
    await stopped.trial.start();
    expect(stopped.get()).toMatchObject({ problem: null, doing: null });
  });

  it('names a row by its differences from the run’s own basis', () => {
    const named = (changes: Partial<TrialChoice>) => controlOf({ ...ownChoice(routed.spec), ...changes }, routed.spec);
    const { k } = routed.spec;
    expect(named({})).toEqual({ id: `k ${k}`, kind: 'real', gate: 'one_sided', k, mode: null });
    expect(named({ k: 12, gate: 'no_gate', pairSet: 'placebo', basisLoss: 'grpo', dropBottomFrac: 0.5 })).toEqual({
      id: 'placebo, grpo gradients, k 12, floor 0.5, no gate',
      kind: 'real',
      gate: 'no_gate',
      k: 12,
      mode: null,
      settings: { pairSet: 'placebo', basisLoss: 'grpo', dropBottomFrac: 0.5 },
    });
    expect(named({ basisKind: 'mean_diff', overshoot: 1.5 }).id).toBe('mean diff, overshoot 1.5');
    expect(named({ kind: 'random_matched', pairSet: 'placebo' })).toEqual({
      id: 'random matched',
      kind: 'random_matched',
      gate: 'one_sided',
      k,
      mode: null,
    });
    const refreshed = { ...routed.spec, refreshEvery: 5 };
    expect(controlOf(ownChoice(refreshed), refreshed).settings).toEqual({ refreshEvery: 0 });
  });

  it('stores a choice as a row, and its pairs as a set of their own', async () => {
    const replayed = runs.map((run) => ({ ...run, rerouted: [] }));
    const fake = bench({
      savePairs: () => ({ id: `pairs:${'0123456789'.repeat(6)}` }),
      listPairSets: () => ['listed'],
      replaySteps: () => ({ record, runs: replayed }),
    });
    fake.trial.show(trialRun);
    const written = { ...pairs[2], hack: 'other' };
    await fake.trial.change({ off: [0], edited: [{ index: 2, pair: written }] });
    await fake.trial.keep();
    const asked = Object.fromEntries(fake.asked);
    expect(asked.savePairs.pairs).toEqual([pairs[1], written, pairs[3]]);
    expect(asked.replaySteps.shadow).toMatchObject({
      id: `pairs 012345, k ${routed.spec.k}`,
      settings: { pairSet: `pairs:${'0123456789'.repeat(6)}`, pairs: 3, nHeldout: 0, pairModes: [] },
    });
    expect(fake.get()).toMatchObject({ made: `pairs 012345, k ${routed.spec.k}`, work: null });
    expect(fake.lab()).toMatchObject({ pairSets: ['listed'] });
    expect(fake.lab().live!.runs[0].rerouted).toEqual([]);
    expect(chosenPairs(pairs, ownChoice(routed.spec))).toEqual(pairs);
  });
});
