// Tests that verdicts and a rule's description follow from one rule: every kind of condition, met and missed, at its bound, and without
// an estimate.
import { describe, expect, it } from 'vitest';
import type { Estimate, Estimates } from './estimate.ts';
import {
  above,
  below,
  type Condition,
  conditionWords,
  either,
  isLeafMet,
  isMet,
  type Judgeable,
  judge,
  keyOf,
  keysOf,
  type Rule,
  ruleWords,
  truthOf,
  verdictText,
} from './rule.ts';

const made = (values: readonly number[], low: number | null, high: number | null, asked?: number): Estimate => ({
  name: 'x',
  word: null,
  n: values.length,
  asked,
  mean: values.length > 0 ? values.reduce((a, b) => a + b, 0) / values.length : null,
  interval: low === null || high === null ? null : { low, high },
  each: values.map((value, i) => ({ of: `seed ${i}`, value })),
});
type Key = 'a' | 'b';
const of = (a?: Estimate, b?: Estimate): Estimates<Key> => ({ ...(a && { a }), ...(b && { b }) });

describe('a condition', () => {
  const cases: readonly (readonly [Condition<Key>, Estimate, Estimate])[] = [
    [{ above: 'a' }, made([0.2], 0.01, 0.3), made([0.2], 0, 0.3)],
    [{ above: 'a', bound: 0.5 }, made([0.6], 0.51, 0.7), made([0.6], 0.5, 0.7)],
    [{ below: 'a' }, made([-0.2], -0.3, -0.01), made([-0.2], -0.3, 0)],
    [{ within: 'a', margin: 0.05 }, made([0], -0.05, 0.05), made([0], -0.05, 0.051)],
    [{ notBelow: 'a', margin: 0.05 }, made([0], -0.05, 9), made([0], -0.051, 9)],
    [{ mean: 'a', atLeast: 0.1 }, made([0, 0.2], null, null), made([0, 0.19], null, null)],
    [{ mean: 'a', moreThan: 0 }, made([0.1], null, null), made([0], null, null)],
    [{ every: 'a', atLeast: 0.1 }, made([0.1, 0.3], null, null), made([0.09, 0.3], null, null)],
    [{ every: 'a', moreThan: 0 }, made([0.1], null, null), made([0, 1], null, null)],
  ];
  it.each(cases)('%j', (condition, met, missed) => {
    expect([met, missed].map((one) => isMet(condition, of(one)))).toEqual([true, false]);
    // Without the estimate, its interval or its effect, no condition is met.
    expect(isMet(condition, of())).toBe(false);
    expect(isMet(condition, of(made([], null, null)))).toBe(false);
    expect(isMet({ not: condition }, of(missed))).toBe(true);
  });

  it('may require all, any or none of other conditions', () => {
    const [yes, no] = [made([1], 1, 1), made([-1], -1, -1)];
    const both: Condition<Key> = { all: [{ above: 'a' }, { above: 'b' }] };
    const either: Condition<Key> = { any: [{ above: 'a' }, { above: 'b' }] };
    expect([isMet(both, of(yes, yes)), isMet(both, of(yes, no))]).toEqual([true, false]);
    expect([isMet(either, of(no, yes)), isMet(either, of(no, no))]).toEqual([true, false]);
  });

  it('may require a number of others, and its words say so', () => {
    const [yes, no] = [made([1, 1], 1, 1), made([-1, 1], -1, 1)];
    const one: Condition<Key> = {
      least: 1,
      among: [
        { every: 'a', moreThan: 0 },
        { every: 'b', moreThan: 0 },
      ],
    };
    const two: Condition<Key> = { ...one, least: 2 };
    expect([isMet(one, of(no, yes)), isMet(one, of(no, no)), isMet(one, of())]).toEqual([true, false, false]);
    expect([isMet(two, of(yes, yes)), isMet(two, of(no, yes))]).toEqual([true, false]);
    const naming = { names: { a: 'one', b: 'other' }, unit: 'draw' };
    expect(conditionWords(two, naming)).toBe('2 or more of “one” and “other” are above 0 in every draw');
    expect(keysOf({ cases: [{ status: 'holds', when: one }, { status: 'fails' }] })).toEqual(['a', 'b']);
  });
});

describe('a condition that may be open', () => {
  const [less, none] = [
    { ...made([-0.2], -0.3, -0.1), effect: 'less' },
    { ...made([0], -0.1, 0.1), effect: null },
  ] as const;
  const is = (condition: Condition<Key>, a?: Judgeable, b?: Judgeable) =>
    truthOf(condition, (leaf) => isLeafMet(leaf, { a, b }[keyOf(leaf)]));
  const side = either<Key>(below('a'), above('a'));

  it('is met on one side, missed on the other, and open between them or without an estimate', () => {
    expect([made([-1], -2, -1), made([1], 1, 2), made([0], -1, 1), undefined].map((one) => is(side, one))).toEqual([
      true,
      false,
      null,
      null,
    ]);
    expect(isMet({ not: side }, { a: made([0], -1, 1) })).toBe(false);
  });

  it('leaves a compound open if its open part would decide it', () => {
    const [yes, no]: Condition<Key>[] = [{ all: [] }, { any: [] }];
    expect([is({ all: [yes, side] }), is({ all: [no, side] })]).toEqual([null, false]);
    expect([is({ any: [yes, side] }), is({ any: [no, side] })]).toEqual([true, null]);
    const two = (...among: Condition<Key>[]) => is({ least: 2, among });
    expect([two(yes, yes, side), two(yes, no, side), two(no, no, side)]).toEqual([true, null, false]);
    expect([is({ given: yes, is: no }), is({ given: side, is: yes }), is({ not: side })]).toEqual([false, null, null]);
  });

  it('requires a paired comparison’s effect in one direction', () => {
    expect([is({ falls: 'a' }, less), is({ rises: 'a' }, less), is({ falls: 'a' }, none)]).toEqual([
      true,
      false,
      false,
    ]);
    // An estimate without a paired comparison has no effect.
    expect(is({ falls: 'a' }, made([-0.2], -0.3, -0.1))).toBe(false);
  });

  it('is described in words', () => {
    const naming = { names: { a: 'one', b: 'other' }, unit: 'seed' };
    expect(conditionWords({ given: above<Key>('b'), is: { falls: 'a' } }, naming)).toBe(
      '“one” is an effect downwards (open unless the interval of “other” lies above 0)',
    );
    expect(conditionWords({ least: 1, among: [{ not: { rises: 'a' } }, { falls: 'b' }] }, naming)).toBe(
      '1 or more of these: it is not the case that “one” is an effect upwards; “other” is an effect downwards',
    );
    expect(keysOf({ cases: [{ status: 'holds', when: { given: above<Key>('b'), is: { falls: 'a' } } }] })).toEqual([
      'b',
      'a',
    ]);
  });
});

describe('a rule', () => {
  const rule: Rule<Key> = {
    needs: [{ of: ['a', 'b'], least: 2, what: 'seeds with both' }],
    cases: [
      { status: 'holds', when: { all: [{ above: 'a' }, { above: 'b' }, { every: 'a', atLeast: 0.1 }] } },
      { status: 'in part', because: 'the first alone', when: { above: 'a' } },
      { status: 'fails', when: { any: [{ below: 'a' }, { within: 'a', margin: 0.2 }] } },
      { status: 'open' },
    ],
  };
  const naming = { names: { a: 'one − other', b: 'one − control' }, unit: 'seed' };
  const yes = made([0.2, 0.3], 0.1, 0.4);
  const wide = made([0.2, 0.3], -0.4, 0.9);
  const said = (a?: Estimate, b?: Estimate) => verdictText(judge(rule, of(a, b)));

  it('gives the verdict of the first case that is met', () => {
    expect(said(yes, yes)).toBe('holds');
    expect(said(yes, wide)).toBe('in part: the first alone');
    expect(said(made([0, 0], -0.1, 0.1), yes)).toBe('fails');
    expect(said(wide, yes)).toBe('open');
  });

  it('is open with too few units, and says how many were measured', () => {
    expect(said(made([0.3], null, null, 8), yes)).toBe('open: 1 of 8 seeds with both; 2 are wanted');
    expect(said(undefined, yes)).toBe('open: 0 of 0 seeds with both; 2 are wanted');
  });

  it('is described in words, with neighbouring conditions joined', () => {
    expect(ruleWords(rule, naming)).toBe(
      'Open where there are fewer than 2 seeds with both. Holds: the intervals of “one − other” and “one − control” lie above 0, and “one − other” is .10 or more in every seed. In part (the first alone): the interval of “one − other” lies above 0. Fails: the interval of “one − other” lies below 0, or the interval of “one − other” lies within ± .20. Open: else.',
    );
    expect(conditionWords({ not: { notBelow: 'b', margin: 0.05 } }, naming)).toBe(
      'it is not the case that the interval of “one − control” begins at −.05 or above',
    );
    expect(keysOf(rule)).toEqual(['a', 'b']);
  });

  it('is refused if none of its cases is met', () => {
    expect(() => judge({ cases: [{ status: 'holds', when: { above: 'a' } }] }, of(wide))).toThrow(RangeError);
  });
});
