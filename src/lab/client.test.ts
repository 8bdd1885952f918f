import { DeviceError, FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { parseExperimentSpec } from '../experiments/config/spec.ts';
import { openRpc } from '../lib/rpc.ts';
import { writeBasisFile } from '../storage/basis-file.ts';
import { LabClient, type PageCalls } from './client.ts';
import { createHandlers } from './handlers/handlers.ts';
import type { WorkerEvent } from './protocol/protocol.ts';
import type { ReadyReport } from './protocol/reports.ts';
import { startedWorker } from './protocol/started-worker.ts';
import { WORKER_ERRORS } from './protocol/wire-error.ts';
import { openTestLab } from './testing/lab.ts';

/** Connects page and worker by a channel, with the worker's own handlers at one end. */
async function connected() {
  const { port1, port2 } = new MessageChannel();
  const lab = await openTestLab(undefined, undefined, (event) => page.tell('event', event));
  const { records, equipment, session } = lab;
  const storage = async () => ({ persisted: false, usedBytes: 1, quotaBytes: 2 });
  const handlers = createHandlers({
    async open({ device, appVersion }) {
      const { chosen, model } = await equipment.open(device);
      const ready: ReadyReport = {
        device: chosen.report,
        fusedProblem: null,
        model,
        graderVersion: 'g',
        appVersion,
        storage: await storage(),
      };
      return { parts: { records, equipment, session }, ready };
    },
    storage,
  });
  const page = openRpc<PageCalls>(port2, handlers, WORKER_ERRORS);
  const client = new LabClient({ port: port1, onDied: () => {}, terminate: () => {} });
  const close = async () => {
    port1.close();
    port2.close();
    await lab.close();
  };
  return { client, close, until: lab.until };
}

describe('client and handlers', () => {
  it('carries requests, events and refusals between page and worker', async () => {
    const { client, close, until } = await connected();
    await expect(client.request('kept.list', { kind: 'run' })).rejects.toBeInstanceOf(DeviceError);
    const ready = await client.request('init', { device: 'cpu', modelUrl: 'http://x/models/m/', appVersion: '9' });
    expect(ready).toMatchObject({ device: { kind: 'cpu' }, model: { id: 'tiny-coder', modules: 14 }, appVersion: '9' });
    await expect(client.request('init', { device: 'cpu', modelUrl: '', appVersion: '' })).rejects.toThrow(
      /open already/,
    );
    expect(await client.request('kept.list', { kind: 'run' })).toEqual([]);

    const events: WorkerEvent[] = [];
    const unsubscribe = client.subscribe((event) => events.push(event));
    const overrides = { steps: 1, maxNew: 8, problems: 8, evalProblems: 2, finalEvalProblems: 2, pairs: 8, k: 2 };
    const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], device: 'cpu', overrides });
    expect(await client.request('start', { id: 'e', spec })).toEqual({ position: 0 });
    await expect(client.request('setDevice', { device: 'cpu' })).rejects.toThrow(/while an experiment runs/);
    await until((event) => event.type === 'experiment' && event.summary.status === 'done');
    const { record, runs } = await client.request('kept.load', { kind: 'run', id: 'e' });
    expect(record.result?.runs).toHaveLength(1);
    expect(runs[0].rows).toHaveLength(1);
    expect(events.map(({ type }) => type)).toContain('progress');
    unsubscribe();

    const refusal = await client.request('kept.load', { kind: 'run', id: 'nope' }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SpecError);
    expect((refusal as SpecError).remedy).toMatch(/reload the list/);
    expect(await client.request('kept.delete', { kind: 'run', id: 'e' })).toBeNull();
    expect(await client.request('kept.list', { kind: 'run' })).toEqual([]);
    await close();
  });

  it('validates, stores and returns a dropped basis', async () => {
    const { client, close } = await connected();
    const { model } = await client.request('init', { device: 'cpu', modelUrl: 'http://x/models/m/', appVersion: '9' });
    const V = new Float32Array(64);
    V[3] = 1;
    const module = { k: 1, r: 64, V, S: new Float32Array([2]) };
    const bytes = writeBasisFile(new Map([['model.layers.0.self_attn.q_proj', module]]), { modelSha256: model.sha256 });
    const file = new Blob([bytes]);
    const report = await client.request('saveBasis', { file, name: 'mine.safetensors' });
    expect(report).toMatchObject({ name: 'mine.safetensors', modules: 1, modelModules: 14, k: 1, origin: 'file' });
    expect(await client.request('listBases')).toEqual([report]);
    const back = await client.request('loadBasis', { id: report.id });
    expect(new Uint8Array(await back!.arrayBuffer())).toEqual(bytes);
    await expect(client.request('saveBasis', { file: new Blob(['nonsense']), name: 'n' })).rejects.toBeInstanceOf(
      FormatError,
    );
    V[3] = 0;
    const zeros = new Blob([writeBasisFile(new Map([['model.layers.0.self_attn.q_proj', module]]), {})]);
    await expect(client.request('saveBasis', { file: zeros, name: 'zeros.safetensors' })).rejects.toThrow(
      /all 1 axes of its 1 modules are zero, so nothing would be projected/,
    );
    await client.request('deleteBasis', { id: report.id });
    expect(await client.request('listBases')).toEqual([]);
    await close();
  });

  it('rejects pending and later requests when the worker dies', async () => {
    const worker = { postMessage: () => {}, terminate: () => {} } as unknown as Worker;
    const client = new LabClient(startedWorker(worker));
    const pending = client.request('kept.list', { kind: 'run' });
    worker.onmessageerror!(new MessageEvent('messageerror'));
    await expect(pending).rejects.toBeInstanceOf(DeviceError);
    await expect(client.request('kept.list', { kind: 'run' })).rejects.toThrow(/could not be read/);
  });
});
