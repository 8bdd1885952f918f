// A list of tasks that one or several workers work off: each looks for a task that is left, claims it, makes it, and looks again. Runs of
// an experiment on one machine are made so, and runs of a sweep in processes, machines or tabs that share a store.

interface TaskList<Task, Claim extends { release(): unknown }> {
  /** Tasks that are not done, in order, also those that others are making. Throws StoppedError. */
  left(): Promise<readonly Task[]>;
  /** Null where the task may not begin: somebody is making it, or something that it needs. */
  claim(task: Task): Promise<Claim | null>;
  /** Resolves when another look may find more; false if it will not. */
  news(): Promise<boolean>;
}

/** Makes tasks until none is left. A claim is released however its task ends. */
export async function execute<Task, Claim extends { release(): unknown }>(
  { left, claim, news }: TaskList<Task, Claim>,
  make: (task: Task, claim: Claim) => Promise<void>,
): Promise<void> {
  const makeFirst = async (tasks: readonly Task[]): Promise<boolean> => {
    for (const task of tasks) {
      const claimed = await claim(task);
      if (claimed === null) continue;
      try {
        await make(task, claimed);
      } finally {
        await claimed.release();
      }
      return true;
    }
    return false;
  };
  for (;;) {
    const tasks = await left();
    if (tasks.length === 0 || !((await makeFirst(tasks)) || (await news()))) return;
  }
}
