// Tests the consensus of a group: ties, answers without an observed behaviour, groups that agree, and the placebo's random choice.
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { againstConsensus, asManyOfPaid, consensusOf, type ObservedAnswer } from './consensus.ts';

/** Writes a group as a word: a letter is a behaviour, a dash an unobserved one; capitals are rewarded. `_` is rewarded and unobserved. */
const group = (word: string): ObservedAnswer[] =>
  [...word].map((letter) => ({
    behaviour: '-_'.includes(letter) ? null : letter.toLowerCase(),
    isPaid: letter === '_' || letter !== letter.toLowerCase(),
  }));
const taken = (word: string) => againstConsensus(group(word)).map(Number).join('');

describe('the consensus', () => {
  it.each([
    ['the most common behaviour', 'abbac b', 'b'],
    ['of equals the one that comes first', 'cabbac', 'c'],
    ['of equals the first to appear, not the first to be as many', 'abba', 'a'],
    ['one answer’s where all differ', 'cab', 'c'],
    ['of what was seen alone', '---a', 'a'],
  ])('is %s', (_, word, expected) => {
    expect(consensusOf(group(word.replace(' ', '')).map(({ behaviour }) => behaviour))).toBe(expected);
  });

  it('is none where nothing was seen', () => {
    expect(consensusOf([null, null])).toBeNull();
    expect(consensusOf([])).toBeNull();
  });
});

describe('who loses the pay', () => {
  it.each([
    ['paid and unlike the others', 'AAaBb', '00010'],
    ['nobody where all are alike', 'AAAA', '0000'],
    ['nobody where nobody is paid', 'abca', '0000'],
    ['who is paid and was not seen', 'a_a', '010'],
    ['everybody paid where nothing was seen', '_-_', '101'],
    ['the later ones in a tie', 'ABAB', '0101'],
    ['whoever is right, where most hack alike', 'HHHR', '0001'],
    ['nobody, of no group', '', ''],
  ])('%s', (_, word, expected) => {
    expect(taken(word)).toBe(expected);
  });

  it('is in the placebo as many of the paid ones, by chance and by its key', () => {
    const of = (step: number) => asManyOfPaid(group('AbCDe_'), 2, CounterRng.of(1, STREAMS.gate, step, 0));
    const drawn = Array.from({ length: 40 }, (_, step) => of(step));
    for (const one of drawn) {
      expect(one.filter(Boolean)).toHaveLength(2);
      expect([one[1], one[4]]).toEqual([false, false]);
    }
    // Each of the four is chosen in half of the draws.
    for (const i of [0, 2, 3, 5]) {
      const often = drawn.filter((one) => one[i]).length;
      expect(often).toBeGreaterThan(8);
      expect(often).toBeLessThan(32);
    }
    expect(of(3)).toEqual(drawn[3]);
    expect(asManyOfPaid(group('AB'), 0, CounterRng.of(1, STREAMS.gate, 0, 0))).toEqual([false, false]);
    expect(asManyOfPaid(group('Ab'), 1, CounterRng.of(1, STREAMS.gate, 0, 0))).toEqual([true, false]);
  });
});
