// Tests the training of a byte-level BPE tokenizer: the order of the merges, and that Hugging Face's library reads the written files.
import { Tokenizer } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { byteAlphabet, learnMerges, trainTokenizer } from './bpe-train.ts';

describe('byte-level BPE', () => {
  it('learns the most frequent pair first, and of equally frequent pairs the one with the smaller ids', () => {
    const id = (c: string) => c.charCodeAt(0);
    // "ab" occurs six times and "cd" three times; merges do not cross word boundaries, so no "abab" is learnt.
    const merges = learnMerges(['ab ab ab\nab ab ab\ncd\ncd\ncd'], 3);
    expect(merges[0]).toEqual([id('a'), id('b')]);
    expect(merges[1]).toEqual([id(' '), 256]);
    expect(merges[2]).toEqual([id('c'), id('d')]);
    // "xy" and "pq" are tied with two occurrences each.
    expect(learnMerges(['xy\nxy\npq\npq'], 1)).toEqual([[id('p'), id('q')]]);
  });

  it('never merges digits, nor across special tokens', () => {
    expect(learnMerges(['12121212\n1212'], 5)).toEqual([]);
    expect(learnMerges(['a<|im_end|>b a<|im_end|>b'], 5).flat()).not.toContain('|'.charCodeAt(0));
  });

  it('uses GPT-2’s byte alphabet', () => {
    const alphabet = byteAlphabet();
    expect(new Set(alphabet).size).toBe(256);
    expect(alphabet[32]).toBe('Ġ');
    expect(alphabet[10]).toBe('Ċ');
    expect(alphabet[65]).toBe('A');
  });

  it('writes a tokenizer that Hugging Face’s library reads: 256 bytes, merges, special tokens at the end', () => {
    const corpus = Array.from({ length: 50 }, (_, i) => `def f${i}(x):\n    return x + ${i}<|im_end|>`);
    const { tokenizer, config } = trainTokenizer(corpus, 270);
    const hf = new Tokenizer(tokenizer, config);
    expect(hf.token_to_id('<|endoftext|>')).toBe(267);
    expect(hf.token_to_id('<|im_end|>')).toBe(269);
    const ids = hf.encode('return 123<|im_end|>é').ids;
    expect(ids).toContain(269);
    for (const digit of '123') expect(ids).toContain(digit.charCodeAt(0));
    expect(hf.decode(ids, { skip_special_tokens: false })).toBe('return 123<|im_end|>é');
    expect(() => trainTokenizer(['too little'], 400)).toThrow(/merges of 141/);
  });
});
