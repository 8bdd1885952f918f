// Tests pairs as a file: a round trip, and that errors name index and field.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { contrastivePairs } from '../pairs.ts';
import { PAIR_LIMITS, pairsFromJson, pairsToJson } from './json.ts';

const one = { prompt: 'p', hack: 'h', clean: 'c' };
const file = (value: unknown): string => JSON.stringify(value);

function refusal(text: string): FormatError {
  try {
    pairsFromJson(text);
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return error as FormatError;
  }
  throw new Error('it was accepted');
}

describe('pairs as JSON', () => {
  it('survive a round trip', () => {
    const pairs = [...contrastivePairs(), ...contrastivePairs({ kind: 'clean_vs_clean', count: 3 })];
    expect(pairsFromJson(pairsToJson(pairs))).toEqual(pairs);
    const odd = { ...pairs[0], prompt: '漢字 \u2028 "\\"', mechanism: null };
    expect(pairsFromJson(pairsToJson([odd, pairs[1]]))).toEqual([odd, pairs[1]]);
  });

  it('need only a prompt and two sides', () => {
    expect(pairsFromJson(file([one, { ...one, mechanism: 'sentinel', problem_id: 'x' }]))).toEqual([
      { ...one, problem_id: 'pair-0', mechanism: null },
      { ...one, problem_id: 'x', mechanism: 'sentinel' },
    ]);
  });

  it.each([
    ['[{]', /not JSON/],
    [file({ pairs: [one, one] }), /object, not an array/],
    ['null', /null, not an array/],
    [file([one]), /1 pair$/],
    [file(new Array(PAIR_LIMITS.maxPairs + 1).fill(one)), /4097 pairs$/],
    [file([one, 'text']), /pair 1 is not an object: "text"/],
    [file([one, null]), /pair 1 is not an object: null/],
    [file([one, one, { prompt: 'p', hack: 'h' }]), /pair 2: clean is missing/],
    [file([one, { ...one, hack: 7 }]), /pair 1: hack = 7/],
    [file([{ ...one, prompt: '' }, one]), /pair 0: prompt = ""/],
    [file([{ ...one, hack: 'x'.repeat(PAIR_LIMITS.maxText + 1) }, one]), /pair 0: hack = "xxx/],
    [file([one, { ...one, mechanism: 'stdout' }]), /pair 1: mechanism = "stdout"/],
    [file([one, { ...one, hacc: 'h' }]), /pair 1: unknown field hacc/],
    [file([one, { ...one, hack: 'c' }]), /pair 1: hack and clean are the same/],
  ])('%.60s is refused, with a remedy', (text, message) => {
    const error = refusal(text);
    expect(error.message).toMatch(message);
    expect(error.message.length).toBeLessThan(200);
    expect(error.remedy.length).toBeGreaterThan(10);
  });

  it('of a file that is too long are not parsed', () => {
    expect(refusal(' '.repeat(PAIR_LIMITS.maxFile + 1)).message).toMatch(/characters/);
  });
});
