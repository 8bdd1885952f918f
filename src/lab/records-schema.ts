// The shape of what a run archive may hold, as schemas: an archive comes from anyone, and the page draws what is in it.
// Loose on purpose where a later lab may have added a field: what is not known is kept, what is known must fit.
import * as z from 'zod/mini';
import { MODES } from '../environments/code/types.ts';
import { SHADOW_KINDS } from '../experiments/arms.ts';
import type { Checkpoint } from '../experiments/checkpoint.ts';
import type { ExperimentResult, RolloutRecord, RunRecord } from '../experiments/events.ts';
import { FIELDS } from '../experiments/fields.ts';
import { ARM_NAMES, PRESET_NAMES, SETTING_NAMES } from '../experiments/spec.ts';
import { FormatError } from '../lib/errors.ts';
import type { StoredExperiment } from './records.ts';

// zod's own number refuses NaN, which a diverged run may well have logged.
const number = z.custom<number>((value) => typeof value === 'number', 'a number');
const measured = z.nullable(number);
const count = z.int().check(z.nonnegative());
const short = z.string().check(z.maxLength(2000));
const long = z.string().check(z.maxLength(2_000_000));
const status = z.enum(['waiting', 'running', 'done', 'stopped', 'failed']);
const failure = z.nullable(z.looseObject({ message: short, remedy: short }));
const mode = z.enum([...MODES, 'honest']);
const hex = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const date = z.number().check(z.minimum(0), z.maximum(8.64e15));

const rates = z.looseObject({
  n: count,
  hack: measured,
  solve: measured,
  structural: measured,
  byMode: z.partialRecord(mode, z.looseObject({ n: count, hack: measured, solve: measured })),
});

const stepRow = z.looseObject({
  step: count,
  student: rates,
  teacher: rates,
  reward: measured,
  rewardStd: measured,
  fracRewardZeroStd: number,
  loss: number,
  kl: measured,
  entropy: measured,
  gradNorm: number,
  lr: number,
  cinStudent: measured,
  cinTeacher: measured,
  cin: measured,
  cinNull: measured,
  cout: measured,
  coutUpdate: measured,
  fired: measured,
  normDeltaS: number,
  normDeltaSHack: number,
  completionMeanLength: measured,
  completionClippedRatio: measured,
  rolloutTokens: number,
  shadowNorms: z.record(short, number),
  shadowCin: z.record(short, measured),
  flagged: z.optional(measured),
  clipFraction: z.optional(measured),
  ratioMean: z.optional(measured),
});

const timing = z.looseObject({
  step: count,
  phases: z.record(short, number),
  total: number,
  tokensPerSecond: number,
});

const evalRow = z.looseObject({
  step: count,
  model: short,
  kind: z.enum(['during', 'final']),
  all: rates,
  unseenFamilies: rates,
  unseenParams: rates,
  note: z.optional(short),
});

const shadow = z.looseObject({
  id: short,
  kind: z.enum(SHADOW_KINDS),
  gate: z.enum(['one_sided', 'no_gate', 'reverse']),
  k: count,
  mode: z.nullable(z.enum(MODES)),
});

// A setting that a later lab added is missing in an older run: each is optional here, and checked where it is there.
const settings = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, z.optional(FIELDS[name].schema as z.ZodMiniType)]),
);
const runSpec = z.looseObject({
  ...settings,
  schema: z.literal(1),
  preset: z.enum(PRESET_NAMES),
  arm: z.enum(ARM_NAMES),
  seed: count,
  steps: FIELDS.steps.schema as z.ZodMiniType,
  projection: z.enum(['none', 'erase', 'route']),
  projectTarget: z.enum(['gradient', 'update']),
  shadows: z.array(shadow).check(z.maxLength(64)),
});

const rows = z.array(stepRow).check(z.maxLength(100_000));
const timings = z.array(timing).check(z.maxLength(100_000));
const evals = z.array(evalRow).check(z.maxLength(100_000));

const poolUse = z.looseObject({
  sha256: hex,
  rows: count,
  problems: count,
  ofProblems: count,
  unused: count,
  cut: count,
  retokenised: count,
  withLogprobs: count,
  graderKnown: z.boolean(),
});

const run = z.looseObject({
  schema: z.literal(1),
  id: short,
  experimentId: short,
  spec: runSpec,
  status,
  createdAt: date,
  device: short,
  appVersion: short,
  modelSha256: hex,
  graderVersion: short,
  rows,
  timings,
  evals,
  error: failure,
  teacherPool: z.optional(poolUse),
  rerouted: z.optional(
    z.array(z.looseObject({ shadow, removed: number, ownRemoved: number, device: short })).check(z.maxLength(256)),
  ),
});

const spread = z.nullable(z.looseObject({ mean: number, sd: measured }));
const tableRow = z.looseObject({
  label: short,
  arm: short,
  model: short,
  n: count,
  hack: spread,
  solve: spread,
  deployedHack: spread,
  deployedSolve: spread,
  last5Hack: spread,
  last5Solve: spread,
  cinTeacher: measured,
  coutUpdate: measured,
  deltaHack: spread,
  deltaSolve: spread,
  verdict: short,
});

const experiment = z.looseObject({
  schema: z.literal(1),
  id: z.string().check(z.regex(/^[\w-]{1,64}$/)),
  spec: z.unknown(),
  status,
  createdAt: date,
  updatedAt: date,
  device: short,
  appVersion: short,
  runIds: z.array(short).check(z.maxLength(4096)),
  result: z.nullable(
    z.looseObject({
      table: z.array(tableRow).check(z.maxLength(4096)),
      verdicts: z.array(short).check(z.maxLength(999)),
    }),
  ),
  error: failure,
  runsDone: count,
  stepsDone: count,
  stepsTotal: count,
  interrupted: z.optional(z.boolean()),
  approxBytes: z.optional(count),
  name: z.optional(z.string().check(z.maxLength(120))),
  tags: z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(40))).check(z.maxLength(20))),
  note: z.optional(z.string().check(z.maxLength(4000))),
});

const grade = z.looseObject({
  formatOk: z.boolean(),
  passed: z.boolean(),
  gtCorrect: z.boolean(),
  exploited: z.boolean(),
  structural: z.boolean(),
  mechanism: z.nullable(z.enum(MODES)),
  reward: number,
  note: z.nullable(short),
});
const rollout = z.looseObject({
  step: count,
  promptIndex: count,
  sampleIndex: count,
  problemId: short,
  mode,
  source: z.enum(['student', 'teacher']),
  prompt: long,
  completion: long,
  logprobs: z.nullable(z.array(number).check(z.maxLength(100_000))),
  advantage: number,
  grade,
});
const rolloutStep = z.looseObject({ step: count, rollouts: z.array(rollout).check(z.maxLength(65_536)) });

const checkpoint = z.looseObject({
  schema: z.literal(1),
  runId: short,
  spec: runSpec,
  context: short,
  step: count,
  rows,
  timings,
  evals,
  history: z.record(short, z.array(number).check(z.maxLength(100_000))),
  /** Steps of the two AdamW; the vectors lie in a safetensors file beside it. */
  t: count,
  hackT: z.nullable(count),
  refreshed: z.optional(z.looseObject({ own: z.nullable(count), shadows: z.record(short, count) })),
});

/** What the schema lets through is what the record's type says; the rest of what it says is checked by records-archive.ts. */
function reader<T>(schema: z.ZodMiniType): (value: unknown, label: string) => T {
  return (value, label) => {
    const parsed = schema.safeParse(value);
    // The value itself, not zod's copy: its keys keep their order, so that an export of the import has the same bytes.
    if (parsed.success) return value as T;
    const issue = parsed.error.issues[0];
    throw new FormatError(
      `${label}: ${issue.path.join('.').slice(0, 100) || 'the top'} is not what it should be (${issue.message}).`,
      'Export the run again from the lab that has it, and drop that file.',
    );
  };
}

/** As archived: the result without its runs, which lie apart. */
export type ArchivedExperiment = Omit<StoredExperiment, 'result'> & {
  result: Pick<ExperimentResult, 'table' | 'verdicts'> | null;
};
export type ArchivedCheckpoint = Omit<Checkpoint, 'optimizer' | 'refreshed'> & {
  t: number;
  hackT: number | null;
  /** Steps after which bases were last extracted again. */
  refreshed?: { own: number | null; shadows: Record<string, number> };
};

export const readExperiment = reader<ArchivedExperiment>(experiment);
export const readRun = reader<RunRecord>(run);
export const readRolloutStep = reader<{ step: number; rollouts: RolloutRecord[] }>(rolloutStep);
export const readCheckpoint = reader<ArchivedCheckpoint>(checkpoint);
