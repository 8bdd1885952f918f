// One answer of the loaded model, shown while it is written; sampled as the lab's rollouts.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { Generated, Policy } from '../../engine/types.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';

interface WriteRequest {
  prompt: readonly number[];
  seed: number;
  temperature: number;
  maxNew: number;
  endTokens: readonly number[];
  signal: AbortSignal;
  /** Called repeatedly with all tokens so far. */
  onTokens(soFar: Generated): void;
  breathe(): Promise<void>;
}

/** Throws StoppedError if `signal` ends it. */
export async function writeAnswer(policy: Pick<Policy, 'generate'>, request: WriteRequest): Promise<Generated> {
  const { prompt, seed, temperature, maxNew, endTokens, signal, onTokens, breathe } = request;
  try {
    const [answer] = await policy.generate({
      prompts: [prompt],
      sequences: [{ prompt: 0, key: keyFor(seed, STREAMS.evaluation, 0, 0) }],
      maxNew,
      temperature,
      endTokens,
      signal,
      onSampled: ([soFar]) => onTokens(soFar),
      breathe,
    });
    return answer;
  } catch (error) {
    if (signal.aborted) throw new StoppedError('stopped', 'Ask again.');
    throw error;
  }
}
