// Tests the page's view of a group's reference, and of finetuning on it, against values by hand.

import { expect, it } from 'vitest';
import { referenceDocument } from '../arithmetic/reward.ts';
import type { ReferredVerdict } from '../arithmetic/task.ts';
import type { Recorded } from '../rollout-presentation.ts';
import { agreementOf } from './shown.ts';

const verdict = (value: string | null, changes: Partial<ReferredVerdict> = {}): Recorded => ({
  answer: value,
  value,
  expected: '9',
  correct: value === '9',
  formatOk: value !== null,
  misconception: false,
  reference: '9',
  referenceText: '4+5=9\n\\boxed{9}',
  agrees: value === '9',
  referenceCorrect: true,
  majority: '7',
  majorityCorrect: false,
  allWrong: false,
  dead: false,
  referenceTokens: 10,
  ...changes,
});

it('counts votes, the most frequent first, and marks the reference and the majority', () => {
  const shown = agreementOf(['9', '7', null, '7'].map((value) => verdict(value)))!;
  expect(shown.reference).toEqual({ value: '9', text: '4+5=9\n\\boxed{9}', isRight: true });
  expect(shown.votes).toEqual([
    { value: '7', count: 2, isRight: false, isReference: false, isMajority: true },
    { value: '9', count: 1, isRight: true, isReference: true, isMajority: false },
    { value: null, count: 1, isRight: false, isReference: false, isMajority: false },
  ]);
  expect(shown.attempts.map(({ agrees }) => agrees)).toEqual([true, false, false, false]);
  // A record from before the text was stored, with a group that has no reference.
  const { referenceText: _, ...before } = verdict('7', { reference: null });
  expect(agreementOf([before])!.reference).toEqual({ value: null, text: null, isRight: true });
});

it('is null if the truth was the reward', () => {
  const { reference: _, ...judged } = verdict('9');
  expect(agreementOf([judged])).toBeNull();
  expect(agreementOf([])).toBeNull();
});

it('is a document whose problem is context, and null without a text', () => {
  const of = (changes: Partial<ReferredVerdict>) =>
    referenceDocument({ id: 'p', prompt: 'Q' }, verdict('7', changes) as unknown as ReferredVerdict);
  expect(of({})).toEqual({
    id: 'p',
    parts: [
      { text: 'Q', isTrained: false },
      { text: '4+5=9\n\\boxed{9}<|im_end|>', isTrained: true },
    ],
  });
  expect([of({ referenceText: null }), of({ reference: null })]).toEqual([null, null]);
});
