// A published series (public/results/<series>/sheet.json.gz): texts, verdicts, estimates, tables, pictures and links of every question. `npm run
// research -- publish` makes it from the rows, so that the page needs neither rows nor engine to show them. Plain JSON.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { STATUSES } from '../experiments/judge/estimate.ts';
import { AGES, type Age } from './age.ts';
import { type Opening, openingSchema } from './opening.ts';
import { type PublishedJudgement, type QuestionText, REPLICATIONS } from './question.ts';
import type { SeriesId } from './series.ts';

const FORMAT = 'projected-grpo-lab findings 1';

export const sheetName = (series: SeriesId): string => `${series}/sheet.json.gz`;

/** A question as shown on the page. */
export type ShownQuestion = QuestionText &
  PublishedJudgement & {
    /** Conditions under which each verdict is given. */
    rule: string;
    /** The verdict in one sentence, without numbers. */
    said: string;
    /** Devices, versions and models that made the runs; empty if rows do not name them. */
    made: string[];
    runs: Opening[];
    /** Age of its rule relative to its rows; absent in older sheets, and without rows. */
    age?: Age;
  };

export interface SeriesSheet {
  questions: ShownQuestion[];
  /** Facts that a reader must know before any verdict, if there are any. */
  first?: string[];
  /** Present in a series whose rows are runs to which a browser may add. */
  origin?: Origin;
}

/** Origin of the runs, one line each; their number, the seconds of training, and the digests of the row files from which the sheet was made. */
export interface Origin {
  about: string[];
  runs: number;
  seconds: number;
  rows: string[];
}

export const sheetText = (sheet: SeriesSheet): string => JSON.stringify({ format: FORMAT, ...sheet });

/** Throws FormatError for an invalid sheet. */
export function readSheet(text: string): SeriesSheet {
  try {
    const { format: _, ...sheet } = schema.parse(parseJsonText(text));
    // Drawing tolerates unknown styles, and links are checked above.
    return sheet as unknown as SeriesSheet;
  } catch (cause) {
    throw new FormatError('The published findings are damaged.', 'Reload the page.', { cause });
  }
}

const number = z.number();
const words = z.string();
const orNull = <T extends z.core.SomeType>(of: T) => z.nullable(of);
const many = <T>(of: z.ZodMiniType<T>) => listOf(of, 1000);
const interval = orNull(z.object({ low: number, high: number }));
const figure = { name: words, n: number, mean: orNull(number), interval };
const values = many(orNull(number));
const axis = z.object({ label: words, verb: words, low: z.optional(number), high: z.optional(number) });
const panel = z.object({
  id: words,
  title: words,
  about: words,
  x: axis,
  y: axis,
  line: many(number),
  marks: many(z.object({ row: number, n: number, x: number, y: number, each: many(z.tuple([number, number])) })),
  asked: z.optional(z.object({ x: number, y: number, label: words })),
});
const look = z.object({
  arm: words,
  model: words,
  shadow: z.optional(z.looseObject({})),
  overrides: z.optional(z.looseObject({})),
});
const chart = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('lines'),
    title: words,
    x: words,
    y: words,
    at: many(words),
    band: words,
    lines: many(
      z.object({ label: words, arm: words, n: number, mean: values, low: orNull(values), high: orNull(values) }),
    ),
  }),
  z.object({
    kind: z.literal('dots'),
    title: words,
    x: words,
    bounds: many(z.object({ at: number, label: words })),
    rows: many(z.object({ ...figure, arm: words, values: many(number) })),
  }),
  z.object({ kind: z.literal('marks'), panels: many(panel), isShared: z.boolean() }),
]);
const question = z.object({
  id: z.string().check(z.regex(/^[A-Z]\d{1,3}[a-z]?(-[a-z0-9-]{1,20})?$/)),
  title: words,
  hypothesis: words,
  falsified: words,
  rule: words,
  unit: words,
  caveat: words,
  section: words,
  files: many(words),
  commands: many(words),
  runsNote: z.optional(words),
  standing: z.enum(STATUSES),
  word: words,
  said: words,
  verdict: words,
  beside: many(words),
  n: number,
  limits: z.optional(many(words)),
  figures: many(z.object({ ...figure, word: orNull(words), each: many(z.object({ of: words, value: number })) })),
  tables: many(
    z.object({
      title: words,
      head: many(words),
      about: z.optional(many(words)),
      rows: many(many(words)),
      marks: z.optional(many(z.object({ look, part: words, tags: many(words) }))),
    }),
  ),
  remarks: z.optional(many(words)),
  progress: z.optional(words),
  age: z.optional(z.object({ status: z.enum(AGES), said: words })),
  reference: z.optional(z.object({ result: orNull(words), finding: words, standing: z.enum(REPLICATIONS) })),
  chart: orNull(chart),
  made: many(words),
  runs: many(openingSchema),
});
const schema = z.object({
  format: z.literal(FORMAT),
  questions: many(question),
  first: z.optional(many(words)),
  origin: z.optional(z.object({ about: many(words), runs: number, seconds: number, rows: many(words) })),
});
