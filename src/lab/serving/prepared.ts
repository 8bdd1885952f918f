// Prepares a request for sampling: prompts as token ids, a key for each choice, and the limit of the answer.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import type { ModelText } from '../../storage/model-text.ts';
import { ApiError, invalid, unsupported } from './api-error.ts';
import type { JobRequest, Writer } from './batches.ts';
import type { ChatInput, CompletionRequest, TextInput } from './request.ts';

/** A served model name. */
export interface ServedModel {
  readonly name: string;
  /** Description for users. */
  readonly about: string;
  readonly words: ModelText;
  readonly writer: Writer;
  readonly vocab: number;
  /** Most tokens of a prompt and its answer. */
  readonly context: number;
}

export interface Prepared {
  readonly asked: CompletionRequest;
  readonly model: ServedModel;
  readonly prompts: readonly (readonly number[])[];
  /** Text of each prompt that was given as text. */
  readonly texts: readonly (string | null)[];
  readonly sequences: JobRequest['sequences'];
  readonly ranks: number | null;
  /** Whether tool calls are parsed from the answer. */
  readonly readsCalls: boolean;
}

/** Throws ApiError. `seed` is used if the request has none. */
export function prepare(asked: CompletionRequest, model: ServedModel, seed: number): Prepared {
  const { words, context, vocab } = model;
  const { input, n, maxNew, echo, top } = asked;
  const field = asked.kind === 'chat' ? 'messages' : 'prompt';
  const prompts = 'messages' in input ? [chatPrompt(input, model)] : textPrompts(input, words);
  for (const ids of prompts) {
    if (ids.length === 0) throw invalid(field, 'it has no token.', 'Give the model something to go on from.');
    const wrong = ids.find((id) => id >= vocab);
    if (wrong !== undefined)
      throw invalid(field, `there is no token ${wrong}, the model has ${vocab}.`, 'Use the tokenizer of this model.');
    const least = maxNew ?? 1;
    if (ids.length + least > context) throw tooLong(field, ids.length, least, context);
  }
  const own = asked.seed ?? seed;
  const sequences = prompts.flatMap((ids, prompt) =>
    maxNew === 0
      ? []
      : Array.from({ length: n }, (_, i) => ({
          prompt,
          key: keyFor(own, STREAMS.evaluation, 0, prompt * n + i),
          maxNew: maxNew ?? context - ids.length,
        })),
  );
  const isRanked = top !== null && (echo || top > 0);
  return {
    asked,
    model,
    prompts,
    texts: 'messages' in input ? [null] : input.prompts.map((text) => (typeof text === 'string' ? text : null)),
    sequences,
    ranks: isRanked ? top : null,
    readsCalls: 'messages' in input && input.tools !== null,
  };
}

function chatPrompt({ messages, tools }: ChatInput, { words }: ServedModel): number[] {
  if (tools !== null && !words.knowsTools)
    throw unsupported(
      'tools',
      'the model’s chat template shows none, or has calls written in another form.',
      'Leave them out.',
    );
  const withTool = messages.findIndex(({ role, tool_calls }) => role === 'tool' || tool_calls !== undefined);
  if (withTool >= 0 && !words.knowsTools)
    throw unsupported(`messages.${withTool}`, 'the model’s chat template writes no calls of tools.', 'Leave it out.');
  try {
    return words.chatIds(messages, tools);
  } catch (error) {
    // The template refuses the conversation, or there is none, as the message says.
    if (error instanceof LabError) throw invalid('messages', error.message, error.remedy);
    throw error;
  }
}

const textPrompts = ({ prompts }: TextInput, { codec }: ModelText): (readonly number[])[] =>
  prompts.map((prompt) => (typeof prompt === 'string' ? codec.encodePrompt(prompt) : prompt));

const tooLong = (field: string, prompt: number, answer: number, context: number) =>
  new ApiError(
    400,
    `This model's maximum context length is ${context} tokens. However, you requested ${prompt + answer} tokens (${prompt} in the ${field}, ${answer} in the completion).`,
    'Please reduce the length of the messages or completion.',
    { param: field, code: 'context_length_exceeded' },
  );
