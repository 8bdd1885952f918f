// What a tokenizer.json may ask for, and what the tokenizers in use do ask for.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { trainTokenizer } from './bpe-train.ts';
import { loadCodec } from './codec.ts';
import { repeatsRepeated } from './tokenizer-bounds.ts';

const { tokenizer, config } = trainTokenizer(['def f(x): return x\n'.repeat(9)], 262);
const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
const replace = (content: string) => ({ type: 'Replace', pattern: { String: 'a' }, content });
const sequence = (of: string, type: string, steps: unknown[]) => ({
  ...tokenizer,
  [of]: { type: 'Sequence', [type]: steps },
});

describe('a tokenizer', () => {
  it('of the kinds in use is read', () => {
    expect(loadCodec(tokenizer, config).encode('f')).toHaveLength(1);
    const llama = [
      { type: 'Prepend', prepend: '▁' },
      { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    ];
    expect(loadCodec(sequence('normalizer', 'normalizers', llama), config).encode('f').length).toBeGreaterThan(0);
    for (const pattern of [
      "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
      "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}]*[\\p{Ll}\\p{Lm}]+(?i:'s|'t)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+",
      '(?:ab)+c|\\(a+\\)+|[(a+)]+|a+?b*',
    ])
      expect(repeatsRepeated(pattern)).toBe(false);
  });

  it.each([
    [
      '24 byte-level steps',
      sequence('pre_tokenizer', 'pretokenizers', Array(24).fill(byteLevel)),
      /4096 times as long/,
    ],
    ['texts that grow', sequence('normalizer', 'normalizers', Array(9).fill(replace('aaaaa'))), /4096 times as long/],
    ['a thousand steps', sequence('decoder', 'decoders', Array(1000).fill({ type: 'Fuse' })), /more than 32 steps/],
    [
      'a pattern that never ends',
      {
        ...tokenizer,
        pre_tokenizer: { type: 'Split', pattern: { Regex: '(\\w+\\s?)+$' }, behavior: 'Isolated', invert: false },
      },
      /repeats a repeated group/,
    ],
  ])('with %s is refused, with a way out', (_, json, says) => {
    let error: unknown;
    try {
      loadCodec(json, config);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toMatch(says);
  });

  it.each(['(a+)+', '(?:a*b)*', '((a+))+', '(?:\\s{2,}x)+', '([a-z]+|b)*', '(a|(b{1,}))+'])(
    'may not hold the pattern %s',
    (pattern) => {
      expect(repeatsRepeated(pattern)).toBe(true);
    },
  );
});
