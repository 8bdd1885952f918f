// public/results/sheets.json.gz: every question's sheet, the H1 card and what to ask first, made from the published rows by
// `npm run lab -- study --report`, so that a visitor's page computes nothing to show them. It names the row files that it was made
// from; beside other rows it is stale, and the page computes from the rows themselves. A test makes it anew and compares.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { listOf, mapOf } from '@projected-grpo-lab/base/lists.ts';
import { gzipSync } from 'fflate';
import * as z from 'zod/mini';
import { inflateUpTo, roomFor } from '../../../lib/inflate.ts';
import type { H1Card } from '../../analysis/h1.ts';
import type { QuestionResult } from './figures.ts';
import type { ResultsIndex } from './pack.ts';
import { planStudy } from './plan.ts';
import { QUESTIONS } from './questions/index.ts';
import { h1Of } from './report.ts';
import { type Sheet, type SheetLine, sheetOf } from './sheet.ts';

export interface Sheets {
  /** Where the runs come from, line by line (`provenance`), how many there are, and what training them took. */
  about: string[];
  runs: number;
  seconds: number;
  first: string[];
  h1: H1Card | null;
  sheets: Sheet[];
  /** Question → the row files that hold runs of its plan. */
  files: Record<string, string[]>;
}

const FORMAT = 'projected-grpo-lab sheets 1';
const MOST_BYTES = 32 * 2 ** 20;

/** `fileOf`: the row file that a run, by its key, lies in. */
export function sheetsOf(
  results: readonly QuestionResult[],
  { about, runs, seconds, first }: Pick<Sheets, 'about' | 'runs' | 'seconds' | 'first'>,
  fileOf: (key: string) => string | undefined,
): Sheets {
  const files = results.map(({ question }): [string, string[]] => {
    const names = planStudy({ questions: [question.id] }).jobs.flatMap(({ run }) => fileOf(run.key) ?? []);
    return [question.id, [...new Set(names)].sort()];
  });
  const [h1, sheets] = [h1Of(results), results.map(sheetOf)];
  return { about, runs, seconds, first, h1, sheets, files: Object.fromEntries(files) };
}

/** Which row files, by their digests. */
const rowsOf = ({ files }: ResultsIndex): string[] => files.map(({ sha256 }) => sha256);

/** The text in the file; the same sheets, the same text. */
export function sheetsText({ sheets, ...rest }: Sheets, index: ResultsIndex): string {
  // A question and its cells are the code's own; the file has their names.
  const lean = sheets.map(({ question, lines, ...sheet }) => ({
    question: question.id,
    ...sheet,
    lines: lines.map(({ cell, ...line }) => ({ cell: cell.id, ...line })),
  }));
  return JSON.stringify({ format: FORMAT, rows: rowsOf(index), ...rest, sheets: lean });
}

export const packSheets = (text: string): Uint8Array =>
  gzipSync(new TextEncoder().encode(text), { level: 9, mtime: 0 });

/** As a file, or as a server has unzipped it on the way. */
export function unpackSheets(bytes: Uint8Array): string {
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  try {
    const plain = isZipped ? inflateUpTo(bytes, roomFor(bytes.length, MOST_BYTES, MOST_BYTES), 'gzip') : bytes;
    return new TextDecoder().decode(plain);
  } catch (cause) {
    throw new FormatError('The published sheets are damaged.', 'Load the page again.', { cause });
  }
}

/** Null where it was made from other rows, or for other questions than this code asks. Throws FormatError for damage. */
export function readSheets(text: string, index: ResultsIndex): Sheets | null {
  let read: z.infer<typeof schema>;
  try {
    read = schema.parse(parseJsonText(text));
  } catch (cause) {
    throw new FormatError('The published sheets are damaged.', 'Load the page again.', { cause });
  }
  const rows = rowsOf(index);
  if (read.rows.length !== rows.length || read.rows.some((digest, i) => digest !== rows[i])) return null;
  const sheets: Sheet[] = [];
  for (const question of QUESTIONS) {
    const own = read.sheets.find((sheet) => sheet.question === question.id);
    if (!own) return null;
    const cells = new Map(question.cells.map((cell) => [cell.id, cell]));
    const lines: SheetLine[] = [];
    for (const line of own.lines) {
      const cell = cells.get(line.cell);
      if (!cell) return null;
      lines.push({ ...line, cell } as SheetLine);
    }
    if (lines.length !== cells.size) return null;
    sheets.push({ ...own, question, lines } as Sheet);
  }
  const { about, runs, seconds, first, h1, files } = read;
  return { about, runs, seconds, first, h1: h1 as unknown as H1Card | null, sheets, files };
}

const number = z.number();
const orNull = <T extends z.core.SomeType>(of: T) => z.nullable(of);
const mean = orNull(z.object({ mean: number, sd: orNull(number) }));
const strings = listOf(z.string(), 10_000);
const verdict = z.object({
  answer: orNull(z.object({ outcome: z.enum(['holds', 'holds in part', 'falsified', 'open']), sentence: z.string() })),
  sentences: strings,
  standing: z.enum(['replicates', 'does not replicate', 'undecided', 'not run', 'new here']),
  n: z.optional(number),
});
const delta = orNull(
  z.object({
    n: number,
    mean: number,
    interval: orNull(z.object({ low: number, high: number })),
    p: number,
    least: number,
    adjusted: orNull(z.object({ p: number, smallest: number, tP: number })),
    smallestEffect: orNull(number),
  }),
);
const line = z.object({
  cell: z.string(),
  n: number,
  hack: mean,
  solve: mean,
  structural: mean,
  last5: mean,
  byMode: z.record(z.string(), number),
  isConfounded: z.boolean(),
  deltaHack: delta,
  deltaSolve: delta,
  seeds: listOf(z.object({ seed: number, x: number, y: number }), 10_000),
  frontier: orNull(z.object({ kept: number, removed: number, n: number })),
});
const schema = z.object({
  format: z.literal(FORMAT),
  rows: strings,
  about: strings,
  runs: number,
  seconds: number,
  first: strings,
  files: mapOf(strings),
  h1: orNull(
    z.looseObject({
      status: z.enum(['supported', 'falsified', 'undecided', 'not run']),
      n: number,
      vanillaHack: mean,
      interventionHack: mean,
      hack: orNull(z.looseObject({ delta: z.object({ mean: number, sd: orNull(number) }) })),
      solve: orNull(z.looseObject({ delta: z.object({ mean: number, sd: orNull(number) }) })),
      sentences: strings,
      notes: strings,
    }),
  ),
  sheets: listOf(
    z.object({
      question: z.string(),
      verdict,
      addition: orNull(verdict),
      done: number,
      planned: number,
      notes: strings,
      modes: strings,
      lines: listOf(line, 10_000),
    }),
    1000,
  ),
});
