// Tests that the bounds on a tokenizer.json let common tokenizers pass and refuse costly ones.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { trainTokenizer } from './bpe-train.ts';
import { loadCodec } from './codec.ts';

const { tokenizer, config } = trainTokenizer(['def f(x): return x\n'.repeat(9)], 262);
const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
const replace = (content: string) => ({ type: 'Replace', pattern: { String: 'a' }, content });
const split = (pattern: string) => ({
  ...tokenizer,
  pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
});
const replaced = (of: string, pattern: string) => ({
  ...tokenizer,
  [of]: { type: 'Replace', pattern: { Regex: pattern }, content: '' },
});
const sequence = (of: string, type: string, steps: unknown[]) => ({
  ...tokenizer,
  [of]: { type: 'Sequence', [type]: steps },
});

describe('a tokenizer', () => {
  it('with the parts of common tokenizers is read', async () => {
    expect((await loadCodec(tokenizer, config)).encode('f')).toHaveLength(1);
    const llama = [
      { type: 'Prepend', prepend: '▁' },
      { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    ];
    expect((await loadCodec(sequence('normalizer', 'normalizers', llama), config)).encode('f').length).toBeGreaterThan(
      0,
    );
  });

  it.each([
    [
      '24 byte-level steps',
      sequence('pre_tokenizer', 'pretokenizers', Array(24).fill(byteLevel)),
      /4096 times as long/,
    ],
    [
      'steps that lengthen the text',
      sequence('normalizer', 'normalizers', Array(9).fill(replace('aaaaa'))),
      /4096 times as long/,
    ],
    ['a thousand steps', sequence('decoder', 'decoders', Array(1000).fill({ type: 'Fuse' })), /more than 32 steps/],
    [
      'a pattern of exponential time',
      split('(a|a)*$'),
      /faster than the text, "\(a\|a\)\*\$": it has \$ after \(a\|a\)\*/,
    ],
    ['a pattern that matches in too many ways', split('(?:a?){30}a{30}$'), /more than 500 ways/],
    ['consecutive unbounded repeats', split('[\\s\\S]*[\\s\\S]*[\\s\\S]*[\\s\\S]*Q'), /has Q after/],
    [
      'a quadratic pattern in a normalizer',
      replaced('normalizer', '[ \\t]+\\n'),
      /its normalizer has a pattern .* has \\n after/,
    ],
    ['an exponential pattern in a decoder', replaced('decoder', '(x+x+)+y'), /its decoder has a pattern/],
  ])('with %s is refused, and the error says what to do', async (_, json, says) => {
    let error: unknown;
    try {
      await loadCodec(json, config);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toMatch(says);
  });
});
