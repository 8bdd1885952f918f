// One answer of the loaded model, read along while it is written: the playground's sampling, which is the lab's own.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { Generated, Policy } from '../../engine/types.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';
import { cutAtEnd } from '../../text/answer.ts';

interface WriteRequest {
  prompt: readonly number[];
  seed: number;
  temperature: number;
  maxNew: number;
  /** The engine looks for two; of more, the others end the answer here. */
  endTokens: readonly number[];
  signal: AbortSignal;
  /** All tokens so far, again and again. */
  onTokens(soFar: Generated): void;
  breathe(): Promise<void>;
}

/** One answer. Throws StoppedError where `signal` ends it. */
export async function writeAnswer(policy: Pick<Policy, 'generate'>, request: WriteRequest): Promise<Generated> {
  const { prompt, seed, temperature, maxNew, endTokens, signal, onTokens, breathe } = request;
  // An end that the engine does not look for ends the generation through a signal of its own.
  const more = endTokens.slice(2);
  const stop = new AbortController();
  const end = () => stop.abort(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  // It may have been stopped while the model was being opened.
  if (signal.aborted) end();
  let ended: Generated | null = null;
  try {
    const [answer] = await policy.generate({
      prompts: [prompt],
      sequences: [{ prompt: 0, key: keyFor(seed, STREAMS.evaluation, 0, 0) }],
      maxNew,
      temperature,
      endTokens: endTokens.slice(0, 2),
      signal: stop.signal,
      onSampled([soFar]) {
        if (ended) return;
        ended = more.length > 0 ? endedBy(soFar, endTokens) : null;
        if (ended) stop.abort(new StoppedError());
        else onTokens(soFar);
      },
      breathe,
    });
    return endedBy(answer, endTokens) ?? answer;
  } catch (error) {
    if (ended && !signal.aborted) return ended;
    if (signal.aborted) throw new StoppedError('stopped', 'Ask again.');
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** The answer up to its end; null where it has none. */
function endedBy({ tokens, logprobs }: Generated, endTokens: readonly number[]): Generated | null {
  const { ids, ended } = cutAtEnd(tokens, endTokens);
  return ended ? { tokens: ids, logprobs: logprobs.slice(0, ids.length), ended } : null;
}
