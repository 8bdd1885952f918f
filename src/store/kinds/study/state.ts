// What the Questions view holds.

import type { H1Card } from '../../../experiments/analysis/h1.ts';
import type { PublishedRun } from '../../../experiments/kinds/study/pack.ts';
import type { Sheet } from '../../../experiments/kinds/study/sheet.ts';
import type { QuestionId } from '../../../experiments/kinds/study/types.ts';
import type { Problem } from '../../lab-state.ts';
import type { Cost } from './cost.ts';
import type { Missing } from './missing.ts';
import type { OwnRun } from './own.ts';
import type { QueueState } from './queue.ts';

/** Where the published runs come from. */
export interface Origin {
  about: readonly string[];
  runs: number;
  seconds: number;
}

/** A sheet, and how many of each line's runs were made in this browser. */
export interface ShownSheet extends Sheet {
  /** By cell; absent where none. */
  here: ReadonlyMap<string, number>;
}

export interface QuestionsState {
  /** Row files on their way, where the whole study is read. */
  loading: { done: number; of: number } | null;
  /** Why the published results could not be read. */
  problem: Problem | null;
  /** Null until it is known. */
  origin: Origin | null;
  /** Questions whose rows are here. */
  open: ReadonlySet<QuestionId>;
  /** Of the row files that have been asked for. */
  published: ReadonlyMap<string, PublishedRun>;
  own: ReadonlyMap<string, OwnRun>;
  /** Own runs that the published ones do not have, and such as came out otherwise, which count for nothing. */
  added: number;
  differing: number;
  results: ReadonlyMap<QuestionId, ShownSheet>;
  /** What a reader must ask before any verdict. */
  first: readonly string[];
  /** Null until its questions are computed. */
  h1: H1Card | null;
  /** Counts the times that runs came or went. */
  round: number;
  /** What a question lacks, by its id; made when it is asked for, and stays on show until it is made again. */
  missing: ReadonlyMap<QuestionId, Missing>;
  costs: ReadonlyMap<QuestionId, Cost>;
  queue: QueueState | null;
}
