// Tests the loop over a list of tasks: each is claimed before it is made, released however it ends, and waited for if another worker has it.
import { describe, expect, it } from 'vitest';
import { execute } from './execute.ts';

/** A list of tasks; `taken`: tasks that other workers hold until the next news. */
function listOf(tasks: string[], { taken = [] as string[], news = true } = {}) {
  const log: string[] = [];
  const done = new Set<string>();
  const busy = new Set(taken);
  return {
    log,
    done,
    left: async () => tasks.filter((task) => !done.has(task)),
    async claim(task: string) {
      if (busy.has(task)) return null;
      log.push(`+${task}`);
      return { release: () => log.push(`-${task}`) };
    },
    async news() {
      log.push('news');
      busy.clear();
      return news;
    },
  };
}

describe('execute', () => {
  it('makes each task once, in order, between its claim and its release', async () => {
    const list = listOf(['a', 'b']);
    await execute(list, async (task) => {
      list.log.push(task);
      list.done.add(task);
    });
    expect(list.log).toEqual(['+a', 'a', '-a', '+b', 'b', '-b']);
  });

  it('takes the next task if another worker has the first, and waits for news if others have all', async () => {
    const list = listOf(['a', 'b'], { taken: ['a'] });
    await execute(list, async (task) => void list.done.add(task));
    expect(list.log).toEqual(['+b', '-b', 'news', '+a', '-a']);
  });

  it('ends when nothing may start and no news will come', async () => {
    const list = listOf(['a'], { taken: ['a'], news: false });
    await execute(list, async (task) => void list.done.add(task));
    expect(list.log).toEqual(['news']);
  });

  it('releases the claim of a task that fails, and throws its error', async () => {
    const list = listOf(['a', 'b']);
    const failing = execute(list, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(list.log).toEqual(['+a', '-a']);
  });
});
