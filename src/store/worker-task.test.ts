// Tests that the worker has one task at a time: a second one is not begun beside it, and a task that was told to stop is waited for.
import { expect, it, vi } from 'vitest';
import { createWorkerTask } from './worker-task.ts';

function setUp() {
  const state: { work: { task: string } | null } = { work: null };
  const store = { getState: () => state, setState: (changes: typeof state) => void Object.assign(state, changes) };
  const client = { subscribe: vi.fn(), request: vi.fn(async () => {}) };
  type Client = Parameters<typeof createWorkerTask>[0]['client'];
  const notices = { fail: vi.fn(), tell: vi.fn(), dismiss: vi.fn() };
  const task = createWorkerTask({ client: client as unknown as Client, notices }, 'problems', store as never);
  const answers: (() => void)[] = [];
  const begun: string[] = [];
  const run = () =>
    task.run(
      {} as never,
      (name) => {
        begun.push(name);
        return new Promise<string>((resolve) => answers.push(() => resolve(name)));
      },
      () => {},
    );
  return { task, run, answers, begun, state };
}

it('begins no second task beside one at work', async () => {
  const { run, answers, begun } = setUp();
  const first = run();
  expect(await run()).toBeNull();
  answers[0]();
  expect(await first).toBe('problems-1');
  expect(begun).toEqual(['problems-1']);
});

it('begins the next one when the one that was told to stop has ended', async () => {
  const { task, run, answers, begun, state } = setUp();
  const first = run();
  await task.stop();
  const second = run();
  await Promise.resolve();
  expect(begun).toEqual(['problems-1']);
  answers[0]();
  expect(await first).toBe('problems-1');
  await vi.waitFor(() => expect(begun).toEqual(['problems-1', 'problems-2']));
  answers[1]();
  expect(await second).toBe('problems-2');
  expect(state.work).toBeNull();
  // Only a stopped task is waited for, not one that continues.
  const third = run();
  expect(await run()).toBeNull();
  answers[2]();
  await third;
});
