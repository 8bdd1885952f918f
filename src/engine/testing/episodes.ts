// Environments for tests of episodes: their observations depend only on the model's own tokens, so that an episode does not
// depend on others in its batch.
import { keyFor, STREAMS } from '../../rng/index.ts';
import type { EpisodeRequest, ModelConfig, SampledTurn } from '../types.ts';
import { randomIds } from './models.ts';

/** Ids that end a turn. */
export const ENDS = [3, 11];

/** Hashes the model's tokens to a number. */
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
