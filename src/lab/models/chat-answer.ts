// A local model answers an agent's conversation, on the command line and in the worker alike.
import { type ChatTurn, cutAt, PromptTooLong } from '@projected-grpo-lab/are/chat-model.ts';
import type { Generated, TokenRequest } from '../../engine/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import type { ModelText } from '../../storage/model-text.ts';
import { answerText, cutAtEnd } from '../../text/answer.ts';
import { judgedText, opensThoughtIn, type Thinking, thinkingFor } from '../../text/thinking.ts';

interface ChatParts {
  generate(request: TokenRequest): Promise<Generated[]>;
  readonly words: ModelText;
  readonly positions: number;
  /** Whether thoughts are removed from its answers; by default its chat template decides. */
  readonly thinking?: Thinking;
}

interface ChatAsk extends Pick<TokenRequest, 'maxNew' | 'temperature' | 'signal' | 'breathe'> {
  readonly turns: readonly ChatTurn[];
  readonly stop: readonly string[];
  readonly seed: number;
  /** Number of the question with that seed: repeated words may be answered differently. */
  readonly number: number;
}

/** Throws PromptTooLong; FormatError without a chat template. */
export async function chatAnswer(
  { generate, words, positions, thinking = thinkingFor(words.knowsThinking) }: ChatParts,
  { turns, stop, seed, number, maxNew, ...request }: ChatAsk,
): Promise<{ text: string; inputTokens: number; outputTokens: number }> {
  const { endTokens } = words.codec;
  const prompt = words.chatIds(turns);
  const room = positions - prompt.length;
  if (room < 1)
    throw new PromptTooLong(`The conversation has ${prompt.length} tokens; the model has ${positions} positions.`);
  const [answer] = await generate({
    ...request,
    prompts: [prompt],
    sequences: [{ prompt: 0, key: keyFor(seed, STREAMS.evaluation, number, 0) }],
    maxNew: Math.min(room, maxNew),
    endTokens,
  });
  const written = cutAtEnd(answer?.tokens ?? [], endTokens);
  // The stop strings must not match inside a thought.
  const text = cutAt(
    judgedText(answerText(words.codec, prompt, written), thinking, opensThoughtIn(words.codec, prompt)),
    stop,
  );
  return { text, inputTokens: prompt.length, outputTokens: written.ids.length };
}
