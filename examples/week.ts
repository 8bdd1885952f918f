// An environment in one file: a list of tasks, the rewards of an answer, and the model that is trained. Untrained, the model mostly takes a week
// for five days. To train it: npm run lab -- run --environment examples/week.ts
import { taskList } from '../src/environments/task-list/task-list.ts';

interface Task {
  prompt: string;
  start: number;
  each: number;
}

const PEOPLE = ['Ann', 'Ben', 'Kim', 'Tom'];
const STARTS = Array.from({ length: 13 }, (_, i) => 3 + i);

const tasks: Task[] = PEOPLE.flatMap((who) =>
  STARTS.flatMap((start) =>
    [2, 3, 4].map((each) => ({
      prompt: `${who} has ${start} nuts. ${who} gets ${each} more each day for a week. How many nuts has ${who} now?`,
      start,
      each,
    })),
  ),
);

/** The number in the last box of an answer; NaN if there is none. */
const boxed = (answer: string): number => Number(/.*\\boxed\{(\d+)\}/s.exec(answer)?.[1]);
const after =
  (days: number) =>
  ({ start, each }: Task, answer: string): boolean =>
    boxed(answer) === start + days * each;

export default taskList<Task>({
  id: 'week',
  label: 'How many nuts after a week',
  question: 'Does a model learn that a week has seven days?',
  about: 'Sums with a week in them; the model mostly takes a week for five days.',
  model: 'tiny-arithmetic',
  maxNew: 48,
  tasks,
  rewards: [
    { id: 'solve', about: 'Answers with the number after seven days in a box.', weight: 1, score: after(7) },
    { id: 'boxed', about: 'Answers with a number in a box.', weight: 0.1, score: (_, answer) => boxed(answer) >= 0 },
    { id: 'five', about: 'Answers with the number after five days.', weight: 0, better: 'lower', score: after(5) },
  ],
});
