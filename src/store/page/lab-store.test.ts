// Tests how the page handles the worker's answers, refusals and events.

import { DeviceError, FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resolveRuns } from '../../experiments/config/spec.ts';
import type { RolloutRecord, RunRecord, StepRow, StepTiming } from '../../experiments/records/events.ts';
import type { BasisReport } from '../../lab/protocol/bases.ts';
import type { PoolReport } from '../../lab/protocol/protocol.ts';
import { encodeSpec } from '../../share/spec-link.ts';
import { decodeSpec } from '../../share/url.ts';
import { forkOf } from '../runs/fork.ts';
import { type Answers, fakeLab, lists, ready, state, summary } from '../testing/fake-lab.ts';
import type { PendingDeletion, PendingDeletionList } from '../undoable-delete.ts';

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

  it('reports errors of a bad address, uses the default, and does not start by itself', async () => {
    const fake = fakeLab(lists);
    const before = state(fake).check.spec;
    await fake.lab.boot('#1.AAAA', true);
    expect(state(fake).addressProblem?.message).toBeTruthy();
    expect(state(fake).check.spec).toEqual(before);
    expect(fake.asked.map(({ kind }) => kind)).not.toContain('start');
  });

  it('opens on another device if the one in the address is missing, and does not start by itself', async () => {
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

  it('starts by itself if the address requests it', async () => {
    const fake = fakeLab({ ...lists, start: () => ({ position: 0 }) });
    await fake.lab.boot('', true);
    expect(fake.asked.find(({ kind }) => kind === 'start')?.params).toMatchObject({ spec: { preset: 'demo' } });
    expect(state(fake).busy).toBe(true);
  });

  it('becomes idle again, and gives the reason, when a start is refused', async () => {
    const fake = fakeLab({ ...lists, start: () => new SpecError('no such basis', 'Drop its file.') });
    await fake.lab.boot('', true);
    expect(state(fake).busy).toBe(false);
    expect(state(fake).live).toBeNull();
    expect(state(fake).notices[0]).toMatchObject({ tone: 'bad', message: 'no such basis', remedy: 'Drop its file.' });
  });

  it('redraws at a run’s first step, and only once for a burst of events', async () => {
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
      expect(draws).toBe(1);
    }
    vi.advanceTimersByTime(1000);
    expect(draws).toBe(2);
    expect(state(fake).live?.runs[0].rows).toHaveLength(50);
  });

  it('stays at a step that was chosen by number while newer ones arrive, and can follow them again', async () => {
    const fake = fakeLab({ ...lists, start: () => ({ position: 0 }) });
    await fake.lab.boot('', true);
    const { id } = state(fake).live!;
    const run = { id: 'r', spec: state(fake).live!.planned[0], status: 'running', rows: [], timings: [], evals: [] };
    fake.emit({ type: 'lab', experimentId: id, event: { type: 'run-start', run: run as unknown as RunRecord } });
    const take = (step: number) => {
      const [row, timing] = [{ step } as StepRow, { step } as StepTiming];
      const rollouts = [{ id: step } as unknown as RolloutRecord];
      fake.emit({ type: 'lab', experimentId: id, event: { type: 'step', runId: 'r', row, timing, rollouts } });
      vi.advanceTimersByTime(1000);
    };
    take(1);
    take(2);
    expect(state(fake).rollouts?.step).toBe(2);
    await fake.lab.showRollouts('r', 2);
    take(3);
    expect(state(fake).rollouts?.step).toBe(2);
    await fake.lab.showRollouts('r', null);
    take(4);
    expect(state(fake).rollouts?.step).toBe(4);
  });

  it('ends together with the experiment that it shows', async () => {
    const fake = fakeLab({ ...lists, start: () => ({ position: 0 }) });
    await fake.lab.boot('', true);
    const { id } = state(fake).live!;
    fake.emit({ type: 'experiment', summary: summary(id, 'running') });
    expect(state(fake).busy).toBe(true);
    fake.emit({ type: 'experiment', summary: summary(id, 'stopped') });
    expect(state(fake).busy).toBe(false);
    expect(state(fake).live?.status).toBe('stopped');
  });

  it('stops an experiment that was just requested, as soon as its device is open', async () => {
    const answers = { ...lists, setDevice: () => ready.device, start: () => ({ position: 0 }), stop: () => ({}) };
    const fake = fakeLab(answers);
    const spec = { ...state(fake).check.spec!, device: 'cpu' as const };
    await fake.lab.boot(`#${await encodeSpec(spec)}`, false);
    const started = fake.lab.start();
    const stopped = fake.lab.stop();
    expect(state(fake)).toMatchObject({ busy: true, live: null });
    await Promise.all([started, stopped]);
    expect(fake.asked.at(-1)).toEqual({ kind: 'stop', params: { id: state(fake).live!.id } });
  });

  it('returns to an ordinary form when a fork has started, and offers to restore the fork’s form', async () => {
    const answers = { ...lists, setDevice: () => ready.device, start: () => ({ position: 0 }) };
    const fake = fakeLab(answers);
    const [own] = resolveRuns(state(fake).check.spec!);
    const fork = forkOf({ id: 'abc/none/41', spec: own, device: 'CPU (WASM SIMD)' } as RunRecord, 3);
    await fake.lab.boot(`#${await encodeSpec(fork)}`, false);
    await fake.lab.start();
    expect(fake.asked.findLast(({ kind }) => kind === 'start')?.params).toMatchObject({ spec: { fork: fork.fork } });
    expect(state(fake).draft.fork).toBeNull();
    expect(state(fake).check.spec).toEqual({ ...fork, fork: undefined });
    const back = state(fake).notices.find(({ action }) => action?.label === 'Back to the fork');
    back!.action!.run();
    expect(state(fake).check.spec).toEqual(fork);
    // The notice covers part of the run's bar, so it disappears by itself.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(state(fake).notices).toEqual([]);
  });

  it('deletes nothing while the deletion can be undone', async () => {
    const kept = { ...summary('old', 'done'), name: 'old' };
    const fake = fakeLab({ ...lists, 'kept.list': ({ kind }: { kind: string }) => (kind === 'run' ? [kept] : []) });
    await fake.lab.boot('', false);
    const deletions = () => fake.asked.filter(({ kind }) => kind === 'kept.delete').length;
    fake.lab.remove('run', kept);
    expect(state(fake).kept.run).toEqual([]);
    state(fake).notices[0].action?.run();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(deletions()).toBe(0);
    expect(state(fake).kept.run).toEqual([kept]);
    fake.lab.remove('run', kept);
    // Undo is possible as long as the page is open, even after the notice has disappeared.
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect([deletions(), state(fake).kept.run, state(fake).deleted]).toEqual([
      0,
      [],
      [{ key: 'run:old', name: 'old' }],
    ]);
    fake.lab.deletions.undo('run:old');
    await vi.advanceTimersByTimeAsync(10);
    expect([state(fake).kept.run, state(fake).deleted]).toEqual([[kept], []]);
    // `empty` deletes the files to make room, but not while a run may read them.
    fake.lab.remove('run', kept);
    fake.lab.store.setState({ busy: true });
    await fake.lab.deletions.empty();
    expect(deletions()).toBe(0);
    fake.lab.store.setState({ busy: false });
    await fake.lab.deletions.empty();
    expect([deletions(), state(fake).deleted]).toEqual([1, []]);
  });

  it('deletes after the page was closed, before the next page reads lists; after a crash nothing is deleted', async () => {
    let noted: PendingDeletion[] = [];
    const later: PendingDeletionList = {
      read: () => noted,
      write(list) {
        noted = [...list];
      },
    };
    const kept = (id: string) => ({ ...summary(id, 'done'), name: id });
    let there = ['a', 'b', 'c'];
    const answers: Answers = {
      ...lists,
      'kept.list': ({ kind }: { kind: string }) => (kind === 'run' ? there.map(kept) : []),
      'kept.delete': ({ id }: { id: string }) => {
        there = there.filter((one) => one !== id);
        return null;
      },
    };
    const open = async () => {
      const fake = fakeLab(answers, undefined, later);
      await fake.lab.boot('', false);
      return fake;
    };
    const listed = (fake: Awaited<ReturnType<typeof open>>) => state(fake).kept.run.map(({ id }) => id);
    const crashed = await open();
    crashed.lab.remove('run', kept('a'));
    expect(listed(await open())).toEqual(['a', 'b', 'c']);
    const closed = await open();
    closed.lab.remove('run', kept('a'));
    closed.lab.remove('run', kept('b'));
    closed.lab.deletions.closing();
    expect([there, noted.length]).toEqual([['a', 'b', 'c'], 2]);
    // A page that the browser shows again deletes nothing.
    closed.lab.deletions.reopened();
    expect(noted).toEqual([]);
    closed.lab.deletions.closing();
    // Another open tab has created one of them again.
    const other = fakeLab(answers, undefined, later);
    other.emit({ type: 'kept', kind: 'run', id: 'b' });
    expect(noted.map(({ key }) => key)).toEqual(['run:a']);
    expect([listed(await open()), noted]).toEqual([['b', 'c'], []]);
  });

  it('restores a deleted basis, in use as before, or removes it permanently on request', async () => {
    const report = { id: 'abc', name: 'mine.safetensors' } as BasisReport;
    const fake = fakeLab({ ...lists, listBases: () => [report] });
    await fake.lab.boot('', false);
    const deletions = () => fake.asked.filter(({ kind }) => kind === 'deleteBasis').length;
    fake.lab.chooseBasis('abc');
    fake.lab.removeBasis(report);
    expect(state(fake).bases).toEqual([]);
    expect(state(fake).draft.fields).toMatchObject({ basisSource: 'pairs', basisFile: '' });
    state(fake).notices.at(-1)?.action?.run();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(deletions()).toBe(0);
    expect(state(fake).bases).toEqual([report]);
    expect(state(fake).draft.fields).toMatchObject({ basisSource: 'file', basisFile: 'abc' });
    fake.lab.removeBasis(report);
    await fake.lab.deletions.empty();
    expect(deletions()).toBe(1);
  });

  it('does not delete a basis that is dropped again in the meantime, nor one that a running experiment may read', async () => {
    const report = { id: 'abc', name: 'mine.safetensors' } as BasisReport;
    const fake = fakeLab({ ...lists, listBases: () => [report], saveBasis: () => report });
    await fake.lab.boot('', false);
    const deletions = () => fake.asked.filter(({ kind }) => kind === 'deleteBasis').length;
    fake.lab.removeBasis(report);
    await fake.lab.dropBasis(new File([], 'mine.safetensors'));
    await fake.lab.deletions.empty();
    expect(deletions()).toBe(0);
    expect(state(fake).bases).toEqual([report]);
    fake.lab.store.setState({ busy: true });
    fake.lab.removeBasis(report);
    await fake.lab.deletions.empty();
    expect(deletions()).toBe(0);
    fake.lab.store.setState({ busy: false });
    await fake.lab.deletions.empty();
    expect(deletions()).toBe(1);
  });

  it('restores a deleted teacher pool; a failed deletion is reported and the pool is shown again', async () => {
    const report = { id: 'file-1', sha256: 'c'.repeat(64), name: 'mine.jsonl' } as PoolReport;
    const fake = fakeLab({ ...lists, listPools: () => [report], deletePool: () => new SpecError('no', 'Try again.') });
    await fake.lab.boot('', false);
    fake.lab.choosePool(report);
    fake.lab.removePool(report);
    expect(state(fake)).toMatchObject({ pools: [], draft: { fields: { teacherPool: '' } } });
    expect(state(fake).notices.at(-1)?.message).toMatch(/^Deleted “mine.jsonl”./);
    state(fake).notices.at(-1)?.action?.run();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fake.asked.map(({ kind }) => kind)).not.toContain('deletePool');
    expect(state(fake)).toMatchObject({ pools: [report], draft: { fields: { teacherPool: report.sha256 } } });
    fake.lab.removePool(report);
    await fake.lab.deletions.empty();
    await vi.advanceTimersByTimeAsync(10);
    expect(state(fake).pools).toEqual([report]);
    expect(state(fake).notices.at(-1)).toMatchObject({ tone: 'bad', message: 'no' });
  });

  it('uses a valid basis for the next run and refuses an invalid one with its reason', async () => {
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
