// The store against a worker that answers by hand: what the page does with answers, refusals and events.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunRecord, StepRow, StepTiming } from '../experiments/events.ts';
import { LabClient } from '../lab/client.ts';
import type { ExperimentSummary, ReadyReport, WorkerEvent } from '../lab/protocol.ts';
import { DeviceError, FormatError, SpecError } from '../lib/errors.ts';
import { decodeSpec, encodeSpec } from '../share/url.ts';
import { createLab } from './lab-store.ts';

const device = { choice: 'auto', kind: 'cpu', name: 'CPU', isSoftware: false, reason: 'No adapter.' } as const;
const ready = { device, model: {}, storage: { usedBytes: 1 } } as ReadyReport;

type Answers = Record<string, (params: never) => unknown>;

/** A worker end that answers from a table; an Error is a refusal. */
function fakeLab(answers: Answers, init: (device: string) => Promise<ReadyReport> = async () => ready) {
  const listeners: ((event: MessageEvent) => void)[] = [];
  const asked: { kind: string; params: unknown }[] = [];
  const send = (data: unknown) => {
    for (const listener of listeners) listener({ data } as MessageEvent);
  };
  const client = new LabClient({
    postMessage(message) {
      const { id, kind, params } = message as { id: number; kind: string; params: never };
      asked.push({ kind, params });
      const result = answers[kind]?.(params) ?? null;
      queueMicrotask(() =>
        result instanceof Error
          ? send({
              kind: 'refusal',
              id,
              error: { stack: null, remedy: '', ...result, name: result.name, message: result.message },
            })
          : send({ kind: 'answer', id, result }),
      );
    },
    addEventListener(type: string, listener: (event: MessageEvent) => void) {
      if (type === 'message') listeners.push(listener);
    },
  });
  const lab = createLab({ client, init, encode: encodeSpec, decode: decodeSpec });
  return { lab, asked, emit: (event: WorkerEvent) => send({ kind: 'event', event }) };
}

const lists: Answers = {
  list: () => [],
  listPools: () => [],
  listBases: () => [],
  listPairSets: () => [],
  storage: () => ({ usedBytes: 1 }),
};
const state = ({ lab }: ReturnType<typeof fakeLab>) => lab.store.getState();
const summary = (id: string, status: ExperimentSummary['status']) =>
  ({ id, status, error: null, createdAt: 1 }) as ExperimentSummary;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('the page’s state', () => {
  it('fills the form from the address', async () => {
    const fake = fakeLab(lists);
    const spec = await decodeSpec(await encodeSpec({ ...state(fake).check.spec!, preset: 'smoke', seeds: [5] }));
    await fake.lab.boot(`#${await encodeSpec(spec)}`, false);
    expect(state(fake).check.spec).toEqual(spec);
    expect(state(fake).addressProblem).toBeNull();
  });

  it('says what is wrong with a bad address, keeps the default and does not start by itself', async () => {
    const fake = fakeLab(lists);
    const before = state(fake).check.spec;
    await fake.lab.boot('#1.AAAA', true);
    expect(state(fake).addressProblem?.message).toBeTruthy();
    expect(state(fake).check.spec).toEqual(before);
    expect(fake.asked.map(({ kind }) => kind)).not.toContain('start');
  });

  it('opens on another device where the one that the address asks for is missing, and does not start by itself', async () => {
    const wanted: string[] = [];
    const fake = fakeLab(lists, async (choice) => {
      wanted.push(choice);
      if (choice === 'webgpu') throw new DeviceError('no adapter', 'Choose the CPU.');
      return ready;
    });
    const spec = { ...state(fake).check.spec!, device: 'webgpu' as const };
    await fake.lab.boot(`#${await encodeSpec(spec)}`, true);
    expect(wanted).toEqual(['webgpu', 'auto']);
    expect(state(fake)).toMatchObject({ connection: { status: 'ready' }, draft: { device: 'auto' } });
    expect(state(fake).notices[0].message).toBe('no adapter');
    expect(fake.asked.map(({ kind }) => kind)).not.toContain('start');
  });

  it('starts by itself where the address asks for it', async () => {
    const fake = fakeLab({ ...lists, start: () => ({ position: 0 }) });
    await fake.lab.boot('', true);
    expect(fake.asked.find(({ kind }) => kind === 'start')?.params).toMatchObject({ spec: { preset: 'demo' } });
    expect(state(fake).busy).toBe(true);
  });

  it('is free again, and says why, when a start is refused', async () => {
    const fake = fakeLab({ ...lists, start: () => new SpecError('no such basis', 'Drop its file.') });
    await fake.lab.boot('', true);
    expect(state(fake).busy).toBe(false);
    expect(state(fake).live).toBeNull();
    expect(state(fake).notices[0]).toMatchObject({ tone: 'bad', message: 'no such basis', remedy: 'Drop its file.' });
  });

  it('redraws once for a burst of events', async () => {
    const fake = fakeLab({ ...lists, start: () => ({ position: 0 }) });
    await fake.lab.boot('', true);
    const { id } = state(fake).live!;
    let draws = 0;
    fake.lab.store.subscribe(() => draws++);
    const run = { id: 'r', spec: state(fake).live!.planned[0], status: 'running', rows: [], timings: [], evals: [] };
    fake.emit({ type: 'lab', experimentId: id, event: { type: 'run-start', run: run as unknown as RunRecord } });
    for (let step = 1; step <= 50; step++) {
      const row = { step } as StepRow;
      const timing = { step } as StepTiming;
      fake.emit({ type: 'lab', experimentId: id, event: { type: 'step', runId: 'r', row, timing, rollouts: [] } });
    }
    vi.advanceTimersByTime(1000);
    expect(draws).toBe(1);
    expect(state(fake).live?.runs[0].rows).toHaveLength(50);
  });

  it('ends with the experiment that it shows', async () => {
    const fake = fakeLab({ ...lists, start: () => ({ position: 0 }) });
    await fake.lab.boot('', true);
    const { id } = state(fake).live!;
    fake.emit({ type: 'experiment', summary: summary(id, 'running') });
    expect(state(fake).busy).toBe(true);
    fake.emit({ type: 'experiment', summary: summary(id, 'stopped') });
    expect(state(fake).busy).toBe(false);
    expect(state(fake).live?.status).toBe('stopped');
  });

  it('deletes only when the time to undo has run', async () => {
    const kept = summary('old', 'done');
    const fake = fakeLab({ ...lists, list: () => [kept] });
    await fake.lab.boot('', false);
    const deletions = () => fake.asked.filter(({ kind }) => kind === 'delete').length;
    fake.lab.remove(kept, 'old');
    expect(state(fake).kept).toEqual([]);
    state(fake).notices[0].action?.run();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(deletions()).toBe(0);
    expect(state(fake).kept).toEqual([kept]);
    fake.lab.remove(kept, 'old');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(deletions()).toBe(1);
  });

  it('sets a good basis for the next run and refuses a bad one with its reason', async () => {
    const report = { id: 'abc', name: 'good.safetensors' };
    let good = true;
    const refusal = new FormatError('V/x has rank 3', 'Export it again.');
    const fake = fakeLab({ ...lists, saveBasis: () => (good ? report : refusal) });
    await fake.lab.boot('', false);
    await fake.lab.dropBasis(new File([], 'good.safetensors'));
    expect(state(fake).check.spec?.overrides).toMatchObject({ basisSource: 'file', basisFile: 'abc' });
    good = false;
    await fake.lab.dropBasis(new File([], 'bad.safetensors'));
    expect(state(fake).basisDrop).toMatchObject({ status: 'refused', problem: { message: 'V/x has rank 3' } });
    expect(state(fake).check.spec?.overrides).toMatchObject({ basisFile: 'abc' });
  });
});
