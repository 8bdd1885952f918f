// Environments for tests of episodes: what they show depends on what was said alone, so that an episode is the same whoever
// else is in its batch.
import { keyFor, STREAMS } from '../../rng/index.ts';
import type { EpisodeRequest, ModelConfig, SampledTurn } from '../types.ts';
import { randomIds } from './models.ts';

/** Ids that end a turn. */
export const ENDS = [3, 11];

/** A number of what was said. */
function hash(tokens: readonly number[]): number {
  return tokens.reduce((sum, id) => (sum * 31 + id + 7) % 65521, 1);
}

/** One to six tokens, or null after about one turn in four. */
export function shown(config: ModelConfig, { tokens }: Pick<SampledTurn, 'tokens'>): number[] | null {
  const n = hash(tokens);
  return n % 4 === 0 ? null : randomIds(config, n, 1 + (n % 6));
}

/** Eight episodes of three prompts, up to four turns of ten tokens. */
export function episodes(config: ModelConfig): Omit<EpisodeRequest, 'act'> {
  return {
    prompts: [randomIds(config, 1, 6), randomIds(config, 2, 1), randomIds(config, 4, 9)],
    sequences: [0, 1, 0, 2, 1, 0, 0, 2].map((prompt, i) => ({
      prompt,
      key: (turn: number) => keyFor(5, STREAMS.rollout, i, turn),
    })),
    maxNew: 10,
    maxTokens: 48,
    maxTurns: 4,
    temperature: 1,
    endTokens: ENDS,
  };
}
