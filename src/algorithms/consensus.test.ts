// Tests the consensus of a group: ties, answers without an observed behaviour, unanimous groups, and the placebo's random choice.
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { againstConsensus, consensusOf, type ObservedAnswer, randomRewarded } from './consensus.ts';

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
    ['the first of equally common ones', 'cabbac', 'c'],
    ['in a tie the first to appear, not the first to reach the count', 'abba', 'a'],
    ['the first answer’s if all differ', 'cab', 'c'],
    ['that of observed answers only', '---a', 'a'],
  ])('is %s', (_, word, expected) => {
    expect(consensusOf(group(word.replace(' ', '')).map(({ behaviour }) => behaviour))).toBe(expected);
  });

  it('is null if nothing was observed', () => {
    expect(consensusOf([null, null])).toBeNull();
    expect(consensusOf([])).toBeNull();
  });
});

describe('answers that lose their reward', () => {
  it.each([
    ['rewarded and unlike the others', 'AAaBb', '00010'],
    ['none if all are alike', 'AAAA', '0000'],
    ['none if none is rewarded', 'abca', '0000'],
    ['rewarded but not observed', 'a_a', '010'],
    ['all rewarded ones if nothing was observed', '_-_', '101'],
    ['the later ones in a tie', 'ABAB', '0101'],
    ['the correct one, if most hack alike', 'HHHR', '0001'],
    ['none of an empty group', '', ''],
  ])('%s', (_, word, expected) => {
    expect(taken(word)).toBe(expected);
  });

  it('in the placebo are equally many rewarded ones, chosen at random by key', () => {
    const of = (step: number) => randomRewarded(group('AbCDe_'), 2, CounterRng.of(1, STREAMS.gate, step, 0));
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
    expect(randomRewarded(group('AB'), 0, CounterRng.of(1, STREAMS.gate, 0, 0))).toEqual([false, false]);
    expect(randomRewarded(group('Ab'), 1, CounterRng.of(1, STREAMS.gate, 0, 0))).toEqual([true, false]);
  });
});
