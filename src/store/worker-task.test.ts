// Tests that the worker has one task at a time: a second task is not started beside it, and a task that was asked to stop is awaited.
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

it('starts no second task beside a running one', async () => {
  const { run, answers, begun } = setUp();
  const first = run();
  expect(await run()).toBeNull();
  answers[0]();
  expect(await first).toBe('problems-1');
  expect(begun).toEqual(['problems-1']);
});

it('starts the next task when a stopped one has ended', async () => {
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
  // Only a stopped task is awaited, not one that continues.
  const third = run();
  expect(await run()).toBeNull();
  answers[2]();
  await third;
});
