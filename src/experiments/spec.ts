// What is run, as data: an ExperimentSpec (a preset, arms × seeds, changes) and the RunSpecs it resolves to (one arm, one
// seed, nothing left open). Everything from outside — form, URL, flags, files — passes through parseExperimentSpec.
import * as z from 'zod/mini';
import { refusePairSet } from '../environments/code/pair-sets/table.ts';
import { SpecError } from '../lib/errors.ts';
import { ARM_NAMES, ARMS, type Arm, type ArmName, type ShadowSpec, standardShadows, VANILLA_ARMS } from './arms.ts';
import {
  expectation,
  FIELDS,
  type Projection,
  type ProjectTarget,
  SETTING_NAMES,
  type SettingName,
  type Settings,
} from './fields.ts';
import { COMMON, PRESET_NAMES, PRESETS, type Preset, type PresetName } from './presets.ts';

export { ARM_NAMES, ARMS, type Arm, type ArmName, modelLabel, type ShadowSpec } from './arms.ts';
export {
  type BasisSource,
  describeFields,
  type FieldGroup,
  type FieldInfo,
  type FieldKind,
  type Gate,
  GROUPS,
  type Projection,
  type ProjectTarget,
  SETTING_NAMES,
  type SettingName,
  type Settings,
} from './fields.ts';
export { PRESET_NAMES, PRESETS, type Preset, type PresetName } from './presets.ts';

export type DeviceChoice = 'auto' | 'cpu' | 'webgpu';

export interface ExperimentSpec {
  schema: 1;
  preset: PresetName;
  arms: ArmName[];
  seeds: number[];
  /** Only what differs from the preset. */
  overrides: Partial<Settings>;
  device: DeviceChoice;
}

/** One training run: one arm, one seed, every setting resolved. */
export interface RunSpec extends Settings {
  schema: 1;
  preset: PresetName;
  arm: ArmName;
  seed: number;
  projection: Projection;
  projectTarget: ProjectTarget;
  /** Extra quarantines; only under route/update. */
  shadows: ShadowSpec[];
}

const settingsSchema = z.partial(
  z.strictObject(Object.fromEntries(SETTING_NAMES.map((name) => [name, FIELDS[name].schema as z.ZodMiniType]))),
);
const experimentSchema = z.strictObject({
  schema: z._default(z.literal(1), 1),
  preset: z._default(z.enum(PRESET_NAMES), 'demo'),
  arms: z.optional(z.array(z.enum(ARM_NAMES)).check(z.minLength(1))),
  seeds: z.optional(z.array(z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER))).check(z.minLength(1))),
  overrides: z._default(settingsSchema, {}),
  device: z._default(z.enum(['auto', 'cpu', 'webgpu']), 'auto'),
});

const EXPECTED: Record<string, string> = {
  schema: 'the number 1 (this version’s format)',
  preset: `one of ${PRESET_NAMES.join(', ')}`,
  arms: `a list of some of ${ARM_NAMES.join(', ')}`,
  seeds: 'a list of non-negative integers',
  overrides: 'an object of settings',
  device: 'one of auto, cpu, webgpu',
};

/** Checks and completes what came from outside; arms, seeds and device default to the preset's. Throws SpecError. */
export function parseExperimentSpec(input: unknown): ExperimentSpec {
  const parsed = experimentSchema.safeParse(input);
  if (!parsed.success) throw issueError(input, parsed.error.issues[0]);
  const { preset, overrides } = parsed.data;
  const spec: ExperimentSpec = {
    schema: 1,
    preset,
    arms: unique(parsed.data.arms ?? [...PRESETS[preset].arms]),
    seeds: unique(parsed.data.seeds ?? [...PRESETS[preset].seeds]),
    overrides: minimalOverrides(preset, overrides as Partial<Settings>),
    device: parsed.data.device,
  };
  resolveRuns(spec); // refuses combinations that make no sense, before anything is started
  return spec;
}

/**
 * arms × seeds: all arms of the first seed, then of the next; an arm that is matched to vanilla's run comes after it. Throws
 * SpecError on settings that contradict each other.
 */
export function resolveRuns(experiment: ExperimentSpec): RunSpec[] {
  const isMatched = (arm: ArmName) => (ARMS[arm] as Arm).settings.basisSource === 'random_matched';
  const [matched, others] = [experiment.arms.filter(isMatched), experiment.arms.filter((arm) => !isMatched(arm))];
  if (matched.length > 0 && !VANILLA_ARMS.some((arm) => others.includes(arm)))
    throw new SpecError(
      `arms = ${experiment.arms.join(', ')}: ${matched[0]} needs the steps of a vanilla run of the same seed`,
      `Add the arm ${VANILLA_ARMS.join(' or ')}.`,
    );
  return experiment.seeds.flatMap((seed) => [...others, ...matched].map((arm) => resolveRun(experiment, arm, seed)));
}

export function resolveRun(experiment: ExperimentSpec, name: ArmName, seed: number): RunSpec {
  const arm: Arm = ARMS[name];
  const preset: Preset = PRESETS[experiment.preset];
  const settings: Settings = { ...preset.settings, ...experiment.overrides, ...arm.settings };
  // A control arm brings its own basis; the imported one belongs to the other arms.
  if (arm.settings.basisSource) settings.basisFile = '';
  const run: RunSpec = {
    schema: 1,
    preset: experiment.preset,
    arm: name,
    seed,
    projection: arm.projection,
    projectTarget: arm.projectTarget,
    ...settings,
    shadows: arm.shadows ? standardShadows(settings) : [],
  };
  refuseContradictions(run, preset);
  return run;
}

/** A run kept by an older version has no word on settings that came later; it was made with what is now their default. */
export function withDefaults<T extends Partial<RunSpec>>(spec: T): T & Settings {
  return { ...COMMON, ...spec };
}

function refuseContradictions(run: RunSpec, preset: Preset): void {
  const refuse = (what: string, remedy: string): never => {
    throw new SpecError(`${what} (arm ${run.arm})`, remedy);
  };
  if (preset.realModel && run.model === 'tiny-coder')
    refuse(
      `preset ${run.preset} is for real models (max_new ${run.maxNew}); the model is tiny-coder, the embedded one`,
      'Choose preset demo, classic, capability or smoke, or set `model` to an imported model.',
    );
  if (run.preserveMagnitude && (run.projection === 'route' || run.projectTarget === 'update'))
    refuse(
      `preserveMagnitude = true with ${run.projection}/${run.projectTarget}: a rescaled gradient and its removed part no longer add up`,
      'Set preserveMagnitude to false, or keep only the arms none, erase and their controls.',
    );
  if (run.pairs - run.nHeldout < 2)
    refuse(
      `pairs = ${run.pairs} with nHeldout = ${run.nHeldout} leaves ${run.pairs - run.nHeldout}`,
      'Keep at least 2 pairs.',
    );
  if (run.basisSource === 'random_matched' && (ARMS[run.arm] as Arm).settings.basisSource !== 'random_matched')
    refuse(
      'basisSource = random_matched: how wide it is follows from vanilla’s run',
      'Set basisSource to pairs, and add the arm random_V_matched or random_V_matched-route beside vanilla.',
    );
  if (run.basisSource !== 'file' && run.solveOrth > run.pairs - run.nHeldout)
    refuse(
      `solveOrth = ${run.solveOrth} axes of ${run.pairs - run.nHeldout} clean completions`,
      `Set solveOrth to at most ${run.pairs - run.nHeldout}.`,
    );
  if (run.basisSource !== 'file' && run.basisKind === 'svd' && run.k > run.pairs - run.nHeldout)
    refuse(
      `k = ${run.k} axes from ${run.pairs - run.nHeldout} pairs`,
      `Set k to at most ${run.pairs - run.nHeldout}, or use more pairs.`,
    );
  if ((run.basisSource === 'file') !== (run.basisFile !== ''))
    refuse(
      `basisSource = ${run.basisSource} with basisFile = ${JSON.stringify(run.basisFile)}`,
      'Name an imported basis and set basisSource to file, or leave both alone.',
    );
  if (run.importanceSampling === 'sequence' && run.lossType !== 'grpo')
    refuse(
      `importanceSampling = sequence with lossType = ${run.lossType}: a ratio per completion belongs to a loss per completion`,
      'Set lossType to grpo, or importanceSampling to token.',
    );
  if (run.teacherRatio === 'stored' && run.mix > 0 && run.teacherPool === '')
    refuse(
      'teacherRatio = stored with the template pool, which nobody sampled: it has no log-probabilities',
      'Build a pool from a teacher model and name it in teacherPool, or set teacherRatio to recomputed.',
    );
  if (run.screening && run.rewardPenalty > 0)
    refuse(
      `screening = true with rewardPenalty = ${run.rewardPenalty}: what the monitor flags is dropped, and there is nothing left to penalise`,
      'Set rewardPenalty to 0, or screening to false.',
    );
  if (run.advantageMod === 'scale' && run.rewardPenalty > 0)
    refuse(
      `advantageMod = scale with rewardPenalty = ${run.rewardPenalty}: scaling a penalised, negative reward down would lift it`,
      'Set advantageMod to subtract, or rewardPenalty to 0.',
    );
  if (run.clipEpsHigh > 0 && run.clipEpsHigh < run.clipEps)
    refuse(
      `clipEpsHigh = ${run.clipEpsHigh} below clipEps = ${run.clipEps}`,
      'Set it to at least clipEps, or to 0 for the same.',
    );
  const foreign = run.poolModes.filter((mode) => !run.modes.includes(mode));
  if (foreign.length > 0)
    refuse(
      `poolModes names ${foreign.join(', ')}, which no problem of this run has`,
      `Choose among ${run.modes.join(', ')}.`,
    );
  if (run.trainOn === 'honest' && run.honestShare === 0)
    refuse(
      'trainOn = honest with honestShare = 0: there is nothing to train on',
      'Raise honestShare, or leave the arm honest-only out.',
    );
  for (const { pairSet, pairs } of [run, ...run.shadows.map(({ settings }) => ({ ...run, ...settings }))])
    refusePairSet(pairSet, run.model, pairs);
  if (run.refreshEvery > 0 && (run.basisSource === 'file' || run.basisSource === 'random_matched'))
    refuse(
      `refreshEvery = ${run.refreshEvery} with basisSource = ${run.basisSource}: there is nothing to extract again`,
      'Set refreshEvery to 0, or basisSource to pairs.',
    );
  if (run.promptsPerStep > run.problems)
    refuse(
      `promptsPerStep = ${run.promptsPerStep} of ${run.problems} problems`,
      `Set problems to at least ${run.promptsPerStep}.`,
    );
  if (liveRows(run) < 1)
    refuse(
      `mix = ${run.mix} of groupSize = ${run.groupSize} leaves no live rollout`,
      'Lower mix or enlarge the group.',
    );
}

/** G_t = floor(G · mix + ½). */
export function teacherRows(run: Pick<Settings, 'groupSize' | 'mix'>): number {
  return Math.floor(run.groupSize * run.mix + 0.5);
}
/** G_s = G − G_t, where the prompt has teacher rows. */
export function liveRows(run: Pick<Settings, 'groupSize' | 'mix'>): number {
  return run.groupSize - teacherRows(run);
}

/** Drops what equals the preset, so that equal experiments have equal specs (and short URLs). */
function minimalOverrides(preset: PresetName, overrides: Partial<Settings>): Partial<Settings> {
  const base: Settings = PRESETS[preset].settings;
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

/** Says which value is wrong, what it was, and what would be right. */
function issueError(input: unknown, issue: Issue): SpecError {
  const path = issue.path.map(String);
  let value: unknown = input;
  for (const key of issue.path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  if (issue.code === 'unrecognized_keys') {
    const place = path.length ? ` in ${path.join('.')}` : '';
    const known = path[0] === 'overrides' ? SETTING_NAMES : Object.keys(EXPECTED);
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
