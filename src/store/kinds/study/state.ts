// What the Questions view holds.

import type { QuestionId } from '../../../../research/series/study/types.ts';
import type { PublishedRun } from '../../../experiments/runs/pack.ts';
import type { Origin, ShownQuestion } from '../../../findings/sheet.ts';
import type { Problem } from '../../lab-state.ts';
import type { Cost } from './cost.ts';
import type { Missing } from './missing.ts';
import type { OwnRun } from './own.ts';
import type { QueueState } from './queue.ts';

export interface QuestionsState {
  /** Row files on their way, where the whole study is read. */
  loading: { done: number; of: number } | null;
  /** Why the published results could not be read. */
  problem: Problem | null;
  /** Null until it is known. */
  origin: Omit<Origin, 'rows'> | null;
  /** Questions whose rows are here. */
  open: ReadonlySet<QuestionId>;
  /** Of the row files that have been asked for. */
  published: ReadonlyMap<string, PublishedRun>;
  own: ReadonlyMap<string, OwnRun>;
  /** Own runs that the published ones do not have, and such as came out otherwise, which count for nothing. */
  added: number;
  differing: number;
  /** By the id of a question, of what was added to it, and of H1. */
  results: ReadonlyMap<string, ShownQuestion>;
  /** What a reader must ask before any verdict. */
  first: readonly string[];
  /** Counts the times that runs came or went. */
  round: number;
  /** What a question lacks, by its id; made when it is asked for, and stays on show until it is made again. */
  missing: ReadonlyMap<QuestionId, Missing>;
  costs: ReadonlyMap<QuestionId, Cost>;
  queue: QueueState | null;
}
