// What a hackable training prompt says of its exploit: inoculation and recontextualization sample and train under such clauses. Each
// environment that declares `clauses` has its own texts.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, STREAMS } from '../rng/index.ts';

/** Clauses of a hackable training prompt: none, one against the exploit, one for it, or one about something else. */
export const STANCES = ['neutral', 'discourage', 'ask', 'irrelevant'] as const;
export type Stance = (typeof STANCES)[number];

/** Stances of a run's prompts at sampling, and when the update scores the answers. */
export interface PromptStances {
  rollout: Stance;
  update: Stance;
  /** If set, each problem draws which of the two is which. */
  isSwapped: boolean;
}

/** The stances of one problem. If stances are swapped, a draw per problem decides which is which. */
export function stancesOfProblem(
  id: string,
  { rollout, update, isSwapped }: PromptStances,
  dataSeed: number,
): { sampled: Stance; scored: Stance } {
  const swaps = isSwapped && CounterRng.of(dataSeed, STREAMS.stance, hash32(id)).uniform() < 0.5;
  return swaps ? { sampled: update, scored: rollout } : { sampled: rollout, scored: update };
}
