// What an environment in one file is: a list of tasks, what an answer to one of them is paid, and the model that is trained
// (examples/week.ts is one). Everything else that the lab asks of an environment is made from these.

/** A task holds what its rewards need as further fields of its own. */
export interface ListedTask {
  /** The model is asked this; chat markup is added. */
  prompt: string;
  /** Each task has an id of its own; an absent one is the prompt. */
  id?: string;
  /** Where there are several kinds, each has a chart; an absent one is `task`. */
  kind?: string;
}

export interface ListedReward<Task> {
  /** Figures, charts and columns call it so: small letters, digits and `_`, a letter first. */
  id: string;
  /** It says in one sentence which answers have a full score. */
  about: string;
  /** A full score adds so much to an answer's reward; a weight of 0 only measures it. */
  weight: number;
  /** Higher is better where this is absent. */
  better?: 'lower' | 'higher' | 'neither';
  /** The score is from 0 to 1, where true is 1. It is a pure function, so that a repeated run gives the same bytes. */
  score(task: Task, answer: string): number | boolean;
}

export interface TaskList<Task extends ListedTask = ListedTask> {
  /** `--environment` and records call it so; it is the name of its file. */
  id: string;
  /** It is a few words, for lists. */
  label: string;
  /** The card asks this; it ends with a question mark. */
  question: string;
  /** The card says in one sentence what the tasks are. */
  about: string;
  /** This embedded model (a folder of public/models) is trained where a run names no other. */
  model: string;
  /** The longest answer has so many tokens of that model. */
  maxNew: number;
  /** A fifth of them is kept for evaluations. */
  tasks: readonly Task[];
  /** The first one says whether a task is solved. */
  rewards: readonly ListedReward<Task>[];
}

/** A verdict is recorded with every reward's score by its id, and what they paid together. */
export type ListedVerdict = Readonly<Record<string, number>> & { readonly paid: number };

export const kindOf = ({ kind = 'task' }: ListedTask): string => kind;
export const idOf = ({ id, prompt }: ListedTask): string => id ?? prompt;

/** Kinds are in the order in which the list has them first. */
export const kindsOf = ({ tasks }: Pick<TaskList, 'tasks'>): string[] => [...new Set(tasks.map(kindOf))];

/** This is the only part of the evaluation set. */
export const HELD_OUT = 'held_out';
