import { DeviceError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { tableSoFar } from '../../experiments/analysis/table-so-far.ts';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { memoryStores } from '../../storage/kv.ts';
import { memorySource } from '../../storage/sources.ts';
import {
  closeTestLabs,
  ended,
  openedLab as lab,
  memoryLocks,
  SMALL,
  smallSpec,
  statusOf,
  type TestLab,
  testModelFolder,
} from '../testing/lab.ts';

const spec = smallSpec;

afterEach(closeTestLabs);

describe('session', () => {
  it('trains, reports and stores everything', async () => {
    const { session, records, events, until } = await lab();
    expect(await session.start('one', spec())).toBe(0);
    const last = await until(ended('one'));
    expect(last).toMatchObject({ summary: { status: 'done', runsDone: 1, stepsDone: 3, stepsTotal: 3, error: null } });

    const record = await records.experiment('one');
    expect(record.result?.table.length).toBeGreaterThan(3);
    expect(record.device).toMatch(/CPU/);
    const [run] = await records.runs(record);
    expect(run.status).toBe('done');
    expect(run.rows.map((row) => row.step)).toEqual([1, 2, 3]);
    const { steps, rollouts } = await records.rollouts.at(run.id, null);
    expect(steps).toEqual([1, 2, 3]);
    expect(rollouts.length).toBeGreaterThan(0);
    expect((await records.checkpoints.load(run.id))?.step).toBe(3);
    expect(await records.pools.list()).toHaveLength(1);
    expect(await records.bases.list()).toMatchObject([{ origin: 'extracted', nPairs: 8 }]);

    const progress = events.flatMap((event) => (event.type === 'progress' ? [event.fraction] : []));
    expect(progress.length).toBeGreaterThan(3);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
  });

  it('loads the small model of the experiment’s environment, and the lab’s own for the next', async () => {
    const other = memorySource(testModelFolder(undefined, 2));
    const asked: string[] = [];
    const { session, events, equipment, until } = await lab(
      ...([undefined, undefined, undefined, undefined, undefined, undefined] as const),
      (id) => {
        asked.push(id);
        return other;
      },
    );
    const overrides = {
      environment: 'arithmetic',
      steps: 1,
      maxNew: 8,
      problems: 8,
      evalProblems: 2,
      finalEvalProblems: 4,
    };
    await session.start('words', parseExperimentSpec({ preset: 'smoke', device: 'cpu', overrides }));
    await session.start('code', spec({ steps: 1 }));
    expect(await until(ended('words'))).toMatchObject({ summary: { status: 'done', error: null } });
    expect(await until(ended('code'))).toMatchObject({ summary: { status: 'done', error: null } });
    expect(asked).toEqual(['tiny-arithmetic']);
    const opened = events.flatMap((event) => (event.type === 'model-opened' ? [event.model.id] : []));
    expect(opened).toEqual(['tiny-arithmetic', 'tiny-coder']);
    expect(equipment.modelId).toBe('tiny-coder');
  });

  it('stops and resumes to the bytes of an uninterrupted run', async () => {
    const whole = await lab();
    await whole.session.start('x', spec());
    await whole.until(ended('x'));

    const stores = await memoryStores();
    const first = await lab(stores);
    await first.session.start('x', spec());
    await first.until((event) => event.type === 'lab' && event.event.type === 'checkpoint' && event.event.step === 2);
    expect(await first.session.stop('x')).toBe(true);
    expect(statusOf(await first.until(ended('x')))).toBe('stopped');

    const second = await lab(stores);
    await second.session.resume('x');
    expect(statusOf(await second.until(ended('x')))).toBe('done');
    const rows = async ({ records }: TestLab) =>
      (await records.runs(await records.experiment('x'))).map(({ rows, evals }) => ({ rows, evals }));
    expect(await rows(second)).toEqual(await rows(whole));
    const started = second.events.find((event) => event.type === 'lab' && event.event.type === 'run-start');
    expect(started).toMatchObject({ event: { run: { rows: [{ step: 1 }, { step: 2 }] } } });
  });

  it('keeps finished evaluations if stopped at its table, and resumes to the same rows', async () => {
    const routed = spec({ steps: 1 }, ['route-update']);
    const whole = await lab();
    await whole.session.start('x', routed);
    await whole.until(ended('x'));

    const stores = await memoryStores();
    const first = await lab(stores);
    await first.session.start('x', routed);
    const isDeployed = ({ event }: { event: LabEvent }) =>
      event.type === 'eval' && event.row.kind === 'final' && event.row.model === 'deployed';
    await first.until((event) => event.type === 'lab' && isDeployed(event));
    await first.session.stop('x');
    expect(statusOf(await first.until(ended('x')))).toBe('stopped');
    const [kept] = await first.records.runs(await first.records.experiment('x'));
    const finals = kept.evals.filter(({ kind }) => kind === 'final').map(({ model }) => model);
    expect(finals.slice(0, 3)).toEqual(['base', 'total', 'deployed']);
    expect(tableSoFar([kept.spec], [kept])?.missing).toContain('steered base');

    const second = await lab(stores);
    await second.session.resume('x');
    expect(statusOf(await second.until(ended('x')))).toBe('done');
    const [[one], [other]] = await Promise.all(
      [whole, second].map(async ({ records }) => records.runs(await records.experiment('x'))),
    );
    expect(one.evals.length).toBeGreaterThan(kept.evals.length);
    expect(other.evals).toEqual(one.evals);
  });

  it('works through a queue, and drops stopped experiments from it', async () => {
    const { session, until, records } = await lab();
    expect(await session.start('a', spec({ steps: 1 }))).toBe(0);
    expect(await session.start('b', spec({ steps: 1 }))).toBe(1);
    expect(await session.start('c', spec({ steps: 1 }))).toBe(2);
    await expect(session.start('b', spec())).rejects.toBeInstanceOf(SpecError);
    await expect(session.delete('a')).rejects.toThrow(/at work/);
    expect(await session.stop('b')).toBe(true);
    expect(statusOf(await until(ended('c')))).toBe('done');
    expect((await records.experiment('a')).status).toBe('done');
    expect((await records.experiment('b')).status).toBe('stopped');
    await session.delete('a');
    await expect(records.experiment('a')).rejects.toBeInstanceOf(SpecError);
    expect(await session.stop('nobody')).toBe(false);
  });

  it('stops an experiment that is still being stored', async () => {
    const { session, until } = await lab();
    const begun = session.start('a', spec());
    expect(await session.stop('a')).toBe(true);
    await begun;
    expect(statusOf(await until(ended('a')))).toBe('stopped');
  });

  it('continues with the queue when the current one is stopped, and reports the device of the next one', async () => {
    const { session, until, events } = await lab();
    await session.start('a', { ...spec(), device: 'auto' });
    await session.start('b', spec({ steps: 1 }));
    await until((event) => event.type === 'experiment' && event.summary.id === 'a' && event.summary.runIds.length > 0);
    expect(await session.stop('a')).toBe(true);
    expect(statusOf(await until(ended('a')))).toBe('stopped');
    expect(statusOf(await until(ended('b')))).toBe('done');
    const opened = events.flatMap((event) => (event.type === 'device' ? [event.report.choice] : []));
    expect(opened).toEqual(['auto', 'cpu']);
    await session.resume('a');
    expect(statusOf(await until((event) => ended('a')(event) && statusOf(event) === 'done'))).toBe('done');
  });

  it('names no device for an experiment whose WebGPU never opened', async () => {
    const refusing = async () => {
      throw new DeviceError('the driver hangs', 'Use the CPU device.');
    };
    const { session, records, until } = await lab(
      ...([undefined, undefined, undefined, undefined, undefined] as const),
      refusing,
    );
    await session.start('a', spec({ steps: 1 }));
    expect(statusOf(await until(ended('a')))).toBe('done');
    await session.start('b', { ...spec(), device: 'webgpu' });
    expect(statusOf(await until(ended('b')))).toBe('failed');
    const kept = await records.experiment('b');
    expect(kept).toMatchObject({ device: '', runIds: [], error: { message: 'the driver hangs' } });
  });

  it('refuses to resume what another tab trains, and leaves its record unchanged', async () => {
    const locks = new Set<string>();
    const { session, records, until } = await lab(undefined, memoryLocks(locks));
    await session.start('x', spec({ steps: 1 }));
    await until(ended('x'));
    await records.saveExperiment({ ...(await records.experiment('x')), status: 'running' });
    locks.add('x');
    await expect(session.resume('x')).rejects.toThrow(/running in another tab/);
    expect((await records.experiment('x')).status).toBe('running');
    // A lock released at this moment does not count as held elsewhere.
    await records.saveExperiment({ ...(await records.experiment('x')), status: 'done' });
    setTimeout(() => locks.delete('x'), 20);
    await expect(session.resume('x')).rejects.toThrow(/is finished/);
  });

  it('is taken by one of two tabs that resume it at the same moment: the other is refused, and writes nothing', async () => {
    const alone = await lab();
    await alone.session.start('x', spec({ steps: 2 }));
    await alone.until(ended('x'));
    const stores = await memoryStores();
    const locks = new Set<string>();
    const tabs = [await lab(stores, memoryLocks(locks)), await lab(stores, memoryLocks(locks))];
    await tabs[0].session.start('x', spec({ steps: 2 }));
    await tabs[0].until((event) => event.type === 'lab' && event.event.type === 'step');
    await tabs[0].session.stop('x');
    await tabs[0].until(ended('x'));
    await expect.poll(() => locks.size).toBe(0);
    const seen = tabs.map(({ events }) => events.length);
    const asked = await Promise.allSettled(tabs.map(({ session }) => session.resume('x')));
    expect(asked.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected']);
    const won = asked.findIndex((one) => one.status === 'fulfilled');
    expect(String((asked[1 - won] as PromiseRejectedResult).reason)).toMatch(/is running in another tab/);
    await expect.poll(async () => (await tabs[won].records.experiment('x')).status, { timeout: 60_000 }).toBe('done');
    expect(tabs[1 - won].events.slice(seen[1 - won])).toEqual([]);
    const rowsOf = async ({ records }: TestLab) => (await records.runs(await records.experiment('x')))[0].rows;
    expect(await rowsOf(tabs[won])).toEqual(await rowsOf(alone));
  });

  it('does not mark what waits in another tab’s queue as interrupted', async () => {
    const stores = await memoryStores();
    const locks = memoryLocks();
    const first = await lab(stores, locks);
    await first.session.start('a', spec());
    await first.session.start('b', spec({ steps: 1 }));
    const second = await lab(stores, locks);
    await second.session.recover();
    expect((await second.records.experiment('b')).status).toBe('waiting');
    await expect(second.session.resume('b')).rejects.toThrow(/another tab/);
    await first.session.stop('b');
    await first.session.stop('a');
    await first.until(ended('a'));
  });

  it('marks what a closed tab left running as stopped, but not what another tab trains', async () => {
    const stores = await memoryStores();
    const locks = new Set<string>();
    const first = await lab(stores, memoryLocks(locks));
    await first.session.start('left', spec());
    await first.session.start('other', spec());
    for (const id of ['left', 'other']) {
      await first.records.saveExperiment({ ...(await first.records.experiment(id)), status: 'running' });
    }
    locks.clear();
    locks.add('other');
    const second = await lab(stores, memoryLocks(locks));
    await second.session.recover();
    expect((await second.records.experiment('left')).status).toBe('stopped');
    expect((await second.records.experiment('other')).status).toBe('running');
    locks.delete('other');
    expect(statusOf(await second.until(ended('other')))).toBe('stopped');
    await first.session.stop('other');
    await first.session.stop('left');
    await first.until(ended('left'));
  });

  it('stores errors', async () => {
    const { session, until, records } = await lab();
    await session.start('bad', { ...spec(), overrides: { ...SMALL, basisSource: 'file', basisFile: 'f'.repeat(64) } });
    expect(statusOf(await until(ended('bad')))).toBe('failed');
    expect((await records.experiment('bad')).error?.message).toMatch(/no imported basis/);
  });
});
