// Tests the cosine probe through the worker's own handlers: stopped and resumed to the same report, stored, exported, imported.

import { FormatError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { unzipSync, zipSync } from 'fflate';
import { afterEach, describe, expect, it } from 'vitest';
import { checkProbeModel, TEACHER_WORDS } from '../../../experiments/kinds/probe/spec.ts';
import { memoryStores } from '../../../storage/kv.ts';
import type { ProbeAsk, ProbeEvent, ProbeRecord, ProbeTraining } from '../../protocol/probe.ts';
import { closeTestWorkers, openTestWorker, type TestWorker } from '../../testing/worker.ts';
import { type ProbeRunPorts, runRequestedProbe } from './run.ts';

afterEach(closeTestWorkers);

const ask: ProbeAsk = {
  teacher: { kind: 'templates', correct: 1 },
  problems: 3,
  samples: 2,
  seed: 41,
  settings: { pairs: 8, k: 2 },
};
const isProbe = (event: { type: string }): event is ProbeEvent => event.type === 'probe';
const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());

describe('a probe in the page', () => {
  it('resumes after a stop with the next step, to the same report and bytes', async () => {
    const here = await openTestWorker();
    const whole = await here.ask('runProbe', { task: 'a', ask });
    expect(whole).toMatchObject({ done: 6, total: 6, file: null, report: { pool: { problems: 3, samples: 6 } } });
    expect(whole.report?.verdicts.map(({ id }) => id)).toEqual(['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7']);
    const fractions = here.events.filter(isProbe).map(({ fraction }) => fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.at(-1)).toBe(1);

    const stores = await memoryStores();
    const there = await openTestWorker(stores);
    const stopping = setInterval(() => {
      if (there.events.some((event) => isProbe(event) && event.what === 'vanilla replay' && event.done === 2))
        void there.ask('stopTask', { task: 'b' });
    }, 1);
    await expect(there.ask('runProbe', { task: 'b', ask })).rejects.toBeInstanceOf(StoppedError);
    clearInterval(stopping);
    const [half] = await there.ask('kept.list', { kind: 'probe' });
    expect(half).toMatchObject({ id: whole.id, report: null, total: 6 });
    expect(half.done).toBeGreaterThanOrEqual(2);
    expect(half.done).toBeLessThan(6);
    await expect(there.ask('kept.export', { kind: 'probe', id: half.id })).rejects.toBeInstanceOf(SpecError);

    // A new worker has only the store, as after a reload.
    const later = await openTestWorker(stores);
    expect((await later.ask('runProbe', { task: 'c', ask })).report).toEqual(whole.report);
    const replayed = later.events.filter((event) => isProbe(event) && event.what === 'vanilla replay');
    expect(replayed[0]).toMatchObject({ done: Math.min(3, half.done) });
    const export_ = (lab: typeof here) => lab.ask('kept.export', { kind: 'probe', id: whole.id }).then(bytesOf);
    expect(await export_(later)).toEqual(await export_(here));

    // The same request again returns the stored probe.
    const before = later.events.filter(isProbe).length;
    expect((await later.ask('runProbe', { task: 'd', ask })).report).toEqual(whole.report);
    expect(later.events.filter(isProbe)).toHaveLength(before);
    await later.ask('kept.delete', { kind: 'probe', id: whole.id });
    expect(await later.ask('kept.list', { kind: 'probe' })).toEqual([]);
    expect(await stores.probes.keys()).toEqual([]);
  });

  it('is exported as a zip and imported as a whole, or not at all', async () => {
    const here = await openTestWorker();
    const { id, report } = await here.ask('runProbe', { task: 'a', ask });
    const zip = await here.ask('kept.export', { kind: 'probe', id });
    const files = unzipSync(await bytesOf(zip));
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['report.json', 'vanilla/step_001.jsonl.gz', 'projected/step_003.jsonl.gz']),
    );

    const there = await openTestWorker();
    const imported = await there.ask('importArchive', { file: zip, name: 'probe.zip' });
    if (imported.kind !== 'probe') throw new Error(imported.kind);
    expect(imported.summary).toMatchObject({ file: 'probe.zip', ask: null, report });
    expect(there.events).toContainEqual({ type: 'kept', kind: 'probe', id: imported.summary.id });
    const loaded = await there.ask('kept.load', { kind: 'probe', id: imported.summary.id });
    expect(loaded.rows).toEqual((await here.ask('kept.load', { kind: 'probe', id })).rows);
    expect(loaded.rows.vanilla).toHaveLength(6);
    expect(Object.keys(loaded.rows.vanilla[0].modules ?? {}).length).toBeGreaterThan(0);

    const elsewhere = await openTestWorker();
    const refused = async (changed: Record<string, Uint8Array>, says: RegExp) => {
      const file = new Blob([zipSync(changed) as Uint8Array<ArrayBuffer>]);
      const error: unknown = await elsewhere.ask('importArchive', { file, name: 'bad.zip' }).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(FormatError);
      expect(String(error)).toMatch(says);
    };
    const { 'vanilla/step_002.jsonl.gz': step, ...without } = files;
    await refused(without, /bad\.zip: vanilla\/step_002\.jsonl\.gz is missing/);
    await refused({ ...files, 'vanilla/step_001.jsonl.gz': step }, /does not hold the 2 rows of step 1/);
    await refused({ ...files, 'vanilla/step_001.jsonl.gz': step.slice(0, 40) }, /cannot be read/);
    const text = (change: (report: Record<string, unknown>) => void) => {
      const changed = structuredClone(report) as unknown as Record<string, unknown>;
      change(changed);
      return new TextEncoder().encode(JSON.stringify(changed));
    };
    await refused({ ...files, 'report.json': text((r) => Object.assign(r, { bound: 'x' })) }, /report\.json: bound/);
    await refused({ ...files, 'report.json': text((r) => (r.verdicts as unknown[]).pop()) }, /report\.json: verdicts/);
    expect(await elsewhere.ask('kept.list', { kind: 'probe' })).toEqual([]);
  });

  it('trains T5 and T6 by itself: stopped, resumed, exported, never repeated, and deleted with the last probe that uses them', async () => {
    const stores = await memoryStores();
    const here = await openTestWorker(stores);
    const brief = { ...ask, problems: 2, settings: { ...ask.settings, maxNew: 16, promptsPerStep: 2, groupSize: 4 } };
    const training: ProbeTraining = { check: 'T5', steps: 3, ratio: 0.5, innerEpochs: 2, loraLr: 0.003 };
    const { id, report: before } = await here.ask('runProbe', { task: 'a', ask: brief });
    const outcomes = ({ report }: ProbeRecord) => report?.verdicts.map(({ outcome }) => outcome);
    const events = (of: TestWorker, task: string) =>
      of.events.filter((event): event is ProbeEvent => event.type === 'probe' && event.task === task);
    const trained = (of: TestWorker, task: string) => events(of, task).filter(({ what }) => /training/.test(what));

    const stopping = setInterval(() => {
      if (trained(here, 'b').some(({ done }) => done > 3)) void here.ask('stopTask', { task: 'b' });
    }, 1);
    await expect(here.ask('trainProbe', { task: 'b', id, training })).rejects.toBeInstanceOf(StoppedError);
    clearInterval(stopping);
    const later = await openTestWorker(stores);
    // The request is stored, so that a reload can offer to resume.
    expect((await later.ask('kept.list', { kind: 'probe' }))[0]).toMatchObject({ training, report: before });
    const five = await later.ask('trainProbe', { task: 'c', id, training });
    // The finished run is not trained again.
    expect(trained(later, 'c').every(({ done }) => done >= 3)).toBe(true);
    expect(five).toMatchObject({ training: null, trainings: [expect.any(String)] });
    // Three steps decide nothing, but they give rates, and ratios for every step.
    expect(outcomes(five)).toEqual([
      ...(outcomes({ ...five, report: before }) ?? []).slice(0, 4),
      'undecided',
      'not run',
      expect.any(String),
    ]);
    const { svd, lora } = five.report!.trajectories!;
    expect(lora).toBeNull();
    expect(svd).toMatchObject({ vanilla: { length: 3 }, projected: { length: 3 }, ratios: { length: 3 } });
    expect(svd!.ratios.some((histogram) => histogram !== null && histogram.reduce((a, b) => a + b, 0) > 0)).toBe(true);

    const six = await later.ask('trainProbe', { task: 'd', id, training: { ...training, check: 'T6' } });
    // SVD's trainings were stored, so only LoRA's report progress.
    const fresh = (of: TestWorker, task: string) => trained(of, task).filter(({ done, total }) => done < total);
    expect(fresh(later, 'd').every(({ what }) => what.startsWith('LoRA: '))).toBe(true);
    const fractions = events(later, 'd').map(({ fraction }) => fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(six.report!.trajectories!.svd).toEqual(svd);
    expect(six.report!.lora).toMatchObject({ adapter: 'lora', pool: { samples: 4 } });
    expect(six.report!.verdicts[5]).toMatchObject({ id: 'T6', outcome: 'undecided' });
    expect((await later.ask('trainProbe', { task: 'e', id, training: { ...training, check: 'T6' } })).report).toEqual(
      six.report,
    );
    expect(fresh(later, 'e')).toEqual([]);

    // The zip contains LoRA's rows too, and its import restores everything.
    const loaded = await later.ask('kept.load', { kind: 'probe', id });
    expect(loaded.lora?.vanilla).toHaveLength(4);
    const zip = await later.ask('kept.export', { kind: 'probe', id });
    expect(Object.keys(unzipSync(await bytesOf(zip)))).toContain('lora/projected/step_002.jsonl.gz');
    const other = await openTestWorker();
    const imported = await other.ask('importArchive', { file: zip, name: 'both.zip' });
    if (imported.kind !== 'probe') throw new Error(imported.kind);
    expect(imported.summary.report).toEqual(six.report);
    expect((await other.ask('kept.load', { kind: 'probe', id: imported.summary.id })).lora).toEqual(loaded.lora);
    const asked = other.ask('trainProbe', { task: 'f', id: imported.summary.id, training });
    await expect(asked).rejects.toThrow(/from a file/);

    // Another probe with the same trainings reuses them; they are deleted with the last one.
    const twin = await later.ask('runProbe', {
      task: 'g',
      ask: { ...brief, samples: 1, teacher: { kind: 'templates', correct: 0 } },
    });
    await later.ask('trainProbe', { task: 'h', id: twin.id, training });
    expect(fresh(later, 'h')).toEqual([]);
    await later.ask('kept.delete', { kind: 'probe', id });
    expect((await stores.probes.keys('training/')).length).toBeGreaterThan(0);
    await later.ask('kept.delete', { kind: 'probe', id: twin.id });
    expect(await stores.probes.keys()).toEqual([]);
  }, 120_000);

  it('has the embedded teacher write its pool: once, stored among the pools, and the teacher of its trainings', async () => {
    const { ask: tell, events } = await openTestWorker();
    const teacher = { kind: 'onnx' } as const;
    const brief = { ...ask, teacher, problems: 2, settings: { ...ask.settings, promptsPerStep: 1, groupSize: 2 } };
    const { id, report, poolSha256 } = await tell('runProbe', { task: 'a', ask: brief });
    expect(report?.pool).toEqual({ source: TEACHER_WORDS, problems: 2, samples: 4 });
    const [pool] = await tell('listPools');
    expect(pool).toMatchObject({ sha256: poolSha256, rows: 4, teacher: TEACHER_WORDS, withLogprobs: 4 });
    const training: ProbeTraining = { check: 'T5', steps: 1, ratio: 0.5, innerEpochs: 1, loraLr: 0.003 };
    const trained = await tell('trainProbe', { task: 'b', id, training });
    expect(trained.report?.trajectories?.svd).toMatchObject({ taught: { problems: 2, ofProblems: 2 }, ratios: [] });
    expect(events.filter((event) => isProbe(event) && event.task === 'b' && event.what === 'teacher pool')).toEqual([]);
    expect(await tell('listPools')).toHaveLength(1);
  });

  it('has a name, tags and a note', async () => {
    const { ask: tell } = await openTestWorker();
    const { id } = await tell('runProbe', { task: 'a', ask: { ...ask, problems: 1 } });
    const named = await tell('kept.annotate', {
      kind: 'probe',
      id,
      changes: { name: ' first ', tags: ['a', 'a', ''], note: 'n' },
    });
    expect(named).toMatchObject({ name: 'first', tags: ['a'], note: 'n' });
    expect((await tell('kept.list', { kind: 'probe' }))[0]).toMatchObject({
      name: 'first',
      tags: ['a'],
      report: named.report,
    });
    await expect(
      tell('kept.annotate', { kind: 'probe', id, changes: { name: 'x'.repeat(200) } }),
    ).rejects.toBeInstanceOf(SpecError);
    await expect(tell('kept.annotate', { kind: 'probe', id: 'none', changes: {} })).rejects.toBeInstanceOf(SpecError);
  });

  it('uses a stored pool, and refuses unsuitable ones', async () => {
    const { ask: tell, records } = await openTestWorker();
    const build = { modes: ['sentinel' as const], honestShare: 0, problems: 2, dataSeed: 3, samples: 2 };
    const pool = await tell('buildPool', {
      task: 'p',
      teacher: { kind: 'templates' },
      build: { ...build, temperature: 1, seed: 1, maxNew: 16, withTokens: false },
    });
    const teacher = { kind: 'pool', sha256: pool.sha256 } as const;
    const { report } = await tell('runProbe', { task: 'a', ask: { ...ask, teacher, problems: 2 } });
    expect(report?.pool).toMatchObject({ problems: 2, samples: 4 });
    const refused = (changes: Partial<ProbeAsk>) => tell('runProbe', { task: 'b', ask: { ...ask, ...changes } });
    await expect(refused({ teacher: { kind: 'pool', sha256: 'none' } })).rejects.toThrow(/not kept here/);
    await expect(refused({ teacher: { kind: 'templates', correct: 3 } })).rejects.toThrow(/3 right bodies of 2/);
    await expect(refused({ problems: 0 })).rejects.toBeInstanceOf(SpecError);
    await expect(tell('kept.load', { kind: 'probe', id: 'none' })).rejects.toBeInstanceOf(SpecError);
    expect((await records.probes.list()).filter((record) => record.report)).toHaveLength(1);
  });

  it('refuses an embedded model of another environment', async () => {
    for (const model of ['tiny-misreader', 'tiny-composer', 'tiny-agent'])
      expect(() => checkProbeModel(model), model).toThrow(/made for other problems than a probe asks/);
    for (const model of ['tiny-coder', 'a model of my own']) checkProbeModel(model);
    const opened = async () => ({ model: { id: 'tiny-misreader' } });
    await expect(runRequestedProbe(ask, { opened } as unknown as ProbeRunPorts)).rejects.toBeInstanceOf(SpecError);
  });

  it('is trained only with the model that it replayed', async () => {
    const { ask: tell, records } = await openTestWorker();
    const { id, model } = await tell('runProbe', { task: 'a', ask });
    const training: ProbeTraining = { check: 'T5', steps: 1, ratio: 0.5, innerEpochs: 1, loraLr: 1e-3 };
    await records.probes.change(id, { model: { id: 'another', sha256: 'another' } });
    const other = tell('trainProbe', { task: 'b', id, training });
    await expect(other).rejects.toThrow(new RegExp(`replayed another, and ${model!.id} is loaded`));
    // A probe stored before the model was recorded is still trained.
    await records.probes.change(id, { model: undefined });
    expect((await tell('trainProbe', { task: 'c', id, training })).report?.trajectories?.svd).toBeTruthy();
  });

  it('has an estimated cost before it is started', async () => {
    const { ask: tell } = await openTestWorker();
    expect((await tell('probePace')).perSample).toBeGreaterThan(0);
  });

  it('is not refused because of its own cost measurement, which is repeated after it', async () => {
    const { ask: tell } = await openTestWorker();
    const price = tell('probePace');
    // The measurement has the model by now.
    await new Promise((resolve) => setImmediate(resolve));
    const { report } = await tell('runProbe', { task: 'a', ask });
    expect(report?.pool).toMatchObject({ problems: 3, samples: 6 });
    expect((await price).perSample).toBeGreaterThan(0);
  });
});
