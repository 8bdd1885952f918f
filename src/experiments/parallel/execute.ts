// A list of tasks that one or several workers process: each looks for an unfinished task, claims it, makes it, and looks again. Used for the runs of
// an experiment on one machine, and for the runs of a sweep in processes, machines or tabs that share a store.

interface TaskList<Task, Claim extends { release(): unknown }> {
  /** Unfinished tasks in order, including those that others are making. Throws StoppedError. */
  left(): Promise<readonly Task[]>;
  /** Null if the task cannot start, because it or something that it needs is being made. */
  claim(task: Task): Promise<Claim | null>;
  /** Resolves when it is worth looking again; false if it never will be. */
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
