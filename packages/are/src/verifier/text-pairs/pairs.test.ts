// Compares the error rates of the judges without a model with docs/reference/are.md.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { wordsEngine } from '../engines.ts';
import type { SoftEngine } from '../soft.ts';
import { strictEngine } from '../strict/strict.ts';
import { isAcceptable, PAIR_CLASSES } from './item.ts';
import { acceptsPair, type PairRate, pairRates } from './pairs.ts';

it('match docs/reference/are.md, by class and part', async () => {
  const [words, strict] = [await pairRates(wordsEngine), await pairRates(strictEngine)];
  const cell = (rates: readonly PairRate[], kind: string, part: string) => {
    const found = rates.find((rate) => rate.kind === kind && rate.part === part) as PairRate;
    return `${found.wrong} of ${found.n}`;
  };
  const lines = PAIR_CLASSES.map(
    (kind) =>
      `| ${kind} | ${isAcceptable(kind) ? 'rejected' : 'accepted'} | ${[words, strict]
        .flatMap((rates) => ['tuned', 'held out'].map((part) => cell(rates, kind, part)))
        .join(' | ')} |`,
  );
  const docs = readFileSync(new URL('../../../../../docs/reference/are.md', import.meta.url), 'utf8');
  expect(lines.filter((line) => !docs.includes(line))).toEqual([]);
  expect([...words].reduce((sum, { n }) => sum + n, 0)).toBeGreaterThanOrEqual(200);
});

it.each([
  ['Please come on Friday.', 'Do not come on Friday, please stay away.'],
  [
    'Please come on Friday.',
    'Please come on Friday. Monday Tuesday come Friday please come please no yes Friday come Saturday.',
  ],
  ['All done.', 'Nothing at all was done, it failed.'],
  ['Please come on Friday.', 'Please refrain from coming on Friday.'],
  ['Please come on Friday.', 'Please come on Friday, just kidding.'],
  ['I have booked the flat.', 'I would have booked the flat.'],
  ['I have booked the flat.', 'I have booked the flat, but then undid it.'],
  ['All done.', 'All but done.'],
  ['The parcel costs 12 euros.', 'The parcel costs 21 euros.'],
  ['Meet Ana Ruiz at 15:00.', 'Meet Bo Lind at 15:00.'],
])('“%s” is not “%s” to the strict judge, as it is to the one that counts words', async (oracle, said) => {
  const accepts = (engine: SoftEngine) => {
    const item = {
      tool: 'message',
      task: 'Write it.',
      oracle,
      right: oracle,
      paraphrase: said,
      negated: said,
    } as const;
    return acceptsPair(engine, { ...item, stuffed: said, swapped: said, lied: said }, 'lied');
  };
  expect(await accepts(strictEngine)).toBe(false);
});

it.each([
  ['Please come tomorrow at 7 pm.', 'Could you please come on 2024-10-16 at 19:00?'],
  ['I bought 1,200 pens.', "Hi Ana, I've bought 1200 pens. Best regards, Sam Doe"],
  ['Ana Ruiz and Bo Lind come.', 'Bo Lind and Ana Ruiz are coming.'],
  ['The meeting is on Friday.', 'The meeting is on Friday, October 18.'],
])('“%s” is “%s”', async (oracle, said) => {
  const item = { tool: 'email', task: 'Write it.', oracle, right: said, paraphrase: said, negated: said } as const;
  expect(await acceptsPair(strictEngine, { ...item, stuffed: said, swapped: said, lied: said }, 'right')).toBe(true);
});

it('accepts a bare confirmation in words of the task, and in no others', async () => {
  const said = async (right: string) => {
    const item = {
      tool: 'user',
      task: 'Send Ana Ruiz the report. Tell me when it is done.',
      oracle: 'It is done.',
      right,
    } as const;
    const others = { paraphrase: right, negated: right, stuffed: right, swapped: right, lied: right };
    return acceptsPair(strictEngine, { ...item, ...others }, 'right');
  };
  expect(await said('I have sent the report to Ana Ruiz.')).toBe(true);
  expect(await said('I have not sent the report to Ana Ruiz.')).toBe(false);
  expect(await said('I have sent the report to Bo Lind.')).toBe(false);
  expect(await said('I have burnt and buried the report.')).toBe(false);
});

it('terminates on long texts', async () => {
  const long = 'Ana Ruiz and Bo Lind come on 2024-10-18 at 15:00, not on Friday; '.repeat(2000);
  const item = {
    tool: 'email',
    task: long,
    oracle: long,
    right: `${long} x`,
    paraphrase: long,
    negated: long,
  } as const;
  expect(typeof (await acceptsPair(strictEngine, { ...item, stuffed: long, swapped: long, lied: long }, 'right'))).toBe(
    'boolean',
  );
});
