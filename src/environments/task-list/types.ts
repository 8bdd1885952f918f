// What an environment in one file is: a list of tasks, what an answer to one of them is paid, and the model that is trained
// (examples/week.ts is one). Everything else that the lab asks of an environment is made from these.

/** A task of the list; what else its rewards need, it holds as fields of its own. */
export interface ListedTask {
  /** What the model is asked, without chat markup. */
  prompt: string;
  /** The prompt where absent. Each task has one of its own. */
  id?: string;
  /** Tasks of several kinds have charts of each; `task` where absent. */
  kind?: string;
}

export interface ListedReward<Task> {
  /** By which figures, charts and columns call it: a letter, then letters, digits and `_`. */
  id: string;
  /** One sentence: which answers have a full score. */
  about: string;
  /** What a full score adds to an answer's reward; 0 where it is only measured. */
  weight: number;
  /** Which direction is better; higher where absent. */
  better?: 'lower' | 'higher' | 'neither';
  /** From 0 to 1; true is 1. A pure function: equal answers have equal scores. */
  score(task: Task, answer: string): number | boolean;
}

export interface TaskList<Task extends ListedTask = ListedTask> {
  /** What `--environment` and records call it: the name of its file. */
  id: string;
  /** A few words. */
  label: string;
  /** What it lets one ask, with its question mark. */
  question: string;
  /** What the tasks are: one sentence, on its card. */
  about: string;
  /** The embedded model that is trained where a run names no other: a folder of public/models. */
  model: string;
  /** Longest answer, in tokens of that model. */
  maxNew: number;
  /** A fifth of them is kept for evaluations. */
  tasks: readonly Task[];
  /** The first one says whether a task is solved. */
  rewards: readonly ListedReward<Task>[];
}

/** As it is recorded: every reward's score by its id, and what they paid together. */
export type ListedVerdict = Readonly<Record<string, number>> & { readonly paid: number };

export const kindOf = ({ kind = 'task' }: ListedTask): string => kind;
export const idOf = ({ id, prompt }: ListedTask): string => id ?? prompt;

/** In the order in which the list has them first. */
export const kindsOf = ({ tasks }: Pick<TaskList, 'tasks'>): string[] => [...new Set(tasks.map(kindOf))];

/** The part of the evaluation set. */
export const HELD_OUT = 'held_out';
