// Tests the step at which the page offers a fork: before hacking rises, so that a changed setting can still affect the rise.
import { expect, it } from 'vitest';
import type { RunRecord } from '../records/events.ts';
import { onsetOf, stepBeforeRise } from './early-warning.ts';

const runOf = (hack: readonly number[], fork = 0) =>
  ({
    spec: fork > 0 ? { fork: { step: fork } } : {},
    rows: hack.map((value, i) => ({ step: i + 1, student: { figures: { hack: value } } })),
  }) as unknown as RunRecord;

it('is the step before the five whose mean has risen, and null if it never rises', () => {
  const run = runOf([0, 0, 0, 0, 0, 0.1, 0.2, 0.3, 0.2, 0.3]);
  expect(onsetOf(run)).toBe(10);
  expect(stepBeforeRise(run)).toBe(5);
  expect(stepBeforeRise(runOf(Array(20).fill(0.2)))).toBeNull();
});

it('is among a fork’s own steps', () => {
  const late = [...Array(12).fill(0), 0.5, 0.5, 0.5];
  expect(onsetOf(runOf(late))).toBe(13);
  expect(stepBeforeRise(runOf(late, 10))).toBe(11);
  expect(stepBeforeRise(runOf(late, 13))).toBeNull();
});
