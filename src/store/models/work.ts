// One task at a time on a model: its progress, its stop, and the reason of its end.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { StoreApi } from 'zustand/vanilla';
import type { StoreContext } from '../context.ts';
import { problemOf } from '../lab-state.ts';
import { stopTask } from '../stop-task.ts';
import type { ModelsState, ModelWork } from './state.ts';

export function createModelWork(
  store: StoreApi<ModelsState>,
  client: StoreContext['client'],
  notices: StoreContext['notices'],
) {
  let tasks = 0;

  client.subscribe((event) => {
    if (event.type !== 'model') return;
    const { type: _, task, ...at } = event;
    store.setState(({ work }) => (work?.task === task ? { work: { ...work, ...at } } : {}));
  });

  /** Null where another task is at work, and where this one failed or was stopped. */
  async function work<T>(
    doing: ModelWork['doing'],
    name: string,
    ask: (task: string) => Promise<T>,
  ): Promise<T | null> {
    if (store.getState().work) return null;
    const task = `model-${++tasks}`;
    const start = { what: '', done: 0, total: 0, inBytes: false, bytesPerSecond: null, etaSeconds: null };
    store.setState({ work: { ...start, task, doing, name, stopping: false }, problem: null });
    try {
      return await ask(task);
    } catch (error) {
      if (error instanceof StoppedError) notices.tell('info', `${name}: stopped. What is done so far is kept.`);
      else store.setState({ problem: problemOf(error) });
      return null;
    } finally {
      store.setState({ work: null });
    }
  }

  async function cancel(): Promise<void> {
    const { work } = store.getState();
    if (!work) return;
    store.setState({ work: { ...work, stopping: true } });
    await stopTask({ client, notices }, work.task);
  }

  return { work, cancel };
}
