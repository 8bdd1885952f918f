// Tests where an answer ends and what text each of its tokens adds, with a decoder that drops a leading space as real ones do.
import { describe, expect, it } from 'vitest';
import { answerText, continuation, cutAtEnd, TokenPieces } from './answer.ts';
import type { TextCodec } from './codec.ts';

/** Tokens by id. The decoder drops a space at the start of a text; the two bytes of 'é' are two tokens. */
const WORDS = [' The', ' cat', ' sat', '.', '<end>', new Uint8Array([0xc3]), new Uint8Array([0xa9])];
const codec: TextCodec = {
  vocabSize: WORDS.length,
  endTokens: [4],
  answerEnd: 4,
  padToken: 4,
  encode: () => [],
  encodeChat: () => [],
  decode(ids) {
    const parts = ids.map((id) => (typeof WORDS[id] === 'string' ? new TextEncoder().encode(WORDS[id]) : WORDS[id]));
    const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
    return new TextDecoder().decode(bytes).replace(/^ /, '');
  },
};

describe('the text of an answer', () => {
  it('ends with the first of any number of end tokens, which is no part of the text', () => {
    expect(cutAtEnd([1, 2, 4, 2], [9, 8, 4])).toEqual({ ids: [1, 2, 4], ended: true });
    expect(cutAtEnd([1, 2], [4])).toEqual({ ids: [1, 2], ended: false });
    expect(cutAtEnd([], [4])).toEqual({ ids: [], ended: false });
    expect(answerText(codec, [0], { ids: [1, 2, 4], ended: true })).toBe(' cat sat');
    expect(answerText(codec, [0], { ids: [1, 2], ended: false })).toBe(' cat sat');
  });

  it('keeps the leading space that the decoder drops at the beginning of a text', () => {
    expect(codec.decode([1, 2])).toBe('cat sat');
    expect(continuation(codec, [0], [1, 2])).toBe(' cat sat');
    expect(continuation(codec, [], [1, 2])).toBe('cat sat');
  });

  it('can be given token by token, in whole characters', () => {
    const pieces = new TokenPieces(codec, [0]);
    expect(pieces.next([1], false)).toEqual([' cat']);
    expect(pieces.next([1, 5], false)).toEqual(['']);
    expect(pieces.next([1, 5], false)).toEqual([]);
    expect(pieces.next([1, 5, 6, 3], true)).toEqual(['é', '.']);
    const cut = new TokenPieces(codec, [0]);
    expect(cut.next([1, 5], true)).toEqual([' cat', '\uFFFD']);
  });
});
