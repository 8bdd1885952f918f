// Tests pause, single step, and single runs of the grid.
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStores } from '../../storage/kv.ts';
import type { ProgressEvent, WorkerEvent } from '../protocol/protocol.ts';
import { closeTestLabs, ended, openedLab as lab, smallSpec, statusOf, type TestLab } from '../testing/lab.ts';

const spec = smallSpec;
const endedAgain = (lab: TestLab, id: string) => {
  const before = lab.events.length;
  return (event: WorkerEvent) => lab.events.indexOf(event) >= before && ended(id)(event);
};
/** The session becomes free shortly after the last event. */
async function free({ session }: TestLab): Promise<void> {
  while (session.isBusy) await new Promise((resolve) => setTimeout(resolve, 2));
}
const pausedAt = (step: number) => (event: WorkerEvent) =>
  event.type === 'progress' && event.paused === true && event.step === step;
const rowsOf = async ({ records }: TestLab, id: string) =>
  (await records.runs(await records.experiment(id))).map(({ id: run, rows, evals }) => ({ run, rows, evals }));

afterEach(closeTestLabs);

describe('a paused experiment', () => {
  it('waits between steps, proceeds step by step, and ends with the same bytes as without a wait', async () => {
    const whole = await lab();
    await whole.session.start('x', spec());
    await whole.until(ended('x'));

    const times: number[] = [];
    const { session, until, events, ...rest } = await lab(undefined, undefined, () => times.push(performance.now()));
    await session.start('x', spec());
    expect(session.pace('x', 'pause')).toBe(true);
    await until(pausedAt(0));
    const paused = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(events.filter((event) => event.type === 'lab' && event.event.type === 'step')).toHaveLength(0);
    const waited = performance.now() - paused;
    session.pace('x', 'step');
    await until(pausedAt(1));
    // Starts at the last event before the step, so that it includes both the step and the wait.
    const begun = events.findIndex((event) => event.type === 'lab' && event.event.type === 'phase');
    const took = performance.now() - times[begun - 1];
    session.pace('x', 'step');
    await until(pausedAt(2));
    expect(events.filter((event) => event.type === 'lab' && event.event.type === 'step')).toHaveLength(2);
    session.pace('x', 'go');
    expect(statusOf(await until(ended('x')))).toBe('done');
    expect(await rowsOf({ session, until, events, ...rest }, 'x')).toEqual(await rowsOf(whole, 'x'));
    // The timing of no step includes the wait.
    const [run] = await rest.records.runs(await rest.records.experiment('x'));
    expect(1000 * run.timings[0].total).toBeLessThanOrEqual(took - waited);
  });

  it('can be stopped, and resumed after its tab was closed, with the same bytes', async () => {
    const whole = await lab();
    await whole.session.start('x', spec());
    await whole.until(ended('x'));

    const stores = await memoryStores();
    const first = await lab(stores);
    await first.session.start('x', spec());
    first.session.pace('x', 'pause');
    await first.until(pausedAt(0));
    first.session.pace('x', 'step');
    await first.until(pausedAt(1));
    expect(await first.session.stop('x')).toBe(true);
    expect(statusOf(await first.until(ended('x')))).toBe('stopped');

    // Another tab is closed while paused after its second step: no event is sent, nothing more is stored.
    const second = await lab(stores);
    await second.session.resume('x');
    second.session.pace('x', 'pause');
    await second.until(pausedAt(1));
    second.session.pace('x', 'step');
    await second.until(pausedAt(2));

    const third = await lab(stores);
    await third.session.recover();
    expect((await third.records.experiment('x')).status).toBe('stopped');
    const again = endedAgain(third, 'x');
    await third.session.resume('x');
    expect(statusOf(await third.until(again))).toBe('done');
    expect(await rowsOf(third, 'x')).toEqual(await rowsOf(whole, 'x'));
    await second.session.stop('x');
  });

  it('may be paused before it has begun, only by its own name', async () => {
    const { session, until, events } = await lab();
    expect(session.pace('other', 'pause')).toBe(false);
    expect(session.pace('x', 'pause')).toBe(false);
    await session.start('x', spec());
    await until(pausedAt(0));
    session.pace('x', 'go');
    await session.start('y', spec({ steps: 1 }));
    await until(ended('y'));
    expect(events.filter((event) => event.type === 'progress' && event.paused)).toHaveLength(1);
  });

  it('reports the device’s memory', async () => {
    const { session, until, events } = await lab();
    await session.start('x', spec({ steps: 1 }));
    await until(ended('x'));
    const last = events.findLast((event): event is ProgressEvent => event.type === 'progress');
    expect(last?.memory?.peak).toBeGreaterThan(100_000);
    expect(last?.memory?.allocated).toBeLessThanOrEqual(last?.memory?.peak ?? 0);
  });
});

describe('cells of the grid', () => {
  it('of a stopped experiment can be trained alone; the last one gives the result', async () => {
    const whole = await lab();
    await whole.session.start('g', spec({ steps: 1 }, ['none', 'erase']));
    await whole.until(ended('g'));

    const tested = await lab();
    const { session, until, records } = tested;
    await session.start('g', spec({ steps: 1 }, ['none', 'erase']));
    session.pace('g', 'pause');
    await until(pausedAt(0));
    await session.stop('g');
    await until(ended('g'));

    await free(tested);
    let again = endedAgain(tested, 'g');
    await session.resume('g', 'g/erase/41');
    expect(statusOf(await until(again))).toBe('stopped');
    expect((await records.run('g/erase/41'))?.status).toBe('done');
    expect((await records.run('g/none/41'))?.status).toBe('stopped');
    expect((await records.experiment('g')).result).toBeNull();
    await expect(session.resume('g', 'g/erase/41')).rejects.toThrow(/is finished/);
    await expect(session.resume('g', 'g/route/41')).rejects.toThrow(/has no run/);

    await free(tested);
    again = endedAgain(tested, 'g');
    await session.resume('g', 'g/none/41');
    expect(statusOf(await until(again))).toBe('done');
    const record = await records.experiment('g');
    expect(record).toMatchObject({ runsDone: 2, stepsDone: 2 });
    expect(record.result?.table).toEqual((await whole.records.experiment('g')).result?.table);
  });

  it('that failed give the reason, do not stop the others, and can be retried', async () => {
    const stores = await memoryStores();
    const tested = await lab(stores);
    const { session, until, records } = tested;
    const id = 'f'.repeat(64);
    const bad = spec({ steps: 1, basisSource: 'file', basisFile: id }, ['erase', 'random_V']);
    await session.start('g', bad);
    const last = await until(ended('g'));
    expect(last).toMatchObject({ summary: { status: 'failed', runsDone: 1 } });
    expect(await records.run('g/erase/41')).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/no imported basis/) },
    });
    expect((await records.run('g/random_V/41'))?.status).toBe('done');
    expect((await records.experiment('g')).error?.message).toMatch(/no imported basis/);

    // Adds the missing file: the basis that the other arm extracted, under the requested name.
    const [kept] = await stores.bases.keys();
    await stores.bases.set(id, await stores.bases.get(kept));
    await free(tested);
    const again = endedAgain(tested, 'g');
    await session.resume('g', 'g/erase/41');
    expect(statusOf(await until(again))).toBe('done');
    expect((await records.experiment('g')).error).toBeNull();
  });
});
