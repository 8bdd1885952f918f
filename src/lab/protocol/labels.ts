// Messages between page and worker about the user's labels of rollouts.
import type { RolloutLabel } from '../../experiments/records/events.ts';
import type { PairSetReport } from './bases.ts';

/** One rollout of a run or of an opened log. */
export interface RolloutPlace {
  runId: string;
  step: number;
  promptIndex: number;
  sampleIndex: number;
}

export interface PlacedLabel extends RolloutPlace, RolloutLabel {}

/** A pair set made from labelled rollouts, and the number of labels in no pair. */
export interface LabelPairs {
  report: PairSetReport;
  /** Number of rollouts without another one at the same prompt with the opposite label. */
  alone: number;
  /** Number of rollouts of several turns, or without a text: a pair consists of two single answers. */
  unfit: number;
}
