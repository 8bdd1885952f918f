// An environment of one turn: one prompt, one answer, the end. Its episodes need no memory but whether the answer is given.
import type { Dynamics } from './types.ts';

export interface OneTurn<Task> {
  readonly task: Task;
  readonly isOver: boolean;
}

export const oneTurn = <Task extends { readonly prompt: string }>(id: string): Dynamics<Task, OneTurn<Task>> => ({
  id,
  begin: (task) => ({ task, isOver: false }),
  observe: ({ task, isOver }) => (isOver ? { kind: 'end' } : { kind: 'prompt', text: task.prompt }),
  act: async ({ task }) => ({ task, isOver: true }),
});
