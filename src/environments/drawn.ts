// The interface of an environment whose problems are drawn by seed and have no teacher. The environment's folder implements it; the lab
// derives the rest (epochs, evaluation set, labels in records).
import type { CounterRng } from '../rng/counter-rng.ts';
import type { Improvable } from './exit/types.ts';
import type { JudgedTask, Rates } from './metrics.ts';
import type { Dynamics, Reward } from './types.ts';

/** The first prompt, and the labels by which the task is grouped. */
export interface DrawnTask {
  id: string;
  kind: string;
  prompt: string;
}

/** A text for next-token loss, with its chat markup: a document, or a transcript of which some parts are only context. */
export interface EnvironmentDocument {
  id: string;
  parts: readonly { text: string; isTrained: boolean }[];
}

interface Documented<Task, Verdict> {
  documentOf(task: Task, verdict: Verdict): EnvironmentDocument | null;
}

/** `Run`: the fields of a run's settings that the environment reads. */
export interface DrawnEnvironment<
  Task extends DrawnTask = DrawnTask,
  State = unknown,
  Verdict = unknown,
  Run = unknown,
> {
  dynamics: Dynamics<Task, State>;
  reward(run: Run): Reward<Task, Verdict>;
  /** Fields of the run that determine the reward; none if absent. */
  rewardPart?(run: Run): readonly unknown[];
  /** Values by metric id, for every metric that the tasks determine. */
  figures(judged: readonly JudgedTask<Task, Verdict>[]): Rates;
  /** For the objective nll: the document made from a group's reference; undefined if answers are not compared with a reference. */
  documentOf?(run: Run): Documented<Task, Verdict>['documentOf'] | undefined;
  /** Absent if answers are not revised. */
  improvable?: Improvable<Task, Verdict>;
  /** Whether evaluations have chains of revisions. */
  isChained?: boolean;
  /** The first `count` problems of a part (training or a split), or fewer if it has no more; a longer list begins with a shorter
   *  one. */
  draw(part: string, count: number, dataSeed?: number): readonly Task[];
}

/** The first `count` different results of `draw`; a longer list begins with a shorter one. Stops early after `maxMisses`
 *  draws in a row that gave nothing new. */
export function different<Task extends { readonly id: string }>(
  count: number,
  maxMisses: number,
  draw: () => Task | null,
): Task[] {
  const made = new Map<string, Task>();
  for (let misses = 0; made.size < count && misses < maxMisses; misses++) {
    const task = draw();
    if (!task || made.has(task.id)) continue;
    made.set(task.id, task);
    misses = 0;
  }
  return [...made.values()];
}

/** An endless sequence: the kinds that have items alternate in the order of `turns`, and the items of a kind are cycled. */
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

/** Draws a name with its share as the probability; `rest` takes the remaining probability. */
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
