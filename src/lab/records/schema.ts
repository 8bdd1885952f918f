// Schemas of a run archive's files: an archive comes from an unknown source, and the page draws its content. They allow fields that a later
// version may have added: unknown fields are kept, known ones must fit.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { listOf, mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { METHOD_STATES } from '../../experiments/methods/index.ts';
import { type Checkpoint, MAX_SAMPLER_STATE } from '../../experiments/records/checkpoint.ts';
import type { ExperimentResult, RolloutRecord, RunRecord } from '../../experiments/records/events.ts';
import { fromResult, fromRollout, fromRows } from '../../experiments/records/layout-1.ts';
import { count, number, rollout, short, tableRow } from '../../experiments/records/rows-schema.ts';
import { date, evals, failure, rows, run, runSpec, runStatus, timings } from '../../experiments/records/run-schema.ts';
import type { StoredExperiment } from '../protocol/experiments.ts';

const experiment = z.looseObject({
  schema: z.literal(1),
  id: z.string().check(z.regex(/^[\w-]{1,64}$/)),
  spec: z.unknown(),
  status: runStatus,
  createdAt: date,
  updatedAt: date,
  device: short,
  appVersion: short,
  runIds: listOf(short, 4096),
  result: z.nullable(z.looseObject({ table: listOf(tableRow, 4096), verdicts: listOf(short, 999) })),
  error: failure,
  runsDone: count,
  stepsDone: count,
  stepsTotal: count,
  interrupted: z.optional(z.boolean()),
  approxBytes: z.optional(count),
  name: z.optional(z.string().check(z.maxLength(120))),
  tags: z.optional(listOf(z.string().check(z.minLength(1), z.maxLength(40)), 20)),
  note: z.optional(z.string().check(z.maxLength(4000))),
});

const rolloutStep = z.looseObject({ step: count, rollouts: listOf(rollout, 65_536) });

const checkpoint = z.looseObject({
  schema: z.literal(1),
  runId: short,
  spec: runSpec,
  context: short,
  step: count,
  rows,
  timings,
  evals,
  history: mapOf(listOf(number, 100_000)),
  returns: z.optional(mapOf(listOf(listOf(number, 4096), 100_000))),
  sampler: z.optional(z.string().check(z.maxLength(MAX_SAMPLER_STATE))),
  /** Steps of the two AdamW optimizers; their vectors are in a safetensors file beside it. */
  t: count,
  hackT: z.nullable(count),
  refreshed: z.optional(z.looseObject({ own: z.nullable(count), shadows: mapOf(count) })),
  ...Object.fromEntries(Object.entries(METHOD_STATES).map(([name, state]) => [name, z.optional(state)])),
});

/** The error for a damaged archive, for any of its files. */
export const damagedArchive = (label: string, what: string): FormatError =>
  new FormatError(`${label}: ${what}`, 'Export the run again from the lab that has it, and drop that file.');

/**
 * `ofNow` converts a record of an earlier layout first. The schema guarantees the record's type; records/archive.ts checks consistency
 * between files.
 */
function reader<T>(schema: z.ZodMiniType, ofNow: (kept: T) => T): (kept: unknown, label: string) => T {
  return (kept, label) => {
    const value = ofNow(kept as T);
    const parsed = schema.safeParse(value);
    // Zod's copy would reorder keys; the value itself keeps them, so that an export of the import has the same bytes.
    if (parsed.success) return value;
    const issue = parsed.error.issues[0];
    throw damagedArchive(label, `${issue.path.join('.').slice(0, 100) || 'the top'} is invalid (${issue.message}).`);
  };
}

/** The archived record: its result lacks the runs, which are separate files. */
export type ArchivedExperiment = Omit<StoredExperiment, 'result'> & {
  result: Pick<ExperimentResult, 'table' | 'verdicts'> | null;
};
export type ArchivedCheckpoint = Omit<Checkpoint, 'optimizer' | 'refreshed' | 'compared'> & {
  t: number;
  hackT: number | null;
  /** Steps after which bases were last extracted. */
  refreshed?: { own: number | null; shadows: Record<string, number> };
};

export const readExperiment = reader<ArchivedExperiment>(experiment, (kept) =>
  kept?.result ? { ...kept, result: fromResult(kept.result) } : kept,
);
export const readRun = reader<RunRecord>(run, fromRows);
export const readRolloutStep = reader<{ step: number; rollouts: RolloutRecord[] }>(rolloutStep, (kept) =>
  Array.isArray(kept?.rollouts) ? { ...kept, rollouts: kept.rollouts.map(fromRollout) } : kept,
);
export const readCheckpoint = reader<ArchivedCheckpoint>(checkpoint, fromRows);
