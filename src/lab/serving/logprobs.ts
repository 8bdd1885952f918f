// Log-probabilities in the format of OpenAI's API: natural logarithms of the softmax at temperature 1, per token with its bytes (chat), or
// as four lists of equal length (completions).
import type { RankedToken } from '../../engine/types.ts';
import { continuation } from '../../text/answer.ts';
import { AnswerStream } from '../../text/answer-stream.ts';
import type { TextCodec } from '../../text/codec.ts';

/** Replaces −Infinity, which JSON lacks. */
const LEAST = -9999;
const finite = (logprob: number): number => (Number.isFinite(logprob) ? logprob : LEAST);

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** A token's own text, with U+FFFD if it is part of a character, and its bytes. `before`: the previous token. */
function tokenOf(codec: TextCodec, id: number, before: number | undefined): { token: string; bytes: number[] } {
  const known = codec.bytesOf?.(id) ?? null;
  if (known) return { token: lossy.decode(Uint8Array.from(known)), bytes: [...known] };
  const token = before === undefined ? codec.decode([id]) : continuation(codec, [before], [id]);
  return { token, bytes: [...encoder.encode(token)] };
}

/** A token of an answer with its logarithm; `top` if the likeliest tokens are requested. */
export interface Place {
  readonly id: number;
  readonly before: number | undefined;
  /** Null for a text's first token. */
  readonly logprob: number | null;
  readonly top: RankedToken['top'];
}

/** Entries of a chat's `logprobs.content`. */
export const chatEntries = (codec: TextCodec, places: readonly Place[]) =>
  places.map(({ id, before, logprob, top }) => {
    const { token, bytes } = tokenOf(codec, id, before);
    const likeliest = top.map((one) => {
      const other = tokenOf(codec, one.id, before);
      return { token: other.token, logprob: finite(one.logprob), bytes: other.bytes };
    });
    return { token, logprob: finite(logprob ?? 0), bytes, top_logprobs: likeliest };
  });

export interface TextLists {
  tokens: string[];
  token_logprobs: (number | null)[];
  top_logprobs: (Readonly<Record<string, number>> | null)[];
  text_offset: number[];
}

/**
 * @param context tokens before the first place
 * @param from number of characters of the text before it
 */
export function textLists(
  codec: TextCodec,
  places: readonly Place[],
  context: readonly number[],
  from: number,
): TextLists {
  const lists: TextLists = { tokens: [], token_logprobs: [], top_logprobs: [], text_offset: [] };
  const stream = new AnswerStream(codec, context, [], []);
  let offset = from;
  for (const { id, before, logprob, top } of places) {
    const { token } = tokenOf(codec, id, before);
    lists.tokens.push(token);
    lists.token_logprobs.push(logprob === null ? null : finite(logprob));
    lists.top_logprobs.push(logprob === null ? null : topOf(codec, before, [...top, { id, logprob }]));
    lists.text_offset.push(Math.max(0, offset));
    offset += [...stream.push(id)].length;
  }
  return lists;
}

/** Likeliest tokens by text: of two tokens with the same text the likelier counts. */
function topOf(codec: TextCodec, before: number | undefined, top: RankedToken['top']): Record<string, number> {
  const map = new Map<string, number>();
  for (const { id, logprob } of top) {
    const { token } = tokenOf(codec, id, before);
    map.set(token, Math.max(map.get(token) ?? Number.NEGATIVE_INFINITY, finite(logprob)));
  }
  return Object.fromEntries(map);
}

/** Places of a text's tokens from index `from` on. `ranked`: one entry fewer than tokens. */
export const rankedPlaces = (ids: readonly number[], ranked: readonly RankedToken[], from: number): Place[] =>
  ids.slice(from).map((id, i) => {
    const at = from + i;
    const known = at === 0 ? null : ranked[at - 1];
    return { id, before: ids[at - 1], logprob: known?.logprob ?? null, top: known?.top ?? [] };
  });

/** Places of an answer's tokens from index `from` on, if only their own logarithms are known. */
export const sampledPlaces = (
  prompt: readonly number[],
  ids: readonly number[],
  logprobs: Float32Array,
  from = 0,
): Place[] =>
  ids.slice(from).map((id, i) => {
    const at = from + i;
    return { id, before: at === 0 ? prompt.at(-1) : ids[at - 1], logprob: logprobs[at], top: [] };
  });
