// Experiments as data: an ExperimentSpec (a preset, arms × seeds, overrides) and the RunSpecs that it resolves to (one arm, one seed, every
// setting). All outside input (form, URL, flags, files) passes through parseExperimentSpec.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { expectation } from '../../lib/option.ts';
import { ARM_NAMES, ARMS, type Arm, type ArmName, VANILLA_ARMS } from './arms.ts';
import { ENVIRONMENT_CONTRADICTIONS } from './contradictions/environment.ts';
import { PROJECTION_CONTRADICTIONS } from './contradictions/projection.ts';
import { TRAINING_CONTRADICTIONS } from './contradictions/training.ts';
import { standardControls } from './controls.ts';
import { capabilitiesOf } from './environments.ts';
import { forkFault } from './fork.ts';
import { baseOf, EMBEDDED_MODELS } from './preset-in.ts';
import type { Preset } from './presets.ts';
import { PRESET_NAMES, type PresetName, type RunFork, type RunSpec } from './run-spec.ts';
import { boundsOf, COMMON, FIELDS, SETTING_NAMES, type SettingName, type Settings } from './settings.ts';

/** `cpu` and `cpu-fused` are the same kernels with different rounding, and so are `webgpu` and `webgpu-int8`: each reproduces only its own
 *  results. */
export const DEVICE_CHOICES = ['auto', 'cpu', 'cpu-fused', 'webgpu', 'webgpu-int8'] as const;
export type DeviceChoice = (typeof DEVICE_CHOICES)[number];

export interface ExperimentSpec {
  schema: 1;
  preset: PresetName;
  arms: ArmName[];
  seeds: number[];
  /** Values that differ from the preset. */
  overrides: Partial<Settings>;
  device: DeviceChoice;
  /** The parent with which runs share their first steps; absent where they start from the untrained model. */
  fork?: Fork;
}

/** The parent of a fork (fork.ts); overrides are relative to its preset. */
export interface Fork extends Pick<ExperimentSpec, 'preset' | 'overrides' | 'fork'> {
  /** The parent's id where the fork was made. */
  run: string;
  /** Number of shared steps. */
  step: number;
  arm: ArmName;
  seed: number;
}

/** Most nested forks that reading accepts; each is another spec to resolve. */
const MOST_FORKS = 8;

const settingsSchema = z.partial(
  z.strictObject(Object.fromEntries(SETTING_NAMES.map((name) => [name, FIELDS[name].schema as z.ZodMiniType]))),
);
const preset = z._default(z.enum(PRESET_NAMES), 'demo');
const seed = z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER));
const forkSchema = (depth: number): z.ZodMiniType =>
  z.strictObject({
    run: z.string().check(z.regex(/^[^\p{Cc}]{1,200}$/u)),
    step: z.int().check(z.minimum(1), z.maximum(boundsOf('steps').max)),
    preset,
    arm: z.enum(ARM_NAMES),
    seed,
    overrides: z._default(settingsSchema, {}),
    fork: depth > 1 ? z.optional(forkSchema(depth - 1)) : z.optional(z.never()),
  });
const experimentSchema = z.strictObject({
  schema: z._default(z.literal(1), 1),
  preset,
  arms: z.optional(z.array(z.enum(ARM_NAMES)).check(z.minLength(1))),
  seeds: z.optional(z.array(seed).check(z.minLength(1))),
  overrides: z._default(settingsSchema, {}),
  device: z._default(z.enum(DEVICE_CHOICES), 'auto'),
  fork: z.optional(forkSchema(MOST_FORKS)),
});

const EXPECTED: Record<string, string> = {
  schema: 'the number 1 (this version’s format)',
  preset: `one of ${PRESET_NAMES.join(', ')}`,
  arms: `a list of some of ${ARM_NAMES.join(', ')}`,
  seeds: 'a list of non-negative integers',
  overrides: 'an object of settings',
  device: `one of ${DEVICE_CHOICES.join(', ')}`,
  fork: `a parent run, its step and its settings, at most ${MOST_FORKS} within one another`,
};

/** Checks and completes outside input; arms and seeds default to those of a fork's parent, or else the preset's. Throws SpecError. */
export function parseExperimentSpec(input: unknown): ExperimentSpec {
  const parsed = experimentSchema.safeParse(input);
  if (!parsed.success) throw issueError(input, parsed.error.issues[0]);
  const { preset, overrides } = parsed.data;
  const base = baseOf({ preset, overrides: overrides as Partial<Settings> });
  const fork = parsed.data.fork as Fork | undefined;
  const spec: ExperimentSpec = {
    schema: 1,
    preset,
    arms: unique(parsed.data.arms ?? (fork ? [fork.arm] : [...base.arms])),
    seeds: unique(parsed.data.seeds ?? (fork ? [fork.seed] : [...base.seeds])),
    overrides: minimalOverrides(base, overrides as Partial<Settings>),
    device: parsed.data.device,
    ...(fork && { fork: minimalFork(fork) }),
  };
  resolveRuns(spec); // Refuses invalid combinations before anything starts.
  return spec;
}

function minimalFork(fork: Fork): Fork {
  const { fork: before } = fork;
  return {
    ...fork,
    overrides: minimalOverrides(baseOf(fork), fork.overrides),
    ...(before && { fork: minimalFork(before) }),
  };
}

/** Resolves a parent like any run. */
export function resolveParent({ run, step, preset, arm, seed, overrides, fork }: Fork): RunFork {
  const parent = { schema: 1 as const, preset, arms: [arm], seeds: [seed], overrides, device: 'auto' as const };
  return { run, step, spec: resolveRun({ ...parent, ...(fork && { fork }) }, arm, seed) };
}

/** Whether two specs are the same experiment; devices do not count. */
export function sameExperiment(a: ExperimentSpec, b: ExperimentSpec): boolean {
  const key = ({ preset, arms, seeds, overrides, fork }: ExperimentSpec) => {
    // A parent's id is only valid in the browser that stores it.
    const parent = fork && { ...fork, run: '' };
    return JSON.stringify([preset, [...arms].sort(), [...seeds].sort(), Object.entries(overrides).sort(), parent]);
  };
  return key(a) === key(b);
}

/**
 * arms × seeds: all arms of the first seed, then of the next; arms that are matched to vanilla's run come last. Throws SpecError on
 * contradictory settings.
 */
export function resolveRuns(experiment: ExperimentSpec): RunSpec[] {
  const isMatched = (arm: ArmName) => (ARMS[arm] as Arm).settings.basisSource === 'random_matched';
  const [matched, others] = [experiment.arms.filter(isMatched), experiment.arms.filter((arm) => !isMatched(arm))];
  if (matched.length > 0 && !VANILLA_ARMS.some((arm) => others.includes(arm)))
    throw new SpecError(
      `arms = ${experiment.arms.join(', ')}: ${matched[0]} needs the steps of a vanilla run of the same seed`,
      `Add the arm ${VANILLA_ARMS.join(' or ')}.`,
    );
  const runs = experiment.seeds.flatMap((seed) =>
    [...others, ...matched].map((arm) => resolveRun(experiment, arm, seed)),
  );
  const other = runs.find(({ adapter, loraRank }) => adapter !== runs[0].adapter || loraRank !== runs[0].loraRank);
  if (other)
    throw new SpecError(
      `arms = ${experiment.arms.join(', ')}: ${runs[0].arm} and ${other.arm} train different adapters (${runs[0].adapter}, ${other.adapter}), and a model is loaded with one`,
      'Run them as two experiments; cells of a sweep are experiments of their own.',
    );
  return runs;
}

/** An experiment with its runs, resolved once on entry. */
export interface Resolved {
  readonly spec: ExperimentSpec;
  readonly runs: RunSpec[];
}

export const resolveExperiment = (spec: ExperimentSpec): Resolved => ({ spec, runs: resolveRuns(spec) });

export function resolveRun(experiment: ExperimentSpec, name: ArmName, seed: number): RunSpec {
  const arm: Arm = ARMS[name];
  const preset = baseOf(experiment);
  const settings: Settings = { ...preset.settings, ...experiment.overrides, ...arm.settings };
  // A control arm has its own basis, so the imported one applies only to other arms.
  if (arm.settings.basisSource) settings.basisFile = '';
  const run: RunSpec = {
    schema: 1,
    preset: experiment.preset,
    arm: name,
    seed,
    projection: arm.projection,
    projectTarget: arm.projectTarget,
    ...settings,
    shadows: arm.shadows ? standardControls(settings) : [],
    ...(experiment.fork && { fork: resolveParent(experiment.fork) }),
  };
  refuseContradictions(run, preset);
  return asRecorded(run);
}

/** Fills in defaults for options that are newer than a stored run, which was made with them. */
export function withDefaults<T extends Partial<RunSpec>>(spec: T): T & Settings {
  return { ...COMMON, ...spec };
}

/** The spec as records store it, without options that are omitted at their default. */
export function asRecorded<T extends Partial<RunSpec>>(spec: T): T {
  const isAbsent = (name: string) => ABSENT.some((one) => one === name && spec[one] === COMMON[one]);
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !isAbsent(name))) as T;
}

const ABSENT = SETTING_NAMES.filter((name) => FIELDS[name].isAbsentAtDefault);

function refuseContradictions(run: RunSpec, preset: Preset): void {
  const refuse = ({ what, remedy }: { what: string; remedy: string }): never => {
    throw new SpecError(`${what} (arm ${run.arm})`, remedy);
  };
  if (preset.realModel && run.model === preset.settings.model)
    refuse({
      what: `preset ${run.preset} is for real models (max_new ${run.maxNew}); the model is ${run.model}, the embedded one`,
      remedy: 'Choose preset demo, classic, capability or smoke, or set `model` to an imported model.',
    });
  if (capabilitiesOf(run.environment)?.needsModel && EMBEDDED_MODELS.includes(run.model))
    refuse({
      what: `the environment ${run.environment} has no model of its own, and the model is ${run.model}, which cannot act in it`,
      remedy:
        'Load a chat model: in the page under Library, Models; on the command line with --model DIR (`npm run lab -- model minimind2-small` fetches a small one).',
    });
  for (const contradiction of [
    forkFault,
    ...TRAINING_CONTRADICTIONS,
    ...PROJECTION_CONTRADICTIONS,
    ...ENVIRONMENT_CONTRADICTIONS,
  ]) {
    const found = contradiction(run);
    if (found) refuse(found);
  }
}

/** Drops values that equal the preset, so that equal experiments have equal specs (and short URLs). */
function minimalOverrides({ settings: base }: Preset, overrides: Partial<Settings>): Partial<Settings> {
  return Object.fromEntries(
    SETTING_NAMES.filter((name) => overrides[name] !== undefined && !same(overrides[name], base[name])).map((name) => [
      name,
      overrides[name],
    ]),
  );
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const unique = <T>(items: T[]): T[] => [...new Set(items)];

interface Issue {
  code?: string;
  path: PropertyKey[];
  keys?: string[];
}

/** Names the invalid value and the expected one. */
function issueError(input: unknown, issue: Issue): SpecError {
  const path = issue.path.map(String);
  let value: unknown = input;
  for (const key of issue.path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  if (issue.code === 'unrecognized_keys') {
    const place = path.length ? ` in ${path.join('.')}` : '';
    const inFork = ['run', 'step', 'preset', 'arm', 'seed', 'overrides', 'fork'];
    const own = path.includes('fork') ? inFork : Object.keys(EXPECTED);
    const known = path.at(-1) === 'overrides' ? SETTING_NAMES : own;
    return new SpecError(`unknown setting ${issue.keys?.join(', ')}${place}`, `Known here: ${known.join(', ')}.`);
  }
  if (path.length === 0)
    return new SpecError(`an experiment is an object, got ${show(input)}`, 'Give at least {"preset": "demo"}.');
  const setting = path[0] === 'overrides' && path[1] in FIELDS ? (path[1] as SettingName) : null;
  const expected = setting ? expectation(FIELDS[setting].kind) : EXPECTED[path[0]];
  return new SpecError(`${path.join('.')} = ${show(value)} is not allowed`, `Give ${expected}.`);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
