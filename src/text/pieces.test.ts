import { describe, expect, it } from 'vitest';
import { trainTokenizer } from './bpe-train.ts';
import { loadCodec } from './codec.ts';
import { tokenPieces } from './pieces.ts';

const { tokenizer, config } = trainTokenizer(['class Solution:\n    def solve(self, x):\n'.repeat(9)], 280);
const codec = await loadCodec(tokenizer, config);

describe('tokenPieces', () => {
  it.each([
    '',
    '```python\nclass Solution:\n    def solve(self, x):\n        return x + 1\n```',
    'žluťoučký 学 🙂 end',
  ])('gives pieces of %j that join to it, with every token counted', (text) => {
    const pieces = tokenPieces(codec, text)!;
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(pieces.reduce((sum, piece) => sum + piece.tokens, 0)).toBe(codec.encode(text).length);
    expect(pieces.some((piece) => piece.text.includes('\uFFFD'))).toBe(false);
  });

  it('keeps the bytes of one character together', () => {
    expect(tokenPieces(codec, '🙂')).toEqual([{ text: '🙂', tokens: codec.encode('🙂').length }]);
  });

  it('is null for a codec whose decoding differs from the text', () => {
    const lossy = { ...codec, decode: (ids: readonly number[]) => codec.decode(ids).toUpperCase() };
    expect(tokenPieces(lossy, 'abc')).toBeNull();
  });
});
