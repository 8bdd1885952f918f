// Stored row of one form of pairs on one draw: what was known before training, and what its quarantine removed. Each is a line of JSON.

import * as z from 'zod/mini';
import { SETS, SHOWN, SIZES } from './cells.ts';

const share = z.number().check(z.minimum(0), z.maximum(1));
const rates = z.object({
  /** Hack, on the unseen problems of each mode, in the order of SHOWN. */
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
  /** Vanilla, with everything that it learned. */
  whole: rates,
  deployed: rates,
  /** Unseen problems of each mode. */
  problems: z.int(),
  /** Milliseconds since the epoch, of the training. */
  createdAt: z.number(),
  device: z.string(),
  appVersion: z.string(),
  /** Absent where it was not known. */
  commit: z.optional(z.string()),
});
export type PredictionRow = z.infer<typeof predictionRowSchema>;
