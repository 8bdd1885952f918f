// A run's record and its checkpoint's plain part, field by field: like rows-schema.ts, for the fields around the rows.

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
/** Milliseconds since the epoch, given by the host; never read by an algorithm. */
export const date = z.number().check(z.minimum(0), z.maximum(8.64e15));

const control: z.ZodMiniType<ControlSpec> = z.looseObject({
  id: short,
  kind: z.enum(CONTROL_KINDS),
  gate: z.enum(['one_sided', 'no_gate', 'reverse']),
  k: count,
  mode: z.nullable(z.enum(MODES)),
}) as never;

// Each setting is optional, since an older run lacks newer ones; present ones are checked.
const settings = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, z.optional(FIELDS[name].schema as z.ZodMiniType)]),
);
/** The options' own schemas decide the settings' types: config/settings.ts. */
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
  /** Parsing ends: parseJsonText refuses deep nesting. */
  fork: z.optional(z.looseObject({ run: short, step: count, spec: z.lazy(() => runSpec) })),
}) as never;

export const rows = listOf(stepRow, 100_000);
export const timings = listOf(stepTiming, 100_000);
export const evals = listOf(evalRow, 100_000);

/** A run's use of the stored pool that its spec names. */
export const poolUse = z.object({
  sha256: hex,
  /** Rows that belong to a problem of the run. */
  rows: count,
  /** Problems of the run that have rows, and all that a teacher may show (hackable, of poolModes). */
  problems: count,
  ofProblems: count,
  /** Rows for problems that the run does not have, or has no teacher for. */
  unused: count,
  /** Rows longer than max_new: the loss sees their first max_new tokens. */
  cut: count,
  /** Rows with another tokenizer's ids: their text was tokenised here, and their log-probabilities dropped. */
  retokenised: count,
  /** Rows with the teacher's own log-probabilities. */
  withLogprobs: count,
  /** False if the grader that gave the labels is unknown. */
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

/** An adapter of PEFT that a run began from: its tensors by sha-256, its rank, and whether the run's own LoRA continues it or it is folded into
 *  the base. */
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
  /** Whether thoughts were removed before a rollout was judged; absent for an embedded model whose spec does not say: everything was
   *  judged. */
  thinking: z.optional(z.enum(THINKING)),
  /** Use of the stored pool that spec.teacherPool names; absent for templates. */
  teacherPool: z.optional(poolUse),
  /** Quarantines replayed from the kept steps after the run; their rows are among `evals`. Absent without any. */
  rerouted: z.optional(listOf(replayed, 256)),
  /** Absent for a run on a model as it is. */
  begunFrom: z.optional(begunFrom),
  /** The adapter was computed beside the weights; absent where it was folded into a copy of them. Last digits differ between the two. */
  adapterForm: z.optional(z.literal('unfolded')),
});
