// Choices for a basis that is tried on stored steps (basis-trial.ts), the run's own choice, and which runs have steps to try it on. Separate from
// the trial, so that the page can use it without the engine.
import type { ContrastivePair } from '../../../environments/code/pairs.ts';
import { capabilitiesOf, hasPairs } from '../../config/environments.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import { keepsSteps } from '../../records/steps.ts';

const TRIAL_KINDS = ['real', 'random', 'random_matched', 'permuted', 'flipped'] as const;

export interface TrialChoice
  extends Pick<RunSpec, 'pairSet' | 'basisKind' | 'basisLoss' | 'k' | 'dropBottomFrac' | 'gate' | 'overshoot'> {
  /** `real`: the pairs with their labels; the others are controls (config/controls.ts). */
  kind: (typeof TRIAL_KINDS)[number];
  /** Indices of pairs to leave out. */
  off: readonly number[];
  /** Edited pairs, by index. */
  edited: readonly { index: number; pair: ContrastivePair }[];
}

/** The run's own basis as a choice; for a run whose basis does not come from pairs, a basis of its pairs under its other settings. */
export function ownChoice(spec: RunSpec): TrialChoice {
  const { pairSet, basisKind, basisLoss, k, dropBottomFrac, gate, overshoot, basisSource } = spec;
  const kind = TRIAL_KINDS.find((kind) => kind === basisSource) ?? 'real';
  return { kind, pairSet, basisKind, basisLoss, k, dropBottomFrac, gate, overshoot, off: [], edited: [] };
}

/** Whether other bases can be tried on the run: it trained like vanilla, in an environment with pairs. */
export function canTryBases(spec: RunSpec): boolean {
  const capabilities = capabilitiesOf(spec.environment);
  return keepsSteps(spec) && capabilities !== null && hasPairs(capabilities, spec);
}
