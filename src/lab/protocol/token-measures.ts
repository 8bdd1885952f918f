// Messages between page and worker about entropy and KL at each token of stored rollouts.
import type { RolloutMeasures, TokenMeasures } from '../../experiments/kinds/run/token-measures.ts';

/** One group of a run's rollouts. */
export interface TokenRequest {
  /** The page's name for this answer; a later one ends it. */
  task: string;
  runId: string;
  step: number;
  promptIndex: number;
}

/** Measures of a group's rollouts, each by its index in the group. */
export interface GroupMeasures extends Pick<TokenMeasures, 'of'> {
  rollouts: (RolloutMeasures & { sampleIndex: number })[];
}
