// Tests trying a basis through the worker's own handlers: on a stored run and on a file of steps, ended by the next answer, and beside a
// running training.

import { afterEach, describe, expect, it } from 'vitest';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { ownChoice } from '../../experiments/kinds/run/own-choice.ts';
import { memoryStores } from '../../storage/kv.ts';
import type { PlayRequest } from '../protocol/playground.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import type { TrialEvent } from '../protocol/trials.ts';
import { writeSteps } from '../records/archive-steps.ts';
import { closeTestWorkers, openTestWorker } from '../testing/worker.ts';

afterEach(closeTestWorkers);

const overrides = { steps: 2, warmupFrac: 0, maxNew: 8, problems: 8, evalEvery: 1, evalProblems: 2, pairs: 6, k: 2 };
const spec = parseExperimentSpec({
  preset: 'smoke',
  arms: ['route-update'],
  seeds: [41],
  device: 'cpu',
  overrides: { ...overrides, finalEvalProblems: 66 },
});
const done = (event: WorkerEvent) =>
  event.type === 'experiment' && !['waiting', 'running'].includes(event.summary.status);

describe('a basis tried in the worker', () => {
  it('answers with the run’s own rows, evaluates as events, and yields to the next answer', async () => {
    const { ask, events, records, until } = await openTestWorker(await memoryStores());
    await ask('start', { id: 'e', spec });
    await until(done);
    const { runs } = await ask('kept.load', { kind: 'run', id: 'e' });
    const [run] = runs;
    const source = { kind: 'kept', runId: run.id } as const;
    const choice = ownChoice(run.spec);
    const report = await ask('tryBasis', { task: 'a', source, choice });
    expect(report.steps.map(({ quarantine }) => quarantine)).toEqual(run.rows.map((row) => row.normDeltaSHack));
    expect(await ask('trialPairs', { task: 'p', source, choice })).toHaveLength(6);

    await ask('evaluateTrial', { task: 'b', source, choice });
    const points = events.flatMap((event) => (event.type === 'trial' && event.point ? [event as TrialEvent] : []));
    expect(points.map(({ task, point }) => [task, point!.kind, point!.step])).toEqual([
      ['b', 'first', 2],
      ['b', 'during', 1],
      ['b', 'during', 2],
      ['b', 'final', 2],
    ]);
    const final = run.evals.find(({ kind, model }) => kind === 'final' && model === 'deployed')!;
    expect(points[3].point!.all).toEqual(final.all);

    // A published file contains the same steps.
    const steps = new Blob([writeSteps(await records.steps.load(run.id))!]);
    const published = { kind: 'published', path: 'x.safetensors', spec: run.spec, modelSha256: run.modelSha256, steps };
    const again = await ask('tryBasis', { task: 'c', source: published as never, choice });
    expect(again).toEqual(report);
    // Its models answer as the stored run's, with the same probabilities.
    const [{ id: problemId }] = await ask('playProblems', { mode: 'sentinel' });
    const said = async (whose: Pick<PlayRequest, 'runId' | 'published'>) => {
      const before = events.length;
      const problem = { kind: 'problem', mode: 'sentinel', problemId } as const;
      const settings = { id: 'q', ask: problem, seed: 41, temperature: 1, maxNew: 12 };
      const answers = await ask('play', { ...settings, ...whose, models: ['trained', 'deployed'] });
      const told = events.slice(before).filter(({ type }) => type === 'play');
      return { answers, told };
    };
    const kept = await said({ runId: run.id });
    expect(await said({ runId: null, published: published as never })).toEqual(kept);
    expect(kept.told.length).toBeGreaterThan(2);

    const stranger = { ...published, path: 'y', modelSha256: 'other' } as never;
    await expect(ask('tryBasis', { task: 'd', source: stranger, choice })).rejects.toThrow(/another model/);

    // A moved slider ends the current evaluation.
    const ended = expect(ask('evaluateTrial', { task: 'e', source, choice })).rejects.toThrow();
    const moved = await ask('tryBasis', { task: 'f', source, choice: { ...choice, k: 1 } });
    await ended;
    expect(moved.axes).toBeLessThan(report.axes);

    // While a run trains, the trial runs between two of its steps, and the run's rows do not change.
    await ask('start', { id: 'f', spec });
    const beside = await ask('tryBasis', { task: 'g', source, choice });
    expect(beside).toEqual(report);
    await until((event) => done(event) && event.type === 'experiment' && event.summary.id === 'f');
    const [other] = (await ask('kept.load', { kind: 'run', id: 'f' })).runs;
    expect(other.rows).toEqual(run.rows);

    // A long evaluation lets the run take steps between its parts, and neither changes the other's numbers.
    const before = events.length;
    await ask('start', { id: 'g', spec });
    await ask('evaluateTrial', { task: 'i', source, choice });
    await until((event) => done(event) && event.type === 'experiment' && event.summary.id === 'g');
    const order = events.slice(before).flatMap((event) => {
      if (event.type === 'trial' && event.point) return [event.point.kind];
      return event.type === 'lab' && event.event.type === 'step' ? ['step'] : [];
    });
    expect(order.indexOf('first')).toBeLessThan(order.lastIndexOf('step'));
    expect(order.lastIndexOf('step')).toBeLessThan(order.indexOf('final'));
    const pointsBeside = events
      .slice(before)
      .flatMap((event) => (event.type === 'trial' && event.point ? [event.point] : []));
    expect(pointsBeside).toEqual(points.map(({ point }) => point));
    expect((await ask('kept.load', { kind: 'run', id: 'g' })).runs[0].rows).toEqual(run.rows);

    await expect(ask('tryBasis', { task: 'h', source: { kind: 'kept', runId: 'none' }, choice })).rejects.toThrow(
      /no run "none"/,
    );
  });
});
