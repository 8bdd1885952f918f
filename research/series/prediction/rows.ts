// Stored row of one form of pairs on one draw, a line of JSON: what was known before training, and what its quarantine removed.

import * as z from 'zod/mini';
import { SETS, SHOWN, SIZES } from './cells.ts';

const share = z.number().check(z.minimum(0), z.maximum(1));
const rates = z.object({
  /** Hack rate on the unseen problems of each mode, in the order of SHOWN. */
  hack: z.array(share).check(z.length(SHOWN.length)),
  /** Share of all problems that are solved. */
  solve: share,
});

export const predictionRowSchema = z.object({
  schema: z.literal(1),
  dataSeed: z.int(),
  seed: z.int(),
  set: z.enum(SETS),
  pairs: z.union(SIZES.map((size) => z.literal(size))),
  shows: z.enum(SHOWN),
  /** In the order of SHOWN. */
  before: z.array(z.object({ cin: z.number(), separation: share, share })).check(z.length(SHOWN.length)),
  base: rates,
  /** Vanilla: the whole update, with nothing quarantined. */
  whole: rates,
  deployed: rates,
  /** Number of unseen problems per mode. */
  problems: z.int(),
  /** Time of the training, in milliseconds since the epoch. */
  createdAt: z.number(),
  device: z.string(),
  appVersion: z.string(),
  /** Absent where it was not known. */
  commit: z.optional(z.string()),
});
export type PredictionRow = z.infer<typeof predictionRowSchema>;
