// Tests that an answer streamed token by token never splits a character, ends at stop texts, and joins to the text of the whole answer.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerText } from './answer.ts';
import { AnswerStream, heldLength } from './answer-stream.ts';
import { loadCodec, type PromptCodec } from './codec.ts';

const read = (name: string) => JSON.parse(readFileSync(`public/models/tiny-coder/${name}`, 'utf8'));
let codec: PromptCodec;
beforeAll(async () => {
  codec = await loadCodec(read('tokenizer.json'), read('tokenizer_config.json'));
});

/** Streams the tokens of a text one by one and returns the pieces of text that come out. */
function piecesOf(text: string, stops: readonly string[] = [], prompt: number[] = []) {
  const stream = new AnswerStream(codec, prompt, codec.endTokens, stops);
  const pieces: string[] = [];
  for (const id of codec.encode(text)) {
    if (stream.isOver) break;
    pieces.push(stream.push(id));
  }
  pieces.push(stream.finish());
  return { pieces, stream };
}

const TEXT = 'def f(x): # “naïve” 🦀🦀 日本\n    return x\n';

describe('AnswerStream', () => {
  it('never cuts a character in two, and its pieces join to the whole text', () => {
    const { pieces } = piecesOf(TEXT);
    expect(pieces.join('')).toBe(TEXT);
    expect(pieces.filter((piece) => piece.includes('\uFFFD'))).toEqual([]);
    // The crab emoji takes several tokens, of which all but the last give an empty piece.
    expect(pieces.filter((piece) => piece === '').length).toBeGreaterThan(1);
  });

  it('gives the same text as answerText after any number of tokens, also in the middle of a character', () => {
    const ids = codec.encode(TEXT);
    for (let length = 0; length <= ids.length; length++) {
      const stream = new AnswerStream(codec, ids.slice(0, 3), codec.endTokens, []);
      let text = '';
      for (const id of ids.slice(0, length)) text += stream.push(id);
      text += stream.finish();
      expect(text).toBe(answerText(codec, ids.slice(0, 3), { ids: ids.slice(0, length), ended: false }));
      expect(stream.shown).toBe(text);
    }
  });

  it('ends before a stop text and shows nothing of it, also where the stop text is spread over several tokens', () => {
    for (const stop of ['🦀🦀', 'return', 'ret', '日', '\n    ']) {
      const { pieces, stream } = piecesOf(TEXT, [stop, 'not there']);
      expect([stop, pieces.join('')]).toEqual([stop, TEXT.slice(0, TEXT.indexOf(stop))]);
      expect(stream.stopped).toBe(true);
    }
    expect(piecesOf(TEXT, ['return y']).pieces.join('')).toBe(TEXT);
  });

  it('ends at an end token, which is kept in the ids but not shown', () => {
    const [end] = codec.endTokens;
    const stream = new AnswerStream(codec, [], codec.endTokens, []);
    for (const id of [...codec.encode('ab'), end, ...codec.encode('cd')]) stream.push(id);
    expect([stream.shown + stream.finish(), stream.ended, stream.ids.at(-1)]).toEqual(['ab', true, end]);
  });

  it('holds back only the longest end of the text that is a proper prefix of a mark', () => {
    expect(heldLength('abc<to', ['<tool_call>'])).toBe(3);
    expect(heldLength('abc', ['cde', 'bcx'])).toBe(2);
    expect(heldLength('abc', ['abc'])).toBe(0);
  });
});
