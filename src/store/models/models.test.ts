// Tests the state of the Models view with a scripted worker: the choice, the running work, and its result.

import { DeviceError, FormatError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ModelInspection } from '../../lab/protocol/models.ts';
import type { ReadyReport } from '../../lab/protocol/reports.ts';
import { loadedModel } from '../lab-state.ts';
import { createLab } from '../page/lab-store.ts';
import { fakeClient } from '../testing/fake-lab.ts';
import { type Models, repoError } from './models.ts';

const own = { id: 'tiny-coder', isOwn: true, sha256: 'a', parameters: 1 };
const other = { id: 'other', isOwn: false, sha256: 'b', parameters: 2 };
const ready = {
  device: { choice: 'auto', kind: 'cpu', name: 'CPU', isSoftware: false, reason: '' },
  model: own,
  storage: { usedBytes: 1 },
} as unknown as ReadyReport;
const inspection = { id: 'other', missingBytes: 5 } as ModelInspection;
const files = [{ path: 'config.json', file: new Blob(['{}']) }];

type Answer = (params: never) => unknown;

/** A promise leaves a request open, and an Error refuses it. */
async function opened(answers: Record<string, Answer>) {
  const lists: Record<string, Answer> = {
    'kept.list': () => [],
    listPools: () => [],
    listBases: () => [],
    listPairSets: () => [],
  };
  const table: Record<string, Answer> = { ...lists, listModels: () => [], storage: () => ({}), ...answers };
  const { client, asked, emit } = fakeClient(table);
  const lab = createLab({ client, init: async () => ready });
  await lab.boot('', false);
  const models = await lab.openModels();
  return { lab, models, asked: asked as { kind: string; params: Record<string, unknown> }[], emit };
}

const stateOf = (models: Models) => models.store.getState();

describe('models on the page', () => {
  let waiting: { resolve: (value: unknown) => void }[] = [];
  beforeEach(() => {
    waiting = [];
  });
  const later = () => new Promise((resolve) => waiting.push({ resolve }));

  it('shows the memory that a choice needs, or why it is impossible; of two choices the later one remains', async () => {
    const { models, asked } = await opened({ inspectModel: later });
    const first = models.chooseFiles('first', files);
    expect(stateOf(models).chosen).toMatchObject({ name: 'first', inspection: null, problem: null, storage: 'auto' });
    const second = models.chooseFiles('second', files);
    waiting[0].resolve(inspection);
    waiting[1].resolve(new FormatError('It is a mamba.', 'Take another.'));
    await Promise.all([first, second]);
    expect(stateOf(models).chosen).toMatchObject({
      name: 'second',
      inspection: null,
      problem: { message: 'It is a mamba.', remedy: 'Take another.' },
    });
    expect(asked.filter(({ kind }) => kind === 'inspectModel').map(({ params }) => params.spec)).not.toContain(null);
  });

  it('reports in the view why a dropped adapter cannot be merged', async () => {
    const { lab, models } = await opened({ adaptModel: () => new FormatError('It has no scale.', 'Name a folder.') });
    await models.chooseFiles('adapter', [{ path: 'adapter_model.safetensors', file: new Blob(['x']) }]);
    const notice = { tone: 'bad', message: 'adapter was not folded in. It has no scale.', remedy: 'Name a folder.' };
    expect(lab.store.getState().notices).toMatchObject([notice]);
  });

  it('uses a loaded model in the form and on the page, and drops the previous model’s estimate', async () => {
    const { lab, models, asked } = await opened({ inspectModel: () => inspection, useModel: () => other });
    await models.chooseFiles('other', files);
    await models.setStorage('q8');
    await models.loadChosen();
    expect(asked.findLast(({ kind }) => kind === 'useModel')!.params).toMatchObject({ storage: 'q8' });
    expect(loadedModel(lab.store.getState())).toEqual(other);
    expect(lab.store.getState()).toMatchObject({ estimate: null, draft: { fields: { model: 'other' } } });
    expect(stateOf(models)).toMatchObject({ chosen: null, work: null, problem: null });

    // A form for another model does not change its model.
    lab.setField('model', 'third');
    await models.loadOwn();
    expect(lab.store.getState().draft.fields.model).toBe('third');
  });

  it('keeps the previous model if another cannot be opened, and states the reason', async () => {
    const { lab, models } = await opened({
      inspectModel: () => inspection,
      useModel: () => new DeviceError('4 GB do not fit.', 'Take a smaller one.'),
    });
    await models.chooseFiles('other', files);
    await models.loadChosen();
    expect(loadedModel(lab.store.getState())).toEqual(own);
    expect(stateOf(models)).toMatchObject({ work: null, problem: { message: '4 GB do not fit.' } });
    expect(stateOf(models).chosen?.name).toBe('other');
  });

  it('fetches a repository before loading it, reports progress, and can be cancelled', async () => {
    const { models, asked, emit } = await opened({
      inspectModel: () => inspection,
      keepModel: later,
      stopTask: () => ({ stopped: true }),
      useModel: () => other,
    });
    models.setHub({ repo: ' Qwen/Qwen3-0.6B ', revision: '', accessToken: 'hf_x' });
    await models.chooseHub();
    const place = { kind: 'hub', repo: 'Qwen/Qwen3-0.6B', revision: 'main', accessToken: 'hf_x' };
    expect(stateOf(models).chosen).toMatchObject({ place });
    const first = models.loadChosen();
    const { task } = stateOf(models).work!;
    const at = { what: 'model.safetensors', done: 1, total: 4, inBytes: true, bytesPerSecond: 2, etaSeconds: 1.5 };
    emit({ type: 'model', task: 'of somebody else', ...at });
    expect(stateOf(models).work).toMatchObject({ done: 0 });
    emit({ type: 'model', task, ...at });
    expect(stateOf(models).work).toMatchObject({ doing: 'keep', ...at });
    await models.cancel();
    expect(stateOf(models).work?.stopping).toBe(true);
    waiting[0].resolve(new StoppedError());
    await first;
    expect(stateOf(models)).toMatchObject({ work: null, problem: null });
    expect(asked.map(({ kind }) => kind)).not.toContain('useModel');

    const second = models.loadChosen();
    waiting[1].resolve({ id: 'Qwen--Qwen3-0.6B' });
    await second;
    expect(asked.findLast(({ kind }) => kind === 'useModel')!.params).toMatchObject({
      place: { kind: 'kept', id: 'Qwen--Qwen3-0.6B' },
    });
  });

  it('recognises the name of a repository', () => {
    expect(repoError('Qwen/Qwen3-0.6B')).toBeNull();
    for (const bad of ['', 'https://huggingface.co/Qwen/Qwen3', 'a/b/c', 'a b/c'])
      expect(repoError(bad), bad).toMatch(/owner/);
  });
});
