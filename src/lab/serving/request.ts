// Reads a client's request: the bodies of /v1/chat/completions and /v1/completions, in one format. A field that would change the samples
// and that the lab does not support is an error, since a silent difference is worse.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import * as z from 'zod/mini';
import type { TemplateMessage } from '../../text/chatml.ts';
import type { ToolDefinition } from '../../text/tool-calls.ts';
import { invalid, unsupported } from './api-error.ts';

/** Limits of a request; tokens are limited by the model's context. */
export const LIMITS = {
  messages: 4096,
  /** Most prompts × n. */
  choices: 256,
  stops: 32,
  stopLength: 1000,
  tools: 128,
  /** Most likeliest tokens per position. */
  top: 20,
} as const;

/** Default number of tokens of a completion, as in the API. */
const DEFAULT_COMPLETION = 16;
const DEFAULT_TEMPERATURE = 1;

export interface CompletionRequest {
  readonly kind: 'chat' | 'text';
  readonly model: string;
  readonly input: ChatInput | TextInput;
  /** Choices of each prompt. */
  readonly n: number;
  /** Null: as many as fit. */
  readonly maxNew: number | null;
  readonly temperature: number;
  /** Null: the server draws one. */
  readonly seed: number | null;
  readonly stops: readonly string[];
  /** Number of likeliest tokens per position; null without log-probabilities. */
  readonly top: number | null;
  /** Whether the answer begins with its prompt. */
  readonly echo: boolean;
  readonly stream: boolean;
  readonly includesUsage: boolean;
  readonly returnsIds: boolean;
  /** Names of unknown fields, which have no effect. */
  readonly unknown: readonly string[];
}

export interface ChatInput {
  readonly messages: readonly TemplateMessage[];
  readonly tools: readonly ToolDefinition[] | null;
}

export interface TextInput {
  readonly prompts: readonly (string | readonly number[])[];
}

const natural = z.int().check(z.nonnegative());
const id = z.int().check(z.nonnegative());
const stop = z.string().check(z.maxLength(LIMITS.stopLength));
/** Absent and null mean the same. */
const maybe = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema));

const COMMON = {
  model: z.string().check(z.maxLength(500)),
  max_tokens: maybe(natural),
  max_completion_tokens: maybe(natural),
  temperature: maybe(z.number().check(z.minimum(0), z.maximum(2))),
  seed: maybe(natural),
  n: maybe(z.int().check(z.minimum(1), z.maximum(LIMITS.choices))),
  stop: maybe(z.union([stop, z.array(stop).check(z.maxLength(LIMITS.stops))])),
  stream: maybe(z.boolean()),
  stream_options: maybe(z.looseObject({ include_usage: maybe(z.boolean()) })),
  return_token_ids: maybe(z.boolean()),
};

const Part = z.looseObject({ type: z.string(), text: z.optional(z.string()) });
const Content = z.union([z.string(), z.array(Part).check(z.maxLength(LIMITS.messages))]);
const Call = z.looseObject({
  id: z.string().check(z.maxLength(200)),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const Message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: maybe(Content),
  tool_calls: maybe(z.array(Call).check(z.maxLength(LIMITS.tools))),
  tool_call_id: maybe(z.string()),
  name: maybe(z.string()),
});
const Tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().check(z.minLength(1), z.maxLength(200)),
    description: maybe(z.string()),
    parameters: z.optional(z.unknown()),
  }),
});
const CHAT = {
  ...COMMON,
  messages: z.array(Message).check(z.minLength(1), z.maxLength(LIMITS.messages)),
  logprobs: maybe(z.boolean()),
  top_logprobs: maybe(z.int().check(z.minimum(0), z.maximum(LIMITS.top))),
  tools: maybe(z.array(Tool).check(z.maxLength(LIMITS.tools))),
  tool_choice: maybe(z.union([z.string(), z.looseObject({})])),
};
const Chat = z.looseObject(CHAT);
type Chat = z.infer<typeof Chat>;

const TEXT = {
  ...COMMON,
  prompt: z.union([
    z.string(),
    z.array(z.string()).check(z.minLength(1)),
    z.array(id).check(z.minLength(1)),
    z.array(z.array(id)).check(z.minLength(1)),
  ]),
  logprobs: maybe(z.int().check(z.minimum(0), z.maximum(LIMITS.top))),
  echo: maybe(z.boolean()),
};
const Text = z.looseObject(TEXT);
type Text = z.infer<typeof Text>;

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
const always = (): boolean => true;

/** Fields without effect here, each with the values for which that is so. */
const NEUTRAL: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ...['user', 'metadata', 'store', 'service_tier', 'reasoning_effort', 'skip_special_tokens', 'verbosity'].map(
    (name) => [name, always] as const,
  ),
  ...['safety_identifier', 'prompt_cache_key', 'spaces_between_special_tokens'].map((name) => [name, always] as const),
  ...['presence_penalty', 'frequency_penalty', 'min_p', 'min_tokens'].map((name) => [name, isOneOf(0)] as const),
  ...['top_p', 'best_of', 'typical_p', 'repetition_penalty', 'length_penalty'].map(
    (name) => [name, isOneOf(1)] as const,
  ),
  ...[
    'ignore_eos',
    'use_beam_search',
    'continue_final_message',
    'add_special_tokens',
    'include_stop_str_in_output',
  ].map((name) => [name, isOneOf(false)] as const),
  ...['logit_bias', 'chat_template_kwargs'].map((name) => [name, isEmpty] as const),
  ['top_k', isOneOf(0, -1)],
  ['suffix', isOneOf('')],
  ['parallel_tool_calls', isOneOf(true)],
  ['add_generation_prompt', isOneOf(true)],
  ['response_format', (value) => (value as { type?: unknown })?.type === 'text'],
  ['prompt_logprobs', () => false],
  ['functions', () => false],
  ['function_call', () => false],
]);
const LEAVE_OUT = 'Leave it out, or give the value that changes nothing.';

/** Throws ApiError with the invalid field. */
function checked<T>(schema: z.ZodMiniType<T>, body: unknown, known: object): { value: T; unknown: string[] } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('body', 'it is no JSON object.', 'Send an object with model and messages or prompt.');
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0];
    throw invalid(path.map(String).join('.') || 'body', `${message}.`, 'See docs/how-to/exchange.md for the fields.');
  }
  const others = Object.entries(body).filter(([name, value]) => !Object.hasOwn(known, name) && value !== null);
  for (const [name, value] of others) {
    const changesNothing = NEUTRAL.get(name);
    if (changesNothing && !changesNothing(value))
      throw unsupported(name, `${JSON.stringify(value)?.slice(0, 80)} is not supported.`, LEAVE_OUT);
  }
  return { value: parsed.data, unknown: others.map(([name]) => name).filter((name) => !NEUTRAL.has(name)) };
}

/** Throws ApiError. */
export function readChat(body: unknown): CompletionRequest {
  const { value, unknown } = checked(Chat, body, CHAT);
  const { logprobs, top_logprobs: top } = value;
  if ((top ?? null) !== null && logprobs !== true)
    throw invalid('top_logprobs', 'it is given without logprobs.', 'Add "logprobs": true.');
  const messages = value.messages.map((message, at) => messageOf(message, at));
  return {
    kind: 'chat',
    input: { messages, tools: toolsOf(value) },
    top: logprobs ? (top ?? 0) : null,
    echo: false,
    ...commonOf(value, null, 1),
    unknown,
  };
}

/** Throws ApiError. */
export function readText(body: unknown): CompletionRequest {
  const { value, unknown } = checked(Text, body, TEXT);
  const { prompt, logprobs } = value;
  const isSinglePrompt = typeof prompt === 'string' || typeof prompt[0] === 'number';
  const prompts = (isSinglePrompt ? [prompt] : prompt) as readonly (string | readonly number[])[];
  const common = commonOf(value, DEFAULT_COMPLETION, prompts.length);
  const echo = value.echo === true;
  if (common.maxNew === 0 && !echo)
    throw invalid('max_tokens', 'it is 0, and nothing is echoed.', 'Ask for a token at least, or add "echo": true.');
  if (echo && common.stream)
    throw unsupported('echo', 'a prompt is not echoed in a stream.', 'Leave out echo or stream.');
  return { kind: 'text', input: { prompts }, top: logprobs ?? null, echo, ...common, unknown };
}

function commonOf(value: Chat | Text, defaultNew: number | null, prompts: number) {
  const { model, temperature, seed, n, stop, stream, stream_options: options } = value;
  const [old, own] = [value.max_tokens ?? null, value.max_completion_tokens ?? null];
  if (old !== null && own !== null && old !== own)
    throw invalid('max_tokens', `it is ${old}, and max_completion_tokens ${own}.`, 'Give one of them.');
  const choices = prompts * (n ?? 1);
  if (choices > LIMITS.choices)
    throw invalid(
      'n',
      `${prompts} prompts × ${n ?? 1} choices, ${LIMITS.choices} are allowed.`,
      'Ask for fewer at a time.',
    );
  const maxNew = own ?? old ?? defaultNew;
  if (maxNew === 0 && !('prompt' in value)) throw invalid('max_tokens', 'it is 0.', 'Ask for a token at least.');
  const returnsIds = value.return_token_ids === true;
  if (returnsIds && stream)
    throw unsupported('return_token_ids', 'token ids are not streamed.', 'Leave out return_token_ids or stream.');
  return {
    model,
    n: n ?? 1,
    maxNew,
    temperature: temperature ?? DEFAULT_TEMPERATURE,
    seed: seed ?? null,
    stops: [stop ?? []].flat().filter((text) => text !== ''),
    stream: stream === true,
    includesUsage: options?.include_usage === true,
    returnsIds,
  };
}

function messageOf(
  { role, content, tool_calls, tool_call_id, name }: z.infer<typeof Message>,
  at: number,
): TemplateMessage {
  const where = `messages.${at}`;
  const isCall = role === 'assistant' && (tool_calls?.length ?? 0) > 0;
  if ((content ?? null) === null && !isCall)
    throw invalid(`${where}.content`, 'it is missing.', 'Give a text; null is for an assistant that calls tools.');
  if (tool_calls && role !== 'assistant')
    throw invalid(`${where}.tool_calls`, `a ${role} calls no tools.`, 'Leave them out.');
  return {
    role: role === 'developer' ? 'system' : role,
    content: textOf(content ?? '', where),
    ...(isCall && {
      tool_calls: tool_calls?.map((call) => ({
        id: call.id,
        type: 'function' as const,
        function: { name: call.function.name, arguments: argumentsOf(call.function.arguments) },
      })),
    }),
    ...(tool_call_id && { tool_call_id }),
    ...(role === 'tool' && name && { name }),
  };
}

function textOf(content: z.infer<typeof Content>, where: string): string {
  if (typeof content === 'string') return content;
  return content
    .map(({ type, text }, part) => {
      if (type === 'text' && text !== undefined) return text;
      throw invalid(
        `${where}.content.${part}`,
        `a part of type ${JSON.stringify(type)}.`,
        'The model reads text alone.',
      );
    })
    .join('');
}

/** Parses arguments, since templates write them as JSON again; invalid JSON stays a text. */
function argumentsOf(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return text;
  }
}

function toolsOf({ tools, tool_choice: choice }: Chat): ToolDefinition[] | null {
  if ((choice ?? null) !== null && choice !== 'auto' && choice !== 'none')
    throw unsupported('tool_choice', 'a call cannot be forced.', 'Give auto or none.');
  if (!tools || tools.length === 0 || choice === 'none') return null;
  return tools.map(({ function: { name, description, parameters } }) => ({
    type: 'function',
    function: { name, ...(description && { description }), ...(parameters !== undefined && { parameters }) },
  }));
}
