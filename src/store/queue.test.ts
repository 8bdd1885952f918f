// Tests a second experiment while one trains: it is queued, shown with its position, started in its turn, or taken out. Also tests starts
// that lack a file.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeSpec } from '../share/spec-link.ts';
import { placeInQueue } from './queue.ts';
import { type Answers, fakeLab, lists, state, summary } from './testing/fake-lab.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const answers: Answers = { ...lists, start: () => ({ position: 0 }), stop: () => ({ stopped: true }) };

/** A lab in which `count` experiments were started, of which the first is running. */
async function started(count: number, own: Answers = answers) {
  const fake = fakeLab(own);
  await fake.lab.boot('', true);
  fake.emit({ type: 'experiment', summary: summary(state(fake).live!.id, 'running') });
  for (let i = 1; i < count; i++) {
    fake.lab.setSeeds(String(100 + i));
    await fake.lab.start();
  }
  return { fake, ids: [state(fake).live!.id, ...state(fake).queue.map(({ id }) => id)] };
}
const starts = ({ asked }: ReturnType<typeof fakeLab>) => asked.filter(({ kind }) => kind === 'start').length;

describe('the queue', () => {
  it('accepts further experiments while one is running, in their order', async () => {
    const { fake, ids } = await started(3);
    expect(starts(fake)).toBe(3);
    expect(state(fake).live?.id).toBe(ids[0]);
    expect(ids.map((id) => placeInQueue(state(fake), id))).toEqual([null, 1, 2]);
    expect(state(fake).queue[0].spec.seeds).toEqual([101]);
    expect(state(fake).notices.at(-1)?.message).toMatch(/waits in the queue/);
  });

  it('does not accept a running or queued experiment twice', async () => {
    const { fake } = await started(2);
    await fake.lab.start();
    expect(starts(fake)).toBe(2);
    expect(state(fake).queue).toHaveLength(1);
  });

  it('shows the next experiment when the previous one has ended for any reason', async () => {
    const { fake, ids } = await started(3);
    fake.emit({ type: 'experiment', summary: summary(ids[0], 'done') });
    expect(state(fake)).toMatchObject({ busy: true, live: { id: ids[1], status: 'waiting' } });
    fake.emit({ type: 'experiment', summary: summary(ids[1], 'running') });
    expect(state(fake).live?.status).toBe('running');
    fake.emit({ type: 'experiment', summary: summary(ids[1], 'failed') });
    fake.emit({ type: 'experiment', summary: summary(ids[2], 'stopped') });
    expect(state(fake)).toMatchObject({ busy: false, queue: [], live: { id: ids[2], status: 'stopped' } });
  });

  it('leaves on show what the user has opened', async () => {
    const { fake, ids } = await started(2);
    const opened = { ...state(fake).live!, id: 'kept' };
    fake.lab.store.setState({ opened });
    fake.emit({ type: 'experiment', summary: summary(ids[0], 'done') });
    expect(state(fake)).toMatchObject({ opened: { id: 'kept' }, live: { id: ids[1] } });
  });

  it('removes an experiment from the queue, and restores it at the end', async () => {
    let record: unknown = null;
    const { fake, ids } = await started(3, {
      ...answers,
      'kept.load': () => ({ record, runs: [] }),
      resume: () => ({ position: 2 }),
    });
    const [, first, second] = ids;
    record = { ...summary(first, 'stopped'), spec: state(fake).queue[0].spec };
    await fake.lab.cancelWaiting(first);
    expect(fake.asked.at(-1)).toEqual({ kind: 'stop', params: { id: first } });
    fake.emit({ type: 'experiment', summary: summary(first, 'stopped') });
    expect(placeInQueue(state(fake), second)).toBe(1);
    expect(state(fake).live?.id).toBe(ids[0]);
    state(fake).notices.at(-1)?.action?.run();
    await vi.advanceTimersByTimeAsync(1);
    expect(state(fake).queue.map(({ id }) => id)).toEqual([second, first]);
  });

  it('reports why the worker refused an experiment, and keeps the others', async () => {
    let refuse = false;
    const start = () => (refuse ? new SpecError('there is one already', 'Choose another.') : { position: 1 });
    const { fake, ids } = await started(2, { ...answers, start });
    refuse = true;
    fake.lab.setSeeds('7');
    await fake.lab.start();
    expect(state(fake).queue.map(({ id }) => id)).toEqual([ids[1]]);
    expect(state(fake)).toMatchObject({ busy: true, live: { id: ids[0] } });
    expect(state(fake).notices.at(-1)).toMatchObject({ tone: 'bad', message: 'there is one already' });
  });

  it('follows a worker that has already started the next one', async () => {
    const { fake, ids } = await started(2);
    fake.emit({ type: 'experiment', summary: summary(ids[1], 'running') });
    expect(state(fake)).toMatchObject({ busy: true, queue: [], live: { id: ids[1], status: 'running' } });
  });
});

describe('a start that lacks a file', () => {
  it('is refused with the missing file and a remedy', async () => {
    const fake = fakeLab(answers);
    const spec = { ...state(fake).check.spec!, overrides: { basisSource: 'file', basisFile: 'b'.repeat(64) } as const };
    await fake.lab.boot(`#${await encodeSpec(spec)}`, true);
    expect(starts(fake)).toBe(0);
    expect(state(fake).busy).toBe(false);
    const [notice] = state(fake).notices;
    expect(notice.message).toBe(`The basis ${'b'.repeat(18)}… is not kept here, and no link carries it.`);
    expect(notice.remedy).toMatch(/Drop its safetensors file/);
  });
});
