// Answers in the format of OpenAI's API, as a whole and as chunks of a stream.
import { CallReader, type WrittenCall } from '../../text/tool-calls.ts';
import type { Written } from './batches.ts';
import { chatEntries, type Place, rankedPlaces, sampledPlaces, textLists } from './logprobs.ts';
import type { Prepared } from './prepared.ts';

/** Fields that every part of an answer repeats. */
export interface Head {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
}

type Finish = 'stop' | 'length' | 'tool_calls';

const finishOf = ({ stream }: Written, hasCalled: boolean): Finish =>
  hasCalled ? 'tool_calls' : stream.isOver ? 'stop' : 'length';

function usageOf({ prompts }: Prepared, written: readonly Written[]) {
  const prompt = prompts.reduce((sum, { length }) => sum + length, 0);
  const completion = written.reduce((sum, { stream }) => sum + stream.ids.length, 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** Prompt of the choice with index `at`. */
const promptAt = ({ prompts, asked }: Prepared, at: number): readonly number[] => prompts[Math.floor(at / asked.n)];

/** The answer's tokens from index `from` on, with their log-probabilities. */
function placesOf(prompt: readonly number[], { stream, logprobs, ranked }: Written, from = 0): Place[] {
  if (ranked === null) return sampledPlaces(prompt, stream.ids, logprobs, from);
  return rankedPlaces([...prompt, ...stream.ids], ranked, prompt.length + from);
}

/** A chat's log-probabilities; they include the end token only for clients that request ids, with one entry per id. */
function chatLogprobs(prepared: Prepared, at: number, written: Written, from = 0) {
  const { asked, model } = prepared;
  if (asked.top === null) return null;
  const places = placesOf(promptAt(prepared, at), written, from);
  const { ended } = written.stream;
  const shown = ended && !asked.returnsIds ? places.slice(0, -1) : places;
  return { content: chatEntries(model.words.codec, shown), refusal: null };
}

function callId(head: Head, choice: number, call: number): string {
  return `call_${head.id.slice(head.id.indexOf('-') + 1)}_${choice}_${call}`;
}

const callOf = (head: Head, choice: number, call: number, { name, args }: WrittenCall) => ({
  id: callId(head, choice, call),
  type: 'function',
  function: { name, arguments: args },
});

/** Body of a chat completion. */
export function chatBody(head: Head, prepared: Prepared, written: readonly Written[]) {
  const { asked, model, prompts } = prepared;
  const choices = written.map((one, index) => {
    const text = one.stream.shown;
    const { words, calls } = prepared.readsCalls ? new CallReader().read(text, true) : { words: text, calls: [] };
    const hasCalled = calls.length > 0;
    const message = {
      role: 'assistant',
      content: hasCalled && words === '' ? null : words,
      refusal: null,
      ...(hasCalled && { tool_calls: calls.map((call, i) => callOf(head, index, i, call)) }),
    };
    return {
      index,
      message,
      logprobs: chatLogprobs(prepared, index, one),
      finish_reason: finishOf(one, hasCalled),
      ...(asked.returnsIds && { token_ids: one.stream.ids }),
    };
  });
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: model.name,
    choices,
    usage: usageOf(prepared, written),
    ...(asked.returnsIds && { prompt_token_ids: prompts[0] }),
  };
}

/** Body of a completion. If prompts are only scored, each prompt has a choice. */
export function textBody(head: Head, prepared: Prepared, written: readonly Written[]) {
  const { asked, model, prompts, sequences } = prepared;
  const isScored = sequences.length === 0;
  const choices = (
    isScored ? prompts.flatMap((_, i) => Array.from({ length: asked.n }, () => i)) : written.map((_, i) => i)
  ).map((at, index) => {
    const prompt = isScored ? prompts[at] : promptAt(prepared, at);
    const given = echoed(prepared, isScored ? at : Math.floor(at / asked.n));
    return {
      index,
      text: (asked.echo ? given.text : '') + (written[at]?.stream.shown ?? ''),
      logprobs: asked.top === null ? null : listsOf(prepared, prompt, written[at], given.lead),
      finish_reason: isScored ? ('length' as const) : finishOf(written[at], false),
      ...(asked.returnsIds && { prompt_token_ids: prompt, token_ids: written[at]?.stream.ids ?? [] }),
    };
  });
  return {
    id: head.id,
    object: 'text_completion',
    created: head.created,
    model: model.name,
    choices,
    usage: usageOf(prepared, isScored ? [] : written),
  };
}

/** A prompt's text, and the number of characters that its tokens put before it: those of a token that starts every text. */
function echoed({ model, prompts, texts }: Prepared, at: number): { text: string; lead: number } {
  const whole = model.words.codec.decode(prompts[at]);
  const text = texts[at] ?? whole;
  return { text, lead: whole.endsWith(text) ? [...whole].length - [...text].length : 0 };
}

function listsOf({ asked, model }: Prepared, prompt: readonly number[], written: Written | undefined, lead: number) {
  const { codec } = model.words;
  if (written === undefined) return textLists(codec, [], prompt, 0);
  if (!asked.echo) return textLists(codec, placesOf(prompt, written), prompt, 0);
  const ids = [...prompt, ...written.stream.ids];
  return textLists(codec, rankedPlaces(ids, written.ranked ?? [], 0), [], -lead);
}

/** The chunks of a stream, in the order in which they are sent. */
export interface Chunks {
  /** Chunks for a part of a choice's text that can no longer change. */
  piece(at: number, piece: string, written: Written): object[];
  /** Remaining chunks once all choices are complete. */
  end(written: readonly Written[]): object[];
}

/** A stream with the likeliest tokens has one piece per choice, since they are known only at the end. */
const isLate = ({ ranks }: Prepared): boolean => ranks !== null;

function usageChunk(form: object, prepared: Prepared, written: readonly Written[]): object[] {
  return prepared.asked.includesUsage ? [{ ...form, choices: [], usage: usageOf(prepared, written) }] : [];
}

export function chatChunks(head: Head, prepared: Prepared): Chunks {
  const form = { id: head.id, object: 'chat.completion.chunk', created: head.created, model: prepared.model.name };
  const readers = prepared.sequences.map(() => new CallReader());
  const begun = new Set<number>();
  const calls = prepared.sequences.map(() => 0);
  const sent = prepared.sequences.map(() => 0);
  const chunk = (index: number, delta: object, logprobs: object | null = null, finish: Finish | null = null) => ({
    ...form,
    choices: [{ index, delta, logprobs, finish_reason: finish }],
  });
  const begin = (at: number): object[] => {
    if (begun.has(at)) return [];
    begun.add(at);
    return [chunk(at, { role: 'assistant', content: '' })];
  };
  const say = (at: number, piece: string, written: Written, isLast: boolean): object[] => {
    const read = prepared.readsCalls ? readers[at].read(piece, isLast) : { words: piece, calls: [] };
    const logprobs = chatLogprobs(prepared, at, written, sent[at]);
    sent[at] = written.stream.ids.length;
    const hasNew = (logprobs?.content.length ?? 0) > 0;
    const words = read.words !== '' || hasNew ? [chunk(at, { content: read.words }, logprobs)] : [];
    return [...words, ...read.calls.flatMap((call) => callChunks(at, calls[at]++, call))];
  };
  /** The first chunk of a call has everything but its arguments, as clients expect. */
  const callChunks = (at: number, index: number, call: WrittenCall) => {
    const whole = callOf(head, at, index, call);
    const first = { index, id: whole.id, type: whole.type, function: { name: call.name, arguments: '' } };
    const rest = { index, function: { arguments: call.args } };
    return [chunk(at, { tool_calls: [first] }), chunk(at, { tool_calls: [rest] })];
  };
  return {
    piece: (at, piece, written) => [...begin(at), ...(isLate(prepared) ? [] : say(at, piece, written, false))],
    end: (written) => [
      ...written.flatMap((one, at) => [
        ...begin(at),
        ...say(at, isLate(prepared) ? one.stream.shown : '', one, true),
        chunk(at, {}, null, finishOf(one, calls[at] > 0)),
      ]),
      ...usageChunk(form, prepared, written),
    ],
  };
}

export function textChunks(head: Head, prepared: Prepared): Chunks {
  const form = { id: head.id, object: 'text_completion', created: head.created, model: prepared.model.name };
  const sent = prepared.sequences.map(() => ({ tokens: 0, characters: 0 }));
  const chunk = (index: number, text: string, logprobs: object | null, finish: Finish | null) => ({
    ...form,
    choices: [{ index, text, logprobs, finish_reason: finish }],
  });
  const say = (at: number, text: string, written: Written): object[] => {
    const { top } = prepared.asked;
    const { ids } = written.stream;
    if (text === '' && (top === null || ids.length === sent[at].tokens)) return [];
    const prompt = promptAt(prepared, at);
    const { tokens, characters } = sent[at];
    const context = [...prompt, ...ids.slice(0, tokens)];
    const places = placesOf(prompt, written, tokens);
    const logprobs = top === null ? null : textLists(prepared.model.words.codec, places, context, characters);
    sent[at] = { tokens: ids.length, characters: characters + [...text].length };
    return [chunk(at, text, logprobs, null)];
  };
  return {
    piece: (at, piece, written) => (isLate(prepared) ? [] : say(at, piece, written)),
    end: (written) => [
      ...written.flatMap((one, at) => [
        ...say(at, isLate(prepared) ? one.stream.shown : '', one),
        chunk(at, '', null, finishOf(one, false)),
      ]),
      ...usageChunk(form, prepared, written),
    ],
  };
}
