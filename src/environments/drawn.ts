// An environment whose problems are drawn by seed, without a teacher and with nothing to exploit: what its folder gives, from which the lab
// makes everything that a run acts in (its epochs, its evaluation set, its records' labels).
import type { CounterRng } from '../rng/counter-rng.ts';
import type { Improvable } from './exit/types.ts';
import type { JudgedTask, Rates } from './metrics.ts';
import type { Dynamics, Reward } from './types.ts';

/** The first prompt, and the labels that the task is filed under. */
export interface DrawnTask {
  id: string;
  kind: string;
  prompt: string;
}

/** A text to be learnt by next-token loss, chat markup included: a document, or a transcript of which some parts are context. */
export interface EnvironmentDocument {
  id: string;
  parts: readonly { text: string; isTrained: boolean }[];
}

interface Documented<Task, Verdict> {
  documentOf(task: Task, verdict: Verdict): EnvironmentDocument | null;
}

/** `Run`: the fields of a run's settings that it reads. */
export interface DrawnEnvironment<
  Task extends DrawnTask = DrawnTask,
  State = unknown,
  Verdict = unknown,
  Run = unknown,
> {
  dynamics: Dynamics<Task, State>;
  reward(run: Run): Reward<Task, Verdict>;
  /** Fields of the run that decide the reward; none where absent. */
  rewardPart?(run: Run): readonly unknown[];
  /** Values by the ids of its metrics, every one of them that the tasks give. */
  figures(judged: readonly JudgedTask<Task, Verdict>[]): Rates;
  /** For the objective nll: what the reference of a task's group teaches; undefined where answers are compared with none. */
  documentOf?(run: Run): Documented<Task, Verdict>['documentOf'] | undefined;
  /** Absent where answers are not revised. */
  improvable?: Improvable<Task, Verdict>;
  /** Evaluations have chains of revisions. */
  isChained?: boolean;
  /** The first `count` problems of a part, training or a split: a longer list begins with a shorter one, and has fewer where there are no
   *  more. */
  draw(part: string, count: number, dataSeed?: number): readonly Task[];
}

// Draws of tasks by seed.

/** The first `count` different ones of what `draw` gives: a longer list begins with a shorter one. Fewer where so many draws in a row gave
 *  no new one. */
export function different<Task extends { readonly id: string }>(
  count: number,
  mostVain: number,
  draw: () => Task | null,
): Task[] {
  const made = new Map<string, Task>();
  for (let vain = 0; made.size < count && vain < mostVain; vain++) {
    const task = draw();
    if (!task || made.has(task.id)) continue;
    made.set(task.id, task);
    vain = 0;
  }
  return [...made.values()];
}

/** Without an end: kinds in these turns as far as there are any, and the items of a kind in turns. */
export function* kindsInTurns<Kind, Item extends { readonly kind: Kind }>(
  turns: readonly Kind[],
  items: readonly Item[],
): Generator<Item, never> {
  const queues = new Map(turns.map((kind) => [kind, items.filter((item) => item.kind === kind)]));
  const filled = turns.filter((kind) => queues.get(kind)!.length > 0);
  for (let turn = 0; ; turn++) {
    const queue = queues.get(filled[turn % filled.length])!;
    const item = queue.shift()!;
    queue.push(item);
    yield item;
  }
}

/** The first of each list, the second of each, and so on: any prefix uses the lists evenly. */
export function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}

/** One of the names, each as often as its share says; `rest` where the shares leave something. */
export function drawnBy<Name extends string>(
  shares: Readonly<Partial<Record<Name, number>>>,
  rest: Name,
  rng: CounterRng,
): Name {
  let u = rng.uniform();
  for (const [name, share] of Object.entries(shares) as [Name, number][]) {
    if (u < share) return name;
    u -= share;
  }
  return rest;
}
