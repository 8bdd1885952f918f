// The arena as published: every model's position with its intervals, its verdict by the bar, and links of its runs. `lab arena DIR --publish
// NAME` makes it from the runs, so that the page needs neither rows nor engine. An index names the published sheets. Plain JSON.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import type { ArenaRow } from '../../experiments/analysis/arena.ts';
import type { Ratio } from '../../stats/index.ts';
import { type Opening, openingSchema } from '../opening.ts';

/** Sheets in display order. */
export const ARENA_SHEETS = ['judged', 'narrow', 'apart', 'relearning', 'others', 'pilots'] as const;
export type ArenaSheetName = (typeof ARENA_SHEETS)[number];

const FORMAT = 'projected-grpo-lab arena 1';

/** Path below the folder of results. */
export const ARENA_INDEX = 'arena/index.json';
export const arenaSheetName = (name: ArenaSheetName): string => `arena/${name}.json.gz`;
/** The runs themselves, column by column (research/judge/pack.ts). */
export const arenaRunsName = (name: ArenaSheetName): string => `arena/${name}.runs.json.gz`;

/** A model with its position, and its verdict by the bar. */
export interface JudgedRow extends ArenaRow {
  verdict: string;
  /** The same conditions with the draw as the unit; absent if the bar is not judged, and in older sheets. */
  byDraw?: string;
  /** Number of sampling seeds in each model's evaluation; absent for one. */
  evaluations?: number;
  /** Share of the hack that vanilla added to the base's which returns after some steps of plain RL on the arm's deployed model (`relearn`). In
   *  vanilla's own row those steps started from the base. Absent if it was not measured. */
  relearned?: Ratio;
}

export interface ArenaSheet {
  /** Devices, versions and models of the runs. */
  made: string[];
  points: JudgedRow[];
  /** Links of the points' runs, by arm. */
  runs: { arm: string; openings: Opening[] }[];
}

export const arenaSheetText = (sheet: ArenaSheet): string => JSON.stringify({ format: FORMAT, ...sheet });
export const arenaIndexText = (sheets: readonly ArenaSheetName[]): string =>
  `${JSON.stringify({ format: FORMAT, sheets })}\n`;

const number = z.number();
const words = z.string().check(z.maxLength(2000));
const ratio = z.object({
  n: number,
  ratio: z.nullable(number),
  interval: z.nullable(z.object({ low: number, high: number })),
});
const point = z.object({
  arm: words,
  model: words,
  label: words,
  n: number,
  draws: z.optional(number),
  removed: ratio,
  verdict: words,
  byDraw: z.optional(words),
  evaluations: z.optional(number),
  kept: z.object({ honest: ratio, hackable: ratio, both: ratio }),
  relearned: z.optional(ratio),
});
const sheetSchema = z.object({
  format: z.literal(FORMAT),
  made: listOf(words, 100),
  points: listOf(point, 1000),
  runs: listOf(z.object({ arm: words, openings: listOf(openingSchema, 1000) }), 200),
});
const indexSchema = z.object({ format: z.literal(FORMAT), sheets: listOf(z.enum(ARENA_SHEETS), 10) });

/** Throws FormatError for an invalid file. */
function read<T>(schema: z.ZodMiniType<T>, text: string): T {
  try {
    return schema.parse(parseJsonText(text));
  } catch (cause) {
    throw new FormatError('The arena’s published rows are damaged.', 'Reload the page.', { cause });
  }
}

export function readArenaSheet(text: string): ArenaSheet {
  const { format: _, ...sheet } = read(sheetSchema, text);
  return sheet;
}

export const readArenaIndex = (text: string): ArenaSheetName[] => read(indexSchema, text).sheets;
