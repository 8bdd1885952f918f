// The front of the findings as published (public/results/findings.json): ten sentences, one row per question with its bases in columns, and
// the flaws that no labelled pair covers. `npm run research -- publish` makes it from the sheets and the rows, so that the page reads neither
// before an entry is opened. Plain JSON.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { STATUSES } from '../experiments/judge/estimate.ts';
import { AGES, type AgeStatus } from './age.ts';
import { OPEN_KINDS } from './open-kind.ts';
import { SERIES_IDS } from './series.ts';

const FORMAT = 'projected-grpo-lab front 1';

/** Path below `public/`. */
export const FRONT_PATH = 'results/findings.json';

const number = z.number();
const words = z.string().check(z.maxLength(2000));
const interval = z.nullable(z.object({ low: number, high: number }));
const id = z.string().check(z.regex(/^[A-Z]\d{1,3}[a-z]?(-[a-z0-9-]{1,20})?$/));
/** An entry with its verdict, and whether its rule is older than its rows; null if it has no rows. */
const verdict = z.object({
  id,
  standing: z.enum(STATUSES),
  word: words,
  open: z.nullable(z.enum(OPEN_KINDS)),
  n: number,
  unit: words,
  age: z.nullable(z.enum(AGES)),
});
const bar = z.object({ name: words, mean: number, interval, each: z.optional(listOf(number, 100)) });
const sentence = z.object({
  text: words,
  /** Negative results are bold. */
  isNegative: z.boolean(),
  /** Bases × training seeds × evaluation draws. */
  counted: words,
  series: z.enum(SERIES_IDS),
  by: listOf(verdict, 20),
  picture: z.object({ title: words, bars: listOf(bar, 20) }),
});
const asked = z.object({
  series: z.enum(SERIES_IDS),
  id,
  title: words,
  /** Verdicts by column. */
  cells: listOf(listOf(verdict, 20), 10),
});
const elsewhere = z.object({
  title: words,
  said: listOf(words, 20),
  head: listOf(words, 20),
  rows: listOf(listOf(words, 20), 50),
  notes: listOf(words, 20),
  by: listOf(verdict, 20),
});
const schema = z.object({
  format: z.literal(FORMAT),
  sentences: listOf(sentence, 20),
  columns: listOf(words, 10),
  questions: listOf(asked, 500),
  elsewhere,
});

export type EntryVerdict = z.infer<typeof verdict>;
export type Bar = z.infer<typeof bar>;
export type FrontSentence = z.infer<typeof sentence>;
export type FrontQuestion = z.infer<typeof asked>;
/** The page on whether a basis of one hack prevents another. */
export type Elsewhere = z.infer<typeof elsewhere>;
export type Front = Omit<z.infer<typeof schema>, 'format'>;

export const frontText = (front: Front): string => `${JSON.stringify({ format: FORMAT, ...front })}\n`;

/** Throws FormatError for an invalid file. */
export function readFront(text: string): Front {
  try {
    const { format: _, ...front } = schema.parse(parseJsonText(text));
    return front;
  } catch (cause) {
    throw new FormatError('The front of the findings is damaged.', 'Reload the page.', { cause });
  }
}

/** Note on a rule's age beside a verdict. */
export const AGE_WORDS: Readonly<Record<AgeStatus, string>> = {
  before: 'rule older than every row',
  'partly younger': 'partly post hoc',
  younger: 'post hoc',
  undated: 'rows undated',
  unknown: 'date of the rule unknown',
};
