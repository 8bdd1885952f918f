// Makes a list of tasks into a run's environment: training and held-out tasks, rewards, counted metrics. Loaded when a run begins.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { mean } from '../../stats/index.ts';
import { promptOf } from '../../text/chatml.ts';
import type { DrawnEnvironment, DrawnTask } from '../drawn.ts';
import { type JudgedTask, ofKind, type Rates } from '../metrics.ts';
import { shuffledById } from '../problem-lines.ts';
import { eachAlone, type OneTurn, oneTurn } from '../types.ts';
import {
  HELD_OUT,
  idOf,
  kindOf,
  kindsOf,
  type ListedReward,
  type ListedTask,
  type ListedVerdict,
  type TaskList,
} from './types.ts';

const HELD_OUT_SHARE = 0.2;

/** A task with its chat markup. */
interface ListedDrawnTask<Task> extends DrawnTask {
  task: Task;
}

/** The held-out tasks are the same for every seed and any order of the list. */
function partsOf<Task extends ListedTask>(
  tasks: readonly Task[],
): { training: ListedDrawnTask<Task>[]; heldOut: ListedDrawnTask<Task>[] } {
  const ordered = tasks
    .map((task): ListedDrawnTask<Task> => ({ id: idOf(task), kind: kindOf(task), prompt: promptOf(task.prompt), task }))
    .sort((a, b) => hash32(a.id) - hash32(b.id) || (a.id < b.id ? -1 : 1));
  const heldOut = Math.max(1, Math.round(HELD_OUT_SHARE * ordered.length));
  return { heldOut: ordered.slice(0, heldOut), training: ordered.slice(heldOut) };
}

/** Throws FormatError for an invalid score. */
function scoreOf<Task>({ id, score }: ListedReward<Task>, task: Task, answer: string): number {
  const value = Number(score(task, answer));
  if (value >= 0 && value <= 1) return value;
  throw new FormatError(
    `The reward ${id} gave ${value} for the answer ${JSON.stringify(answer.slice(0, 60))}.`,
    'A score is true, false, or a number from 0 to 1.',
  );
}

export function drawnOf<Task extends ListedTask>(
  list: TaskList<Task>,
): DrawnEnvironment<ListedDrawnTask<Task>, OneTurn<ListedDrawnTask<Task>>, ListedVerdict> {
  const { training, heldOut } = partsOf(list.tasks);
  const [solved] = list.rewards;
  const kinds = kindsOf(list);
  const reward = eachAlone<ListedDrawnTask<Task>, ListedVerdict>(`${list.id}/1`, ({ task }, turns) => {
    const answer = turns.at(-1)?.completion ?? '';
    const scores = list.rewards.map((one) => [one.id, scoreOf(one, task, answer)] as const);
    const paid = list.rewards.reduce((sum, { weight }, i) => sum + weight * scores[i][1], 0);
    return { reward: paid, verdict: { ...Object.fromEntries(scores), paid } };
  });
  function figures(items: readonly JudgedTask<ListedDrawnTask<Task>, ListedVerdict>[]): Rates {
    const meanOf = (id: string, some = items) =>
      some.length === 0 ? null : mean(some.map(({ verdict }) => verdict[id]));
    const byKind = kinds.flatMap((kind) => {
      const own = items.filter(({ task }) => task.kind === kind);
      return [[ofKind('n', kind), own.length] as const, [ofKind(solved.id, kind), meanOf(solved.id, own)] as const];
    });
    return {
      n: items.length,
      figures: {
        ...Object.fromEntries(list.rewards.map(({ id }) => [id, meanOf(id)])),
        ...(kinds.length > 1 && Object.fromEntries(byKind)),
      },
    };
  }
  return {
    dynamics: oneTurn<ListedDrawnTask<Task>>(list.id),
    reward: () => reward,
    figures,
    draw: (part, count, dataSeed = 1) => shuffledById(part === HELD_OUT ? heldOut : training, dataSeed).slice(0, count),
  };
}
