// Tests whether a rule is older than its rows: before, after, partly, and unknown.
import { expect, it } from 'vitest';
import type { Rule } from '../../src/experiments/judge/rule.ts';
import { ageOf, datesOf, factsOf, fingerprintOf, type RowDates } from './age.ts';

const at = (text: string) => Date.parse(text);
const RULE = { rule: 'abc', commit: '9f0c61e9', at: '2026-11-23T12:00:00Z' };
const of = (...files: RowDates[]) => ageOf(RULE, 'abc', files);
const dated = (...days: string[]): RowDates => ({ dates: days.map(at), undated: 0 });

it('is reported if registered before its first row', () => {
  expect(of(dated('2026-11-23T12:00:00Z', '2026-11-24'))).toEqual({
    status: 'before',
    said: 'Registered before its first row (commit 9f0c61e9, 23 Nov 2026).',
  });
});

it('is reported if younger than its rows, or some of them, with the time if the day is the same', () => {
  expect(of(dated('2026-11-02', '2026-11-22'))).toEqual({
    status: 'younger',
    said: 'Rule of 23 Nov 2026 (commit 9f0c61e9), younger than its rows (from 2 Nov 2026).',
  });
  expect(of(dated('2026-11-23T11:59:00Z'), dated('2026-11-24', '2026-11-25'))).toEqual({
    status: 'partly younger',
    said: 'Rule of 23 Nov 2026 (commit 9f0c61e9), younger than 1 of its 3 rows (from 23 Nov 2026, 11:59 UTC).',
  });
});

it('is unknown for rows without a date, unless they were published earlier', () => {
  const undated = (publishedBy?: string): RowDates => ({
    dates: [],
    undated: 1200,
    ...(publishedBy && { publishedBy: at(publishedBy) }),
  });
  expect(of(undated())).toEqual({
    status: 'undated',
    said: 'Rule of 23 Nov 2026 (commit 9f0c61e9); its rows carry no date.',
  });
  expect(of(undated('2026-11-24'), dated('2026-11-25'))?.said).toContain('; 1,200 of its 1,201 rows carry no date.');
  expect(of(undated('2026-11-22'))).toEqual({
    status: 'younger',
    said: 'Rule of 23 Nov 2026 (commit 9f0c61e9), younger than its rows (published by 22 Nov 2026).',
  });
  expect(of(undated('2026-11-22'), undated(), dated('2026-11-25'))).toEqual({
    status: 'partly younger',
    said: 'Rule of 23 Nov 2026 (commit 9f0c61e9), younger than 1,200 of its 2,401 rows (published by 22 Nov 2026); 1,200 carry no date.',
  });
});

it('is unknown for a rule missing from the history, a changed rule, and a rule without rows', () => {
  expect(ageOf({ rule: 'abc', commit: null }, 'abc', [dated('2026-11-24')])?.status).toBe('unknown');
  expect(ageOf(undefined, 'abc', [dated('2026-11-24')])?.status).toBe('unknown');
  expect(ageOf(RULE, 'abd', [dated('2026-11-24')])).toEqual({
    status: 'unknown',
    said: 'The rule has changed since it was registered (commit 9f0c61e9).',
  });
  expect(of()).toBeNull();
});

it('reads dates from rows that have them', () => {
  expect(datesOf([{ createdAt: 3 }, { by: { createdAt: 4 } }, { by: {} }, {}])).toEqual({ dates: [3, 4], undated: 2 });
});

it('has another fingerprint for another bound, and the same for other words', () => {
  const rule = (bound: number, because: string): Rule => ({
    cases: [{ status: 'holds', because, when: { above: 'a', bound } }, { status: 'fails' }],
    before: because,
  });
  const [first, worded, other] = [rule(0.1, 'x'), rule(0.1, 'y'), rule(0.2, 'x')].map((one) =>
    fingerprintOf(factsOf(one)),
  );
  expect(worded).toBe(first);
  expect(other).not.toBe(first);
});
