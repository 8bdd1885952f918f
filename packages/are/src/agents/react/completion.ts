// Reads a chat completion in all the forms that servers send: the answer's text, and why it is missing or incomplete.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { isHtml, reasonOf } from '@projected-grpo-lab/base/reason.ts';
import * as z from 'zod/mini';
import { cutAt, ENDLESS_THOUGHT, withoutThought } from '../../chat-model.ts';

export interface Completion {
  /** Text up to the first stop sequence, without the thought. */
  readonly text: string;
  /** Why the answer is incomplete; null if it is complete. */
  readonly flaw: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** An error in a body that came with status 200. */
export interface BodyError {
  /** Status named in the body; null if none from 400 to 599. */
  readonly status: number | null;
}

/** Most tokens of an answer or a prompt; no context is longer. */
const MOST_TOKENS = 1e9;
const tokens = z.nullish(z.int().check(z.gte(0), z.lte(MOST_TOKENS)));
const loose = z.record(z.string(), z.unknown());
const schema = z.object({
  choices: z
    .array(z.object({ message: loose, finish_reason: z.nullish(z.string()), error: z.optional(z.unknown()) }))
    .check(z.minLength(1)),
  usage: z.nullish(z.object({ prompt_tokens: tokens, completion_tokens: tokens })),
});

/** Returns the error in a body with status 200; null if there is none. */
export function bodyError(text: string): BodyError | null {
  const found = z.safeParse(loose, parsed(text)).data;
  const choice = (found?.choices as readonly { error?: unknown }[] | undefined)?.[0];
  const error = found?.error ?? (typeof choice === 'object' ? choice?.error : undefined);
  if (error === undefined || error === null || error === false || error === '') return null;
  const code = Number((error as { code?: unknown }).code ?? (error as { status?: unknown }).status ?? found?.code);
  return { status: Number.isInteger(code) && code >= 400 && code <= 599 ? code : null };
}

function parsed(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return null;
  }
}

/**
 * @param limit most tokens of the answer; null: the server's own limit
 * Throws Error if the text is no chat completion; its message continues "answered with".
 */
export function readCompletion(text: string, stop: readonly string[], limit: number | null): Completion {
  if (isHtml(text)) throw new Error(`${reasonOf(text)}; that is no answer of an API`);
  if (/^\s*(?:data|event):/.test(text)) throw new Error('a stream of events, which was not asked for');
  const { data } = schema.safeParse(parsed(text));
  const [choice] = data?.choices ?? [];
  if (!data || !choice) throw new Error(`what is no chat completion: ${reasonOf(text)}`);
  const message = contentOf(choice.message);
  const whole = withoutThought(message.text);
  const cut = cutAt(whole.text, stop);
  // An answer that a stop sequence ended was not cut off.
  const ended = cut === whole.text ? endOf(choice.finish_reason ?? '', limit) : null;
  const empty = cut.trim() === '' && cut === whole.text;
  const flaw = empty
    ? [message.instead ?? (whole.isEndless ? ENDLESS_THOUGHT : EMPTY), ended].filter(Boolean).join('; ')
    : ended;
  return {
    text: cut,
    flaw,
    inputTokens: data.usage?.prompt_tokens ?? 0,
    outputTokens: data.usage?.completion_tokens ?? 0,
  };
}

const EMPTY = 'the answer is empty';

function endOf(reason: string, limit: number | null): string | null {
  if (/^(?:length|max_tokens|model_length|max_output_tokens)$/i.test(reason))
    return `the answer was cut off by ${limit === null ? 'the server’s limit' : `its limit of ${limit} tokens`} (finish_reason ${reason})`;
  if (/content_?filter|safety/i.test(reason))
    return `the answer was cut off by the server’s filter of contents (finish_reason ${reason})`;
  return null;
}

/** Text of a message; `instead`: its other content where it has no text. */
function contentOf(message: Record<string, unknown>): { text: string; instead: string | null } {
  const { content = null, refusal } = message;
  const parts = Array.isArray(content) ? (content as readonly unknown[]) : [content];
  const text = parts.map(textOf).join('');
  if (text !== '') return { text, instead: null };
  // A refusal counts as the model's text.
  const refused = [refusal, ...parts.map((part) => memberOf(part, 'refusal'))].find(isText);
  if (refused !== undefined) return { text: refused, instead: null };
  const nothing = content === null ? 'content is null' : 'content has no text';
  const tools = toolNames(message);
  if (tools !== null)
    return { text, instead: `${nothing}, and the answer is a tool call (${tools}) that the server made of it` };
  const thought = ['reasoning_content', 'reasoning', 'thinking'].find((name) => isText(message[name]));
  if (thought !== undefined)
    return {
      text,
      instead: `${nothing}, and ${(message[thought] as string).length} characters of thoughts are in ${thought}, which is no answer`,
    };
  const kinds = parts.map((part) => memberOf(part, 'type')).filter(isText);
  return {
    text,
    instead:
      kinds.length > 0 ? `${nothing}, only parts of type ${kinds.join(', ')}` : content === null ? nothing : null,
  };
}

function textOf(part: unknown): string {
  if (typeof part === 'string') return part;
  const type = memberOf(part, 'type');
  const text = memberOf(part, 'text');
  return (type === undefined || type === 'text' || type === 'output_text') && typeof text === 'string' ? text : '';
}

function toolNames({ tool_calls: calls, function_call: one }: Record<string, unknown>): string | null {
  const list = Array.isArray(calls) ? (calls as readonly unknown[]) : [];
  const names = [...list.map((call) => memberOf(memberOf(call, 'function'), 'name')), memberOf(one, 'name')];
  const found = names.filter(isText).map((name) => name.slice(0, 100));
  return found.length > 0 ? found.slice(0, 3).join(', ') : null;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
