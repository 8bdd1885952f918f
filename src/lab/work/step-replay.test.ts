// Tests finished runs replayed through the worker's own handlers: rows in the table, stored with the runs, for every seed or for none.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it } from 'vitest';
import type { ControlSpec } from '../../experiments/config/controls.ts';
import { type ExperimentSpec, parseExperimentSpec } from '../../experiments/config/spec.ts';
import { memoryStores } from '../../storage/kv.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { closeTestWorkers, openTestWorker } from '../testing/worker.ts';

afterEach(closeTestWorkers);

async function worker() {
  const stores = await memoryStores();
  return { ...(await openTestWorker(stores)), stores };
}

const overrides = {
  steps: 2,
  warmupFrac: 0,
  maxNew: 8,
  problems: 8,
  evalEvery: 0,
  finalEvalProblems: 2,
  pairs: 6,
  k: 2,
};
const spec = (arms: ExperimentSpec['arms'], seeds = [41, 42]) =>
  parseExperimentSpec({ preset: 'smoke', arms, seeds, device: 'cpu', overrides });
const done = (id: string) => (event: WorkerEvent) =>
  event.type === 'experiment' && event.summary.id === id && !['waiting', 'running'].includes(event.summary.status);
const control = (id: string, extra: Partial<ControlSpec> = {}): ControlSpec => ({
  id,
  kind: 'real',
  gate: 'one_sided',
  k: 2,
  mode: null,
  ...extra,
});

describe('a replay', () => {
  it('gives every seed’s run a row, stored with the runs, the table and the archive', async () => {
    const { ask, events, records, stores, until } = await worker();
    await ask('start', { id: 'e', spec: spec(['none', 'erase']) });
    expect(await until(done('e'))).toMatchObject({ summary: { status: 'done' } });
    const before = await ask('kept.load', { kind: 'run', id: 'e' });
    const mean = control('mean diff', { settings: { basisKind: 'mean_diff' } });
    const again = await ask('replaySteps', { task: 't', experimentId: 'e', arm: 'none', shadow: mean });

    for (const run of again.runs) {
      const row = run.evals.find(({ model }) => model === 'mean diff');
      if (run.spec.arm === 'erase') expect([row, run.rerouted]).toEqual([undefined, undefined]);
      else {
        expect(row).toMatchObject({ kind: 'final', step: 2, note: expect.stringMatching(/^Σ‖removed‖ \d/) });
        expect(run.rerouted).toMatchObject([{ shadow: mean, ownRemoved: expect.any(Number) }]);
        expect(run.rows).toEqual(before.runs.find(({ id }) => id === run.id)!.rows);
      }
    }
    const line = again.record.result!.table.find(({ model }) => model === 'mean diff');
    expect(line).toMatchObject({ arm: 'none', n: 2, label: '  mean diff (replayed)' });
    expect(line!.deployed.solve).toMatchObject({ mean: expect.any(Number) });
    expect(again.record.result!.table).toHaveLength(before.record.result!.table.length + 1);
    expect(await ask('kept.load', { kind: 'run', id: 'e' })).toEqual(again);
    const replayed = events.filter((event) => event.type === 'replaySteps');
    expect(replayed.at(0)!.what).toMatch(/^run 1 of 2/);
    expect(replayed.at(-1)!.fraction).toBe(1);
    const fractions = replayed.map(({ fraction }) => fraction);
    expect([...fractions].sort((a, b) => a - b)).toEqual(fractions);

    const zip = await ask('kept.export', { kind: 'run', id: 'e' });
    await ask('kept.delete', { kind: 'run', id: 'e' });
    expect(await stores.steps.keys()).toEqual([]);
    await ask('importArchive', { file: zip, name: 'e.zip' });
    expect((await ask('kept.load', { kind: 'run', id: 'e' })).record.result!.table).toEqual(again.record.result!.table);
    // The import can be replayed as well.
    const second = await ask('replaySteps', { task: 't', experimentId: 'e', arm: 'none', shadow: control('same') });
    expect(second.runs[0].rerouted!.map(({ shadow: control }) => control.id)).toEqual(['mean diff', 'same']);
    expect(second.runs[0].rerouted![1].removed).toBe(second.runs[0].rerouted![1].ownRemoved);

    const refused = async (work: Promise<unknown>, says: RegExp) => {
      await expect(work).rejects.toThrow(says);
      await expect(work).rejects.toBeInstanceOf(SpecError);
    };
    const ask41 = (arm: 'none' | 'erase', wanted: ControlSpec) =>
      ask('replaySteps', { task: 't', experimentId: 'e', arm, shadow: wanted });
    await refused(ask41('none', control('same')), /a model "same" already/);
    await refused(ask41('none', control('total')), /already/);
    await refused(ask41('none', control('<b>')), /cannot be called/);
    await refused(ask41('erase', control('x')), /No run of the arm erase/);
    await refused(ask41('none', control('k', { k: 9 })), /k = 9 axes from 6/);
    await records.steps.truncate('e/none/42', 1);
    await refused(ask41('none', control('late')), /1 of the 2 steps/);
    // The first seed's run was replayed, but its row is not stored alone.
    expect(
      (await ask('kept.load', { kind: 'run', id: 'e' })).runs.every(({ evals }) =>
        evals.every(({ model }) => model !== 'late'),
      ),
    ).toBe(true);
  });

  it('can be stopped, and then leaves nothing', async () => {
    const { ask, until } = await worker();
    await ask('start', { id: 's', spec: spec(['none'], [41]) });
    await until(done('s'));
    const work = ask('replaySteps', { task: 't', experimentId: 's', arm: 'none', shadow: control('x') });
    const outcome = expect(work).rejects.toThrow(/stopped/);
    while (!(await ask('stopTask', { task: 't' })).stopped) await new Promise((resolve) => setTimeout(resolve, 1));
    await outcome;
    expect((await ask('kept.load', { kind: 'run', id: 's' })).runs[0].rerouted).toBeUndefined();
  });
});
