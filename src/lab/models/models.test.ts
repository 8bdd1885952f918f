// Tests third-party models through the worker's own handlers: inspected, stored, used, refused; the previous model stays if one fails.

import { FormatError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryNeed } from '../../engine/memory/memory.ts';
import type { ModelConfig } from '../../engine/types.ts';
import { type ExperimentSpec, parseExperimentSpec } from '../../experiments/config/spec.ts';
import { parsePoolBuild } from '../../experiments/pools/build.ts';
import type { BlobStore } from '../../storage/factor-cache.ts';
import { storedSha256 } from '../../storage/model-files.ts';
import { MemoryModelStore } from '../../storage/models/testing/memory.ts';
import { callsPerToken } from '../estimate/calls.ts';
import type { ModelPlace } from '../protocol/models.ts';
import type { PlayRequest } from '../protocol/playground.ts';
import { TEST_MODEL, testModelFolder } from '../testing/lab.ts';
import { closeTestWorkers, openTestWorker, type TestWorker } from '../testing/worker.ts';

afterEach(closeTestWorkers);

const OTHER: ModelConfig = { ...TEST_MODEL, layers: 1 };
const filesOf = (folder: ReadonlyMap<string, Blob>) => [...folder].map(([path, file]) => ({ path, file }));
const dropped = (name: string, folder = testModelFolder(OTHER, 5)): Extract<ModelPlace, { kind: 'files' }> => ({
  kind: 'files',
  name,
  files: filesOf(folder),
});
/** The folder with one of its weights replaced by NaN, which is found only when the weights are read. */
async function poisoned(): Promise<Map<string, Blob>> {
  const folder = testModelFolder(OTHER, 5);
  const bytes = new Uint8Array(await folder.get('model.safetensors')!.arrayBuffer());
  new DataView(bytes.buffer).setUint32(bytes.length - 4, 0x7fc00000, true);
  return folder.set('model.safetensors', new Blob([bytes]));
}

const AUTO = { storage: 'auto', spec: null } as const;

const ask: PlayRequest = {
  id: 'p',
  ask: { kind: 'chat', conversations: { base: [{ role: 'user', text: 'Hi' }] } },
  runId: null,
  models: ['base'],
  seed: 3,
  temperature: 0,
  maxNew: 8,
};
const spec = (model: string): ExperimentSpec =>
  parseExperimentSpec({
    preset: 'smoke',
    arms: ['route-update'],
    device: 'cpu',
    overrides: { model, steps: 2, maxNew: 12, problems: 8, evalProblems: 2, finalEvalProblems: 2, pairs: 8, k: 2 },
  });
const said = async (worker: TestWorker) => (await worker.ask('play', ask))[0].completion;

function memoryBlobs() {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    read: async (name: string) => (files.has(name) ? new Blob([files.get(name)! as Uint8Array<ArrayBuffer>]) : null),
    write: async (name: string, bytes: Uint8Array) => void files.set(name, bytes.slice()),
    usage: async () => ({ files: files.size, bytes: [...files.values()].reduce((sum, { length }) => sum + length, 0) }),
    clear: async () => files.clear(),
  } satisfies BlobStore & Record<string, unknown>;
}

describe('a third-party model', () => {
  it('is inspected before it is loaded: shape, bytes, memory, missing files', async () => {
    const worker = await openTestWorker(undefined, { models: { store: new MemoryModelStore({ room: 1e9 }) } });
    const seen = await worker.ask('inspectModel', {
      place: dropped('My model'),
      storage: 'auto',
      spec: spec('tiny-coder'),
    });
    expect(seen).toMatchObject({
      id: 'My-model',
      config: OTHER,
      roomBytes: 1e9,
      hasTokenizer: true,
      hasChatTemplate: true,
      kept: null,
      device: worker.equipment.current!.chosen.report.name,
    });
    expect(seen.missingBytes).toBe(seen.bytes);
    expect(seen.generate.misfit).toBeNull();
    expect(seen.generate.need).toMatchObject({ folded: 0, factors: 0, optimizer: 0 });
    expect(seen.train!.need.factors).toBe(memoryNeed(OTHER, { rollouts: [], scores: [], kind: 'cpu' }).factors);
    expect(seen.train!.need.total).toBeGreaterThan(seen.generate.need.total);
    expect(seen.train!.form).toBe('folded');
    expect([seen.generate.callsPerToken, seen.train!.callsPerToken]).toEqual(
      new Array(2).fill(await callsPerToken(OTHER)),
    );

    const bare = testModelFolder(OTHER, 5);
    for (const path of bare.keys()) if (!['config.json', 'model.safetensors'].includes(path)) bare.delete(path);
    const wordless = await worker.ask('inspectModel', { place: dropped('bare', bare), storage: 'auto', spec: null });
    expect(wordless).toMatchObject({ hasTokenizer: false, hasChatTemplate: false, train: null });
    expect(wordless.warnings.join(' ')).toMatch(/tokenizer/);
    // No other model may use the lab's own id.
    expect(
      (await worker.ask('inspectModel', { place: dropped('tiny-coder'), storage: 'auto', spec: null })).id,
    ).not.toBe('tiny-coder');
  });

  it('is examined: its files, its fields, its prompt; refusals are part of the report', async () => {
    const store = new MemoryModelStore({ room: 1e9 });
    const worker = await openTestWorker(undefined, { models: { store } });
    const asked = { prompt: 'f(x)?', spec: spec('tiny-coder') };
    const whole = testModelFolder(OTHER, 5).set('notes.bin', new Blob(['x']));
    const report = await worker.ask('examineModel', { place: dropped('other', whole), ...asked });
    expect(report).toMatchObject({ refusals: [], config: OTHER, text: { prompt: { isChat: true } } });
    expect(report.files.find(({ path }) => path === 'notes.bin')).toMatchObject({ isRead: false });
    const { id } = await worker.ask('keepModel', { task: 'k', place: dropped('other', whole) });
    const kept = await worker.ask('examineModel', { place: { kind: 'kept', id }, prompt: 'f(x)?', spec: null });
    expect([kept.text, kept.memory[0].train]).toEqual([report.text, null]);
    const config = JSON.parse(await whole.get('config.json')!.text());
    whole.set('config.json', new Blob([JSON.stringify({ ...config, mystery: 1 })]));
    const used = await worker.ask('useModel', { task: 't', place: dropped('noted', whole), ...AUTO });
    expect(used.notes).toEqual([expect.stringContaining('mystery 1')]);
    whole.set('config.json', new Blob([JSON.stringify({ ...config, is_causal: false })]));
    const refused = await worker.ask('examineModel', { place: dropped('other', whole), ...asked });
    expect(refused.refusals).toMatchObject([{ message: expect.stringContaining('is_causal false') }]);
    const hub = { kind: 'hub', repo: 'a/b', revision: 'main' } as const;
    await expect(worker.ask('examineModel', { place: hub, ...asked })).rejects.toThrow(SpecError);
  });

  it('answers without being factored; the form’s estimate is for it; the lab’s own model can be restored', async () => {
    const factors = memoryBlobs();
    const worker = await openTestWorker(undefined, { factors });
    const own = await said(worker);
    const report = await worker.ask('useModel', { task: 't', place: dropped('other'), ...AUTO });
    expect(report).toMatchObject({ id: 'other', isOwn: false, config: OTHER, hasChatTemplate: true });
    expect(worker.events).toContainEqual(expect.objectContaining({ type: 'model', task: 't' }));
    expect(worker.equipment.current).toMatchObject({ adapter: null });
    const answer = await said(worker);
    expect(answer).not.toBe(own);
    const foreign = await worker.ask('estimate', { spec: spec('tiny-coder') });
    expect(foreign.misfit).toMatchObject({ message: expect.stringMatching(/other is loaded/) });
    expect(foreign.misfit!.remedy).toMatch(/load tiny-coder under Models/);
    expect(await worker.ask('estimate', { spec: spec('other') })).toMatchObject({ misfit: null, seconds: null });
    expect(factors.files.size).toBe(0);

    await worker.ask('setDevice', { device: 'auto' });
    expect(worker.equipment.current).toMatchObject({ adapter: null, model: { id: 'other' } });
    expect(await said(worker)).toBe(answer);
    await worker.ask('useModel', { task: 'u', place: { kind: 'embedded' }, ...AUTO });
    expect(await said(worker)).toBe(own);
  });

  it('can be stored on the device in fewer bits, as planned', async () => {
    const worker = await openTestWorker();
    const [f32, f16] = await Promise.all(
      (['auto', 'f16'] as const).map((storage) =>
        worker.ask('inspectModel', { place: dropped('other'), storage, spec: spec('other') }),
      ),
    );
    expect([f32.generate.storage, f16.generate.storage, f16.train!.storage]).toEqual(['f32', 'f16', 'f16']);
    expect(f16.generate.need.weights).toBeLessThan(f32.generate.need.weights);
    const report = await worker.ask('useModel', { task: 't', place: dropped('other'), storage: 'f16', spec: null });
    expect(report.storage).toBe('f16');
    // A model stored in fewer bits is another model.
    const exact = await worker.ask('useModel', { task: 't', place: dropped('other'), ...AUTO });
    expect(report.sha256).not.toBe(exact.sha256);
    const again = await worker.ask('useModel', { task: 't', place: dropped('other'), storage: 'f16', spec: null });
    expect(again.sha256).toBe(report.sha256);
    expect(worker.equipment.current!.policy.storage).toBe('f16');
    expect((await worker.ask('play', ask))[0].tokens).toBeGreaterThan(0);
    const estimate = await worker.ask('estimate', { spec: spec('other') });
    expect(estimate.memory).toEqual(f16.train!.need);
  });

  it('trains, with stored factors; its runs are its own', async () => {
    const factors = memoryBlobs();
    const worker = await openTestWorker(undefined, { factors, models: { store: new MemoryModelStore(), factors } });
    await worker.ask('useModel', { task: 't', place: dropped('other'), ...AUTO });
    await worker.ask('start', { id: 'x', spec: spec('other') });
    await expect(worker.ask('useModel', { task: 'u', place: { kind: 'embedded' }, ...AUTO })).rejects.toThrow(
      /experiment runs/,
    );
    await worker.until((event) => event.type === 'experiment' && event.summary.status === 'done');
    expect(await worker.ask('factorUsage')).toMatchObject({ files: 7 });
    expect(worker.equipment.current).toMatchObject({ model: { id: 'other' }, adapter: { adapter: 'svd' } });
    const [run] = await worker.ask('playRuns');
    expect(await worker.ask('play', { ...ask, runId: run.runId, models: ['base', 'trained'] })).toHaveLength(2);

    await worker.ask('useModel', { task: 'u', place: { kind: 'embedded' }, ...AUTO });
    expect(await worker.ask('playRuns')).toEqual([]);
    await worker.ask('clearFactors');
    expect(await worker.ask('factorUsage')).toEqual({ files: 0, bytes: 0 });
    await expect(worker.ask('play', { ...ask, runId: run.runId, models: ['trained'] })).rejects.toThrow(
      /another model/,
    );
    await worker.ask('start', { id: 'y', spec: spec('other') });
    await worker.until((event) => event.type === 'experiment' && event.summary.id === 'y' && !!event.summary.error);
    expect((await worker.ask('kept.load', { kind: 'run', id: 'y' })).record.error).toMatchObject({
      message: expect.stringMatching(/tiny-coder is loaded/),
    });
  });

  it('writes a teacher pool without being factored, and the same one afterwards', async () => {
    const factors = memoryBlobs();
    const worker = await openTestWorker(undefined, { factors, models: { store: new MemoryModelStore(), factors } });
    await worker.ask('useModel', { task: 't', place: dropped('other'), ...AUTO });
    const build = parsePoolBuild({ problems: 8, samples: 2, maxNew: 8 });
    const asked = { task: 'p', teacher: { kind: 'base' }, build } as const;
    const report = await worker.ask('buildPool', asked);
    expect(report).toMatchObject({ teacher: 'other as it is', rows: 8, withLogprobs: 8 });
    expect([factors.files.size, worker.equipment.current!.adapter]).toEqual([0, null]);
    await worker.equipment.open('cpu');
    expect(factors.files.size).toBe(7);
    expect(await worker.ask('buildPool', asked)).toEqual(report);
  });

  it('is refused if it cannot be opened, and the previous model stays', async () => {
    const worker = await openTestWorker();
    const own = await said(worker);
    const before = worker.equipment.current!;
    await expect(
      worker.ask('useModel', { task: 't', place: dropped('nan', await poisoned()), ...AUTO }),
    ).rejects.toThrow(/NaN/);
    const wordless = testModelFolder(OTHER, 5);
    wordless.delete('tokenizer.json');
    await expect(worker.ask('useModel', { task: 't', place: dropped('bare', wordless), ...AUTO })).rejects.toThrow(
      /tokenizer\.json/,
    );
    await expect(worker.ask('useModel', { task: 't', place: dropped('none', new Map()), ...AUTO })).rejects.toThrow(
      FormatError,
    );
    await expect(
      worker.ask('useModel', { task: 't', place: { kind: 'hub', repo: 'a/b', revision: 'main' }, ...AUTO }),
    ).rejects.toThrow(/Download it first|not kept/);
    const moved = testModelFolder(OTHER, 5);
    const gone = async () => {
      throw new DOMException('It was moved.', 'NotReadableError');
    };
    moved.set('model.safetensors', Object.assign(new Blob([moved.get('model.safetensors')!]), { arrayBuffer: gone }));
    await expect(worker.ask('useModel', { task: 't', place: dropped('moved', moved), ...AUTO })).rejects.toThrow(
      /cannot be read any more/,
    );
    expect(worker.equipment.current).toBe(before);
    expect(worker.equipment.modelId).toBe('tiny-coder');
    expect(await said(worker)).toBe(own);
  });

  it('is stored, listed, used from the store, and not deleted while it is in use', async () => {
    const store = new MemoryModelStore();
    const worker = await openTestWorker(undefined, { models: { store } });
    const kept = await worker.ask('keepModel', { task: 't', place: dropped('other') });
    expect(kept).toMatchObject({ id: 'other', complete: true, origin: { kind: 'folder', name: 'other' } });
    const events = worker.events.filter((event) => event.type === 'model');
    expect(events.at(-1)!.done).toBe(events.at(-1)!.total);
    expect(await worker.ask('listModels')).toMatchObject([{ id: 'other', complete: true, missingBytes: 0 }]);
    // A link names a model only by its hash.
    const [{ sha256 }] = kept.files.filter(({ path }) => path === 'model.safetensors');
    expect(await worker.ask('nameModel', { sha256: sha256! })).toBe('other');
    expect(await worker.ask('nameModel', { sha256: await storedSha256(sha256!, 'q8g32') })).toBe('other');
    expect(await worker.ask('nameModel', { sha256: 'a'.repeat(64) })).toBeNull();
    const place = { kind: 'kept', id: 'other' } as const;
    expect(await worker.ask('inspectModel', { place, storage: 'auto', spec: null })).toMatchObject({
      id: 'other',
      missingBytes: 0,
    });
    await worker.ask('useModel', { task: 'u', place, ...AUTO });
    expect(worker.equipment.modelId).toBe('other');
    await expect(worker.ask('deleteModel', { id: 'other' })).rejects.toThrow(SpecError);
    await worker.ask('useModel', { task: 'u', place: { kind: 'embedded' }, ...AUTO });
    await worker.ask('deleteModel', { id: 'other' });
    expect(await worker.ask('listModels')).toEqual([]);
    await expect(worker.ask('useModel', { task: 'u', place, ...AUTO })).rejects.toThrow(/No model/);
  });

  it('stops on request, and reports if there was nothing to stop', async () => {
    const worker = await openTestWorker(undefined, { models: { store: new MemoryModelStore() } });
    expect(await worker.ask('stopTask', { task: 'none' })).toEqual({ stopped: false });
    const keeping = worker.ask('keepModel', { task: 't', place: dropped('other') });
    const refused = expect(keeping).rejects.toThrow(StoppedError);
    // An immediate stop also works while the part of the worker that stores models is still loading.
    expect(await worker.ask('stopTask', { task: 't' })).toEqual({ stopped: true });
    await refused;
    const models = await worker.ask('listModels');
    expect(models.every(({ complete }) => !complete)).toBe(true);
    expect(await worker.ask('keepModel', { task: 't', place: dropped('other') })).toMatchObject({ complete: true });
  });
});
