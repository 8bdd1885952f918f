// Schemas of a run's record and of a checkpoint's plain part, field by field, around the rows of rows-schema.ts.

import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { MODES } from '../../environments/code/types.ts';
import { THINKING } from '../../text/thinking.ts';
import { ARM_NAMES } from '../config/arms.ts';
import { CONTROL_KINDS, type ControlSpec } from '../config/controls.ts';
import { PRESET_NAMES, type RunSpec } from '../config/run-spec.ts';
import { FIELDS, SETTING_NAMES } from '../config/settings.ts';
import { count, evalRow, number, short, stepRow, stepTiming } from './rows-schema.ts';

export const runStatus = z.enum(['waiting', 'running', 'done', 'stopped', 'failed']);
/** A failure and its remedy; null if there was none. */
export const failure = z.nullable(z.object({ message: short, remedy: short }));
const hex = z.string().check(z.regex(/^[0-9a-f]{64}$/));
/** Milliseconds since the epoch by the host's clock; never read by an algorithm. */
export const date = z.number().check(z.minimum(0), z.maximum(8.64e15));

const control: z.ZodMiniType<ControlSpec> = z.looseObject({
  id: short,
  kind: z.enum(CONTROL_KINDS),
  gate: z.enum(['one_sided', 'no_gate', 'reverse']),
  k: count,
  mode: z.nullable(z.enum(MODES)),
}) as never;

// Each setting is optional, since older runs lack newer ones; present ones are checked.
const settings = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, z.optional(FIELDS[name].schema as z.ZodMiniType)]),
);
/** The options' own schemas give the settings their types: config/settings.ts. */
export const runSpec: z.ZodMiniType<RunSpec> = z.looseObject({
  ...settings,
  schema: z.literal(1),
  preset: z.enum(PRESET_NAMES),
  arm: z.enum(ARM_NAMES),
  seed: count,
  steps: FIELDS.steps.schema as z.ZodMiniType,
  projection: z.enum(['none', 'erase', 'route']),
  projectTarget: z.enum(['gradient', 'update']),
  shadows: listOf(control, 64),
  /** The recursion ends because parseJsonText refuses deep nesting. */
  fork: z.optional(z.looseObject({ run: short, step: count, spec: z.lazy(() => runSpec) })),
}) as never;

export const rows = listOf(stepRow, 100_000);
export const timings = listOf(stepTiming, 100_000);
export const evals = listOf(evalRow, 100_000);

/** How a run uses the stored pool that its spec names. */
export const poolUse = z.object({
  sha256: hex,
  /** Rows for problems of the run. */
  rows: count,
  /** Problems of the run with rows, and all problems for which a teacher is allowed (hackable, of poolModes). */
  problems: count,
  ofProblems: count,
  /** Rows for problems that the run does not have, or for which it has no teacher. */
  unused: count,
  /** Rows longer than max_new; only their first max_new tokens enter the loss. */
  cut: count,
  /** Rows with another tokenizer's ids: their text was tokenized here, and their log-probabilities dropped. */
  retokenised: count,
  /** Rows with the teacher's own log-probabilities. */
  withLogprobs: count,
  /** False if the pool does not say which grader labelled it. */
  graderKnown: z.boolean(),
});

/** A quarantine replayed after the run. */
export const replayed = z.object({
  shadow: control,
  /** Σ over the steps of ‖removed‖, for this basis and for the run's own. */
  removed: number,
  ownRemoved: number,
  /** The device that computed it. */
  device: short,
});

/** The PEFT adapter that a run began from: the sha-256 of its tensors, its rank, and whether the run's own LoRA continues it or it was folded
 *  into the base. */
export const begunFrom = z.object({ sha256: hex, rank: count, as: z.enum(['continued', 'folded']) });

export const run = z.object({
  schema: z.literal(1),
  id: short,
  experimentId: short,
  spec: runSpec,
  status: runStatus,
  createdAt: date,
  device: short,
  appVersion: short,
  modelSha256: hex,
  graderVersion: short,
  rows,
  timings,
  evals,
  error: failure,
  /** Whether thoughts were removed before a rollout was judged; absent for an embedded model whose spec does not say, where everything was
   *  judged. */
  thinking: z.optional(z.enum(THINKING)),
  /** How the run uses the stored pool that spec.teacherPool names; absent for templates. */
  teacherPool: z.optional(poolUse),
  /** Quarantines replayed from stored steps after the run; their rows are among `evals`. */
  rerouted: z.optional(listOf(replayed, 256)),
  /** Absent for a run on a model without adapter. */
  begunFrom: z.optional(begunFrom),
  /** Set if the adapter was computed beside the weights; absent if it was folded into a copy of them. The last digits differ. */
  adapterForm: z.optional(z.literal('unfolded')),
});
