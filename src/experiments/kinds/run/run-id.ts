// A run's name within its experiment, for those who need no more of an experiment than that.
import type { RunSpec } from '../../config/spec.ts';

/** Fixed by what the run is, so that a resumed experiment finds its runs again. */
export function runIdOf(experimentId: string, { arm, seed }: Pick<RunSpec, 'arm' | 'seed'>): string {
  return `${experimentId}/${arm}/${seed}`;
}
