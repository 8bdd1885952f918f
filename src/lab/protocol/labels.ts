// Messages between page and worker about a person's labels of rollouts.
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

/** A pair set that was made of labelled rollouts, and how many labels are in no pair. */
export interface LabelPairs {
  report: PairSetReport;
  /** Rollouts without one of the other label at the same prompt. */
  alone: number;
  /** Rollouts of several turns, or without a text: a pair is one answer beside another. */
  unfit: number;
}
