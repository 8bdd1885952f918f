import { FormatError, LabError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Settings } from '../../experiments/config/settings.ts';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { type KeyValue, memoryStores, type Stores, storageError } from '../../storage/kv.ts';
import { crc32, MANIFEST, parseJson, unzipChecked } from '../../storage/run-archive.ts';
import { type TensorToWrite, writeSafetensors } from '../../storage/safetensors-write.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { importArchive } from '../testing/import.ts';
import { closeTestLabs, openedLab, openTestLab, type TestLab } from '../testing/lab.ts';
import type { BasisTarget } from './bases.ts';
import type { Records } from './records.ts';

const small = { maxNew: 12, problems: 8, evalProblems: 2, finalEvalProblems: 4, checkpointEvery: 1, pairs: 8, k: 2 };
const spec = (arms = ['route-update'], changes: Partial<Settings> = {}) =>
  parseExperimentSpec({ preset: 'smoke', arms, device: 'cpu', overrides: { ...small, ...changes } });
const ended = (id: string) => (event: WorkerEvent) =>
  event.type === 'experiment' && event.summary.id === id && !['waiting', 'running'].includes(event.summary.status);

/** Everything in the stores about an experiment. */
async function contents(stores: Stores, id: string) {
  const of = async (store: KeyValue) => {
    const keys = (await store.keys()).filter((key) => key === id || key.startsWith(`${id}/`));
    return Promise.all(keys.map(async (key) => [key, await store.get(key)]));
  };
  const { experiments, runs, rollouts, checkpoints, steps } = stores;
  return Promise.all([experiments, runs, rollouts, checkpoints, steps].map(of));
}

describe('an experiment as a zip', () => {
  const stores: Stores[] = [];
  let target: BasisTarget;
  let zip: Blob;
  async function lab(): Promise<{ lab: TestLab; records: Records; stores: Stores }> {
    const own = await memoryStores();
    const made = await openedLab(own);
    stores.push(own);
    return { lab: made, records: made.records, stores: own };
  }
  beforeAll(async () => {
    const { lab: first, records } = await lab();
    await first.session.start('one', spec(['route', 'route-update'], { refreshEvery: 2 }));
    await first.until(ended('one'));
    await records.annotate('one', { name: 'first try', tags: ['a', 'b'], note: 'note' });
    const { policy, model } = first.equipment.current!;
    target = { layout: policy.adapterLayout, modelSha256: model.sha256 };
    zip = await records.exportExperiment('one', target);
  });
  afterAll(closeTestLabs);

  it('is the same in another lab, to the last byte', async () => {
    const { records, stores: own } = await lab();
    const imported = await importArchive(records, zip, 'one.zip', target);
    expect(imported).toMatchObject({ kind: 'run', summary: { id: 'one', status: 'done', name: 'first try' } });
    expect(await contents(own, 'one')).toEqual(await contents(stores[0], 'one'));
    const again = await records.exportExperiment('one', target);
    expect(new Uint8Array(await again.arrayBuffer())).toEqual(new Uint8Array(await zip.arrayBuffer()));
    await expect(importArchive(records, zip, 'one.zip', target)).rejects.toThrow(/already kept here/);
    // The archive contains everything that a stored run can have: its steps, and where its bases were refreshed.
    expect(await records.steps.load('one/route-update/41')).toHaveLength(3);
    expect((await records.checkpoints.load('one/route/41'))?.refreshed?.own?.step).toBe(2);
    await records.deleteExperiment(await records.experiment('one'));
    expect(await contents(own, 'one')).toEqual([[], [], [], [], []]);
  });

  it('has the previous update directions of a run that ends between two comparisons', async () => {
    const { lab: first, records } = await lab();
    await first.session.start('y', spec(['none'], { steps: 6 }));
    await first.until(ended('y'));
    const kept = (await records.checkpoints.load('y/none/41'))!;
    expect(kept.compared).toHaveLength(kept.optimizer.total.length);
    // A router's state is stored with the checkpoint, bit for bit.
    const router = { params: [Math.fround(0.1), -3], m: [Math.fround(1e-9), 0], v: [0, 1], t: 3 };
    await records.checkpoints.save({ ...kept, router });
    const { records: other } = await lab();
    await importArchive(other, await records.exportExperiment('y', target), 'y.zip', target);
    expect(await other.checkpoints.load('y/none/41')).toEqual({ ...kept, router });
  });

  it('has the divisor of a span in Adam’s metric', async () => {
    const { lab: first, records } = await lab();
    const overrides = { refreshEvery: 2, steps: 3, trustedShare: 0.5, mix: 0 };
    await first.session.start('a', spec(['trusted_subspace_adam'], overrides));
    await first.until(ended('a'));
    const id = 'a/trusted_subspace_adam/41';
    const kept = (await records.checkpoints.load(id))!;
    const own = { ...kept.refreshed!.own!, divisor: kept.optimizer.total.map((_, i) => 1 + i / 3) };
    const scaled = { ...kept, refreshed: { own, shadows: {} } };
    await records.checkpoints.save(scaled);
    const { records: other } = await lab();
    await importArchive(other, await records.exportExperiment('a', target), 'a.zip', target);
    expect(await other.checkpoints.load(id)).toEqual(scaled);
  });

  it('resumes a stopped run elsewhere to the bytes of an uninterrupted one', async () => {
    const { lab: first, records } = await lab();
    await first.session.start('x', spec());
    await first.until((event) => event.type === 'lab' && event.event.type === 'checkpoint' && event.event.step === 1);
    await first.session.stop('x');
    await first.until(ended('x'));
    const { lab: second, records: other } = await lab();
    const stopped = await records.exportExperiment('x', target);
    await importArchive(other, stopped, 'x.zip', target);
    await second.session.resume('x');
    expect(await second.until(ended('x'))).toMatchObject({ summary: { status: 'done' } });
    const { lab: whole, records: straight } = await lab();
    await whole.session.start('x', spec());
    await whole.until(ended('x'));
    const rows = async (of: Records) =>
      (await of.runs(await of.experiment('x'))).map(({ rows, evals }) => JSON.stringify({ rows, evals }));
    expect(await rows(other)).toEqual(await rows(straight));
  });

  it('is refused if tampered with, and nothing of it is stored', async () => {
    const { records, stores: own } = await lab();
    const files = unzipChecked(new Uint8Array(await zip.arrayBuffer()), 'one.zip');
    const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    // biome-ignore lint/suspicious/noExplicitAny: what a forger changes has no type
    type Loose = any;
    const json = (name: string): Loose => parseJson(files.get(name)!, name);
    const forge = async (changes: Record<string, Uint8Array | null>) => {
      const forged: Record<string, Uint8Array> = Object.fromEntries(files);
      for (const [name, content] of Object.entries(changes)) {
        if (content) forged[name] = content;
        else delete forged[name];
      }
      delete forged[MANIFEST];
      const listed = Object.entries(forged).map(([name, c]) => ({ name, bytes: c.length, crc32: crc32(c) }));
      forged[MANIFEST] = text({ ...json(MANIFEST), files: listed });
      return importArchive(records, new Blob([zipSync(forged) as Uint8Array<ArrayBuffer>]), 'forged.zip', target);
    };
    const experiment = (change: (e: Loose) => void) => {
      const value = json('experiment.json');
      change(value);
      return forge({ 'experiment.json': text(value) });
    };
    const run = (change: (e: Loose) => void) => {
      const value = json('runs/0/run.json');
      change(value);
      return forge({ 'runs/0/run.json': text(value) });
    };
    const refused = async (work: Promise<unknown>, says: RegExp) => {
      const error = await work.then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(LabError);
      expect((error as LabError).message).toMatch(says);
    };
    await refused(
      experiment((e) => Object.assign(e, { id: '../x' })),
      /id is invalid/,
    );
    await refused(
      experiment((e) => Object.assign(e, { id: 'another' })),
      /does not belong to its experiment/,
    );
    await refused(
      experiment((e) => Object.assign(e.spec, { arms: ['evil'] })),
      /evil/,
    );
    await refused(
      experiment((e) => e.runIds.push(e.runIds[0])),
      /twice/,
    );
    await refused(
      experiment((e) => Object.assign(e, { status: '<img>' })),
      /status/,
    );
    await refused(
      experiment((e) => Object.assign(e, { note: 'n'.repeat(5000) })),
      /note/,
    );
    await refused(
      run((r) => Object.assign(r.spec, { steps: 1e9 })),
      /steps/,
    );
    await refused(
      run((r) => Object.assign(r.rows[0], { loss: 'NaN' })),
      /rows\.0\.loss/,
    );
    await refused(
      run((r) => Object.assign(r, { experimentId: 'two' })),
      /says that it is/,
    );
    await refused(forge({ 'runs/0/run.json': null }), /missing/);
    await refused(forge({ 'runs/0/state.safetensors': null }), /lacks one of its two files/);
    await refused(forge({ 'runs/0/state.safetensors': new Uint8Array(64) }), /header/);
    await refused(
      forge({ 'runs/0/state.safetensors': files.get('runs/1/state.safetensors')! }),
      /has no|does not belong in it/,
    );
    await refused(
      forge({ 'runs/1/steps.safetensors': files.get('runs/1/state.safetensors')! }),
      /it has undefined steps/,
    );
    const zero = { dtype: 'F32' as const, shape: [1], data: new Float32Array(1) };
    const steps = (tensors: [string, TensorToWrite][]) => writeSafetensors(new Map(tensors), { steps: '3' });
    await refused(
      forge({ 'runs/1/steps.safetensors': steps([['step/1/0', zero]]) }),
      /step\/1\/0 is F32 of shape \[1\]/,
    );
    await refused(forge({ 'runs/1/steps.safetensors': steps([['step/4/0', zero]]) }), /not a step of this run/);
    await refused(forge({ 'runs/0/rollouts.jsonl': text({ step: 1, rollouts: [{ prompt: 1 }] }) }), /rollouts/);
    await refused(forge({ 'runs/9/run.json': text({}) }), /does not belong in it/);
    await refused(forge({ 'index.html': text('<script>') }), /does not belong in it/);
    await refused(forge({ 'basis.safetensors': new Uint8Array(9) }), /not the one/);
    const noise = new Blob([zipSync({ 'readme.txt': text('hello') }) as Uint8Array<ArrayBuffer>]);
    await refused(importArchive(records, noise, 'noise.zip', target), /neither an exported run nor/);
    expect(await contents(own, 'one')).toEqual([[], [], [], [], []]);
    expect(await own.bases.keys()).toEqual([]);
  });
});

describe('teacher pools as files', () => {
  it('counts, exports and imports them with their labels', async () => {
    const made = await openTestLab();
    try {
      await made.session.start('one', spec());
      await made.until(ended('one'));
      const { records } = made;
      const [built] = await records.pools.list();
      expect(built).toMatchObject({ origin: 'built', graderVersion: made.equipment.grader.version });
      expect(built.rows).toBe(5 * built.problems);
      const rows = await records.pools.rows(built.id);
      expect(rows).toHaveLength(built.rows);
      expect(Object.keys(rows[0])).toEqual([
        ...['problem_id', 'prompt', 'completion', 'reward', 'passed', 'gt_correct', 'exploited', 'mechanism'],
      ]);
      const { readPoolFiles, writePool } = await import('./pool-files.ts');
      for (const format of ['jsonl', 'jsonl.gz'] as const) {
        expect(await readPoolFiles([{ file: writePool(rows, format), name: `p.${format}` }])).toEqual(rows);
      }
      const target = {
        layout: made.equipment.current!.policy.adapterLayout,
        modelSha256: made.equipment.current!.model.sha256,
      };
      const zip = writePool(rows, 'zip');
      expect(unzipChecked(new Uint8Array(await zip.arrayBuffer()), 'p.zip').size).toBe(built.problems);
      const imported = await importArchive(records, zip, 'p.zip', target);
      expect(imported).toMatchObject({ kind: 'pool', report: { origin: 'file', name: 'p.zip', rows: built.rows } });
      // The labels of an imported pool are unverified, so it does not replace the pool that runs use.
      expect(await records.pools.list()).toHaveLength(2);
      expect(imported.kind === 'pool' && imported.report.id).not.toBe(built.id);
      const bad = new Blob(['{"problem_id":"a"}\n']);
      await expect(readPoolFiles([{ file: bad, name: 'bad.jsonl' }])).rejects.toThrow(/bad\.jsonl: line 1/);
      await expect(readPoolFiles([{ file: new Blob([]), name: 'e.jsonl' }])).rejects.toThrow(FormatError);
      const broken = new Blob([new Uint8Array([0x1f, 0x8b, 1, 2, 3])]);
      await expect(readPoolFiles([{ file: broken, name: 'b.gz' }])).rejects.toThrow(/cannot be read as gzip/);
    } finally {
      await made.close();
    }
  });
});

describe('full storage and notes', () => {
  it('stops cleanly when the store is full, says what to delete, and resumes to the same bytes', async () => {
    const stores = await memoryStores();
    let room = Number.POSITIVE_INFINITY;
    const limited = (store: KeyValue): KeyValue => ({
      ...store,
      set(key, value) {
        if (room-- > 0) return store.set(key, value);
        return Promise.reject(storageError(new DOMException('full', 'QuotaExceededError')));
      },
    });
    const tight = { ...stores, rollouts: limited(stores.rollouts), checkpoints: limited(stores.checkpoints) };
    for (const left of [2, 3]) {
      const made = await openTestLab(tight);
      try {
        const id = `full-${left}`;
        room = Number.POSITIVE_INFINITY;
        await made.session.start(`whole-${left}`, spec());
        await made.until(ended(`whole-${left}`));
        // Each step stores rollouts and a checkpoint: room for 2 writes fails at the second step's rollouts, for 3 at its checkpoint.
        room = left;
        await made.session.start(id, spec());
        const last = await made.until(ended(id));
        expect(last).toMatchObject({ summary: { status: 'stopped', error: { message: /no room left/ } } });
        if (last.type === 'experiment') expect(last.summary.error?.remedy).toMatch(/smoke of .* [kM]B/);
        expect((await made.records.checkpoints.load(`${id}/route-update/41`))?.step).toBe(1);
        room = Number.POSITIVE_INFINITY;
        await vi.waitFor(() => expect(made.session.isBusy).toBe(false));
        await made.session.resume(id);
        const done = (event: WorkerEvent) =>
          ended(id)(event) && event.type === 'experiment' && event.summary.status === 'done';
        expect(await made.until(done)).toMatchObject({ summary: { error: null } });
        const rows = async (of: string) =>
          JSON.stringify((await made.records.runs(await made.records.experiment(of))).map((run) => run.rows));
        expect(await rows(id)).toBe(await rows(`whole-${left}`));
      } finally {
        await made.close();
      }
    }
  });

  it('reports the stop even if it cannot be stored, and stores it once there is room', async () => {
    const stores = await memoryStores();
    let isFull = false;
    const limited = (store: KeyValue): KeyValue => ({
      ...store,
      set: (key, value) =>
        isFull ? Promise.reject(storageError(new DOMException('full', 'QuotaExceededError'))) : store.set(key, value),
    });
    const tight = { ...stores, rollouts: limited(stores.rollouts), experiments: limited(stores.experiments) };
    const made = await openTestLab(tight);
    try {
      const { session, records, until } = made;
      await session.start('other', spec());
      await until(ended('other'));
      await session.start('mine', spec());
      await until((event) => event.type === 'lab' && event.event.type === 'checkpoint' && event.event.step === 1);
      isFull = true;
      expect(await until(ended('mine'))).toMatchObject({ summary: { status: 'stopped' } });
      const written = () => stores.experiments.get<{ status: string }>('mine');
      expect(['waiting', 'running']).toContain((await written())?.status);
      expect(await records.experiment('mine')).toMatchObject({ status: 'stopped', error: { message: /no room left/ } });
      expect((await records.experiments()).map(({ id, status }) => [id, status])).toContainEqual(['mine', 'stopped']);
      await vi.waitFor(() => expect(session.isBusy).toBe(false));
      // An experiment that cannot be stored is refused: a new one leaves no record, a stopped one keeps its old record.
      await expect(session.start('next', spec())).rejects.toThrow(/no room left/);
      await expect(session.resume('mine')).rejects.toThrow(/no room left/);
      expect((await records.experiments()).map(({ id, status }) => [id, status])).toEqual([
        ['mine', 'stopped'],
        ['other', 'done'],
      ]);
      isFull = false;
      await records.deleteExperiment(await records.experiment('other'));
      expect((await written())?.status).toBe('stopped');
    } finally {
      await made.close();
    }
  });

  it('keeps the user’s notes while the run continues, and refuses too long ones', async () => {
    const made = await openTestLab();
    try {
      const { session, records, until } = made;
      await session.start('one', spec());
      await until((event) => event.type === 'lab' && event.event.type === 'checkpoint' && event.event.step === 1);
      await records.annotate('one', { name: '  mine ', tags: ['x', ' x', ''] });
      expect(await until(ended('one'))).toMatchObject({ summary: { name: 'mine', tags: ['x'], status: 'done' } });
      await records.annotate('one', { note: 'why' });
      expect(await records.experiment('one')).toMatchObject({ name: 'mine', note: 'why', tags: ['x'] });
      expect((await records.experiment('one')).approxBytes).toBeGreaterThan(1000);
      await expect(records.annotate('one', { name: 'n'.repeat(121) })).rejects.toBeInstanceOf(SpecError);
      await expect(records.annotate('none', { name: 'n' })).rejects.toBeInstanceOf(SpecError);
    } finally {
      await made.close();
    }
  });
});
