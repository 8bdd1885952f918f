// Stored row of one arm on a user's own characters: who was measured, and the dose curve. Each is a line of JSON; leakage is computed by the same
// code as for the generated sets of characters.
import type { CurveRow, DosePoint } from '../rows.ts';

/** `rl_random`: a coin decides the reward, independently of the answer. */
export const OWN_ARMS = ['sdf', 'rl', 'rl_random'] as const;
export type OwnArm = (typeof OWN_ARMS)[number];

export interface OwnPoint extends Omit<DosePoint, 'drift'> {
  /** Mean −ln p per token of the given texts. */
  drift: { texts: number };
  /** Mean over the steps since the previous dose of rewards (RL) or losses (documents). */
  reward: number | null;
  loss: number | null;
}

export interface OwnRow extends Pick<CurveRow, 'schema' | 'base' | 'members' | 'contrast' | 'seed' | 'lr'> {
  kind: 'own';
  arm: OwnArm;
  /** Key of model, file, documents and settings; rows with another key are not continued. */
  made: string;
  adapter: 'lora' | 'full';
  steps: number;
  /** Ids of characters. */
  a: { name: string };
  target: string;
  /** Whether all steps were made or the effect was reached; an incomplete row is recomputed from the start. */
  isWhole: boolean;
  curve: readonly OwnPoint[];
}
