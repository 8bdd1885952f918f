// Stored row of one arm on a person's own characters: who was asked, and the dose curve. Each is a line of JSON; leakage is read from it by
// the same code as from the generated worlds' rows.
import type { CurveRow, DosePoint } from '../rows.ts';

/** `rl_random`: a coin decides the reward, whatever the answer. */
export const OWN_ARMS = ['sdf', 'rl', 'rl_random'] as const;
export type OwnArm = (typeof OWN_ARMS)[number];

export interface OwnPoint extends Omit<DosePoint, 'drift'> {
  /** Mean −ln p of a token of the given texts. */
  drift: { texts: number };
  /** Since the dose before: the mean of steps' rewards (RL) or losses (documents). */
  reward: number | null;
  loss: number | null;
}

export interface OwnRow extends Pick<CurveRow, 'schema' | 'base' | 'members' | 'contrast' | 'seed' | 'lr'> {
  kind: 'own';
  arm: OwnArm;
  /** Key of model, file, documents and settings: rows of another are not gone on with. */
  made: string;
  adapter: 'lora' | 'full';
  steps: number;
  /** Ids. */
  a: { name: string };
  target: string;
  /** Whether all steps were made, or the wanted effect was there; a row that is not is made anew. */
  isWhole: boolean;
  curve: readonly OwnPoint[];
}
