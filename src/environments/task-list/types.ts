// An environment in one file: a list of tasks, the rewards of an answer, and the model that is trained (examples/week.ts is one).
// Everything else that the lab needs is derived from these.

/** A task's further fields hold what its rewards need. */
export interface ListedTask {
  /** Question to the model; chat markup is added. */
  prompt: string;
  /** Unique id; defaults to the prompt. */
  id?: string;
  /** Each kind has a chart; defaults to `task`. */
  kind?: string;
}

export interface ListedReward<Task> {
  /** Name in metrics, charts and columns: small letters, digits and `_`, a letter first. */
  id: string;
  /** One sentence on which answers get a full score. */
  about: string;
  /** Added to an answer's reward for a full score; a reward of weight 0 is only measured. */
  weight: number;
  /** Defaults to higher. */
  better?: 'lower' | 'higher' | 'neither';
  /** Score from 0 to 1; true counts as 1. It must depend only on its arguments, so that a repeated run gives the same bytes. */
  score(task: Task, answer: string): number | boolean;
}

export interface TaskList<Task extends ListedTask = ListedTask> {
  /** Name for `--environment` and records; also the name of its file. */
  id: string;
  /** A few words, for lists. */
  label: string;
  /** Question on the card; ends with a question mark. */
  question: string;
  /** One sentence for the card on what the tasks are. */
  about: string;
  /** Embedded model (a folder of public/models) that a run trains by default. */
  model: string;
  /** Most tokens of an answer. */
  maxNew: number;
  /** A fifth of the tasks is held out for evaluations. */
  tasks: readonly Task[];
  /** The first reward decides whether a task is solved. */
  rewards: readonly ListedReward<Task>[];
}

/** Every reward's score by id, and their weighted sum `paid`. */
export type ListedVerdict = Readonly<Record<string, number>> & { readonly paid: number };

export const kindOf = ({ kind = 'task' }: ListedTask): string => kind;
export const idOf = ({ id, prompt }: ListedTask): string => id ?? prompt;

/** Kinds in the order of their first task. */
export const kindsOf = ({ tasks }: Pick<TaskList, 'tasks'>): string[] => [...new Set(tasks.map(kindOf))];

/** The only part of the evaluation set. */
export const HELD_OUT = 'held_out';
