// What the Questions view holds.
import type { QuestionResult } from '../../../experiments/kinds/study/figures.ts';
import type { PublishedRun } from '../../../experiments/kinds/study/pack.ts';
import type { QuestionId } from '../../../experiments/kinds/study/types.ts';
import type { H1Card } from '../../../experiments/reading/h1.ts';
import type { Problem } from '../../lab-state.ts';
import type { Cost } from './cost.ts';
import type { Missing } from './missing.ts';
import type { OwnRun } from './own.ts';
import type { QueueState } from './queue.ts';

export interface QuestionsState {
  loading: { done: number; of: number } | null;
  /** Why the published results could not be read. */
  problem: Problem | null;
  published: ReadonlyMap<string, PublishedRun>;
  own: ReadonlyMap<string, OwnRun>;
  /** Own runs that came out otherwise than the published one of the same key; they count for nothing. */
  differing: number;
  /** Question by question, as they are computed. */
  results: ReadonlyMap<QuestionId, QuestionResult>;
  /** What a reader must ask before any verdict; empty until all questions are computed. */
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
