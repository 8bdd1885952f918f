// Flags of `run`, and the experiment and files that follow from them.

import { basename } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { ARM_NAMES } from '../../experiments/config/arms.ts';
import { PRESETS } from '../../experiments/config/presets.ts';
import { PRESET_NAMES } from '../../experiments/config/run-spec.ts';
import { isSettingName, SETTING_NAMES, settingOfText } from '../../experiments/config/settings.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import {
  EMBEDDED_REPLICATES,
  ENVIRONMENT_NAMES,
  environmentNamed,
  findEnvironment,
} from '../../experiments/environments/registry.ts';
import { chatArgsText } from '../../text/chat-args.ts';
import { integer, integers, list, oneOf, settings, text, toggle, unknownName, type Values } from '../args.ts';
import type { CommandContext } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { type GivenFiles, nameBasis, readPairFile, readProblems } from '../files/given.node.ts';
import { readPoolFile } from '../files/pool.node.ts';
import { ADAPTER_FLAG } from '../model/adapter.ts';
import { CACHE_FLAG } from '../model/folder.ts';
import { chatTemplateSetting, PROMPT_FLAGS, THINKING_FLAG } from '../model/prompts.ts';
import { FORM_FLAG, STORAGE_FLAG, STORAGE_NOTES } from '../model/storage-choice.ts';
import { embeddedForm, embeddedStorage, isOwnModel, modelIdOf, theOnlyModel } from './model.ts';
import { type Parent, readParent } from './parent.ts';

const MOST_JOBS = 64;
/** Value of --environment for a file of problems with checks. */
const CUSTOM = 'custom';
/** Pattern of a file with an environment in it (examples/week.ts). */
const IS_FILE = /\.[cm]?[jt]s$/;

export const usage = {
  name: 'run',
  summary: 'Trains arms × seeds, evaluates every model that they make, and prints the final table.',
  flags: {
    preset: oneOf(PRESET_NAMES, 'Where every setting starts from.', 'demo'),
    arms: list(ARM_NAMES, 'What to compare; the preset’s arms where absent.'),
    seeds: integers('Seeds; the preset’s where absent.'),
    steps: integer('Optimizer steps.', null, 1),
    from: text(
      'RUN@STEP',
      'Fork a kept run: its first STEP steps, then the settings given here, on the same random numbers. RUN: out/none-41 of `run --out`, or result.json#none-41 of `run --json`. Arm, seed and settings are its own where nothing else is given.',
      null,
    ),
    environment: text(
      'NAME',
      `What the student acts in: ${[...ENVIRONMENT_NAMES, ...EMBEDDED_REPLICATES].join(', ')}; its own model and settings come with it. custom: the file of --problems, with its checks. With --model: instructions. FILE.ts: one of your own, as examples/week.ts.`,
      null,
    ),
    set: settings('Any other setting of the run (several times); --settings lists them.'),
    model: text('DIR', 'A model of your own, a folder in Hugging Face’s layout, in place of the embedded one.', null),
    adapter: ADAPTER_FLAG,
    ...PROMPT_FLAGS,
    storage: STORAGE_FLAG,
    form: FORM_FLAG,
    cache: CACHE_FLAG,
    basis: text('FILE', 'A hack basis (safetensors) to project with instead of one from the pairs.', null),
    'pair-set': text('FILE', 'Labelled pairs of your own (.json) to extract the basis from.', null),
    'teacher-pool': text('FILE', 'A teacher pool (.jsonl, .jsonl.gz) in place of the templates.', null),
    problems: text(
      'FILE',
      'Real problems (the rl-rewardhacking benchmark’s format) in place of the substrate, graded by CPython; with --environment custom: prompts with checks of your own (docs/tutorials/your-problems.md).',
      null,
    ),
    thinking: THINKING_FLAG,
    ...deviceFlags('What to compute on.'),
    jobs: integer(
      'Runs trained side by side, in processes that share the cores; by default as many as that makes faster. Changes no digit.',
      null,
      1,
      MOST_JOBS,
    ),
    json: text(
      'FILE',
      'Write spec, rows and verdicts as JSON, never over another file: an earlier result of the same experiment alone is replaced. - prints them instead of the table.',
      null,
    ),
    out: text('DIR', 'Keep checkpoints (.safetensors too), runs, pool and basis there.', null),
    fresh: toggle('Begin anew; what the lab kept in the folder is moved aside, into a folder aside-N there.'),
    yes: toggle('With --fresh: do not ask. Without a terminal nobody is asked.'),
    worker: toggle('Trains runs of an experiment for the process that started this one.'),
    settings: toggle('List every setting with its meaning and bounds, and end.'),
    measures: toggle('List every number that a run logs with its meaning and unit, and end.'),
    markdown: toggle(
      'With --settings or --measures: as docs/reference/options.md and docs/reference/measures.md have them.',
    ),
  },
  notes: [
    'Presets:',
    ...PRESET_NAMES.map((name) => `  ${name.padEnd(12)}${PRESETS[name].description}`),
    'fast and full are for --model. Its prompts must leave room for a whole completion (maxNew) within the model’s positions.',
    STORAGE_NOTES,
    'Without --out, what is needed to go on after Ctrl-C is kept in .cache/runs until the experiment is done.',
  ].join('\n'),
} as const;
export type Options = Values<typeof usage.flags>;

/** The requested experiment, and the files that it names. Throws SpecError, FormatError. */
export async function requestedExperiment(
  flags: Options,
  context: CommandContext,
): Promise<{ spec: ExperimentSpec; given: GivenFiles; parent: Parent | null }> {
  const parent = flags.from === null ? null : await readParent(flags.from);
  const basis = flags.basis === null ? null : await nameBasis(flags.basis);
  const pool = flags['teacher-pool'] === null ? null : await readPoolFile(flags['teacher-pool']);
  const pairs = flags['pair-set'] === null ? null : await readPairFile(flags['pair-set']);
  const problems = flags.problems === null ? null : await readProblems(flags.problems, flags.environment === CUSTOM);
  const isOwn = isOwnModel(flags);
  if (!isOwn && flags.storage !== 'auto') throw embeddedStorage(flags.storage);
  if (!isOwn && flags.form !== 'auto') throw embeddedForm(flags.form);
  const model = isOwn ? await modelIdOf(flags, context) : undefined;
  const given = { basis, pool, pairs, problems };
  return { spec: specOf({ ...flags, set: await setWithTemplate(flags) }, given, model, parent), given, parent };
}

/** Flags → the one schema that form, URL and storage use. Throws SpecError. */
export function specOf(
  flags: Pick<Options, 'preset' | 'arms' | 'seeds' | 'steps' | 'set' | 'device'> &
    Partial<Pick<Options, 'environment' | 'chat-arg' | 'thinking'>>,
  given: Partial<GivenFiles> | null,
  model?: string,
  parent: Pick<Parent, 'fork' | 'device'> | null = null,
): ExperimentSpec {
  const { basis, pool, pairs, problems } = given ?? {};
  const overrides: Record<string, unknown> = pairs ? { pairSet: pairs.id, pairs: pairs.pairs.length } : {};
  Object.assign(overrides, overridesOf(flags.set));
  if (model !== undefined) overrides.model = theOnlyModel(model, overrides.model);
  promptOverrides(flags, overrides);
  if (flags.steps !== null) overrides.steps = flags.steps;
  if (basis) Object.assign(overrides, { basisSource: 'file', basisFile: basis.sha256 });
  if (pool) overrides.teacherPool = pool.sha256;
  if (problems) overrides.environment = problems.environment;
  if (flags.environment === CUSTOM && !problems)
    throw new SpecError(
      '--environment custom is a file of problems with checks, and none is given.',
      'Add --problems FILE.jsonl; docs/tutorials/your-problems.md says what it holds.',
    );
  if (flags.environment && flags.environment !== CUSTOM)
    overrides.environment = theOnlyEnvironment(flags.environment, overrides.environment);
  const { arms, seeds } = flags;
  const chosen = { arms: arms ?? undefined, seeds: seeds ?? undefined };
  if (!parent) return parseExperimentSpec({ preset: flags.preset, device: flags.device, overrides, ...chosen });
  const { fork, device } = parent;
  if (flags.preset !== usage.flags.preset.fallback && flags.preset !== fork.preset)
    throw new SpecError(
      `--preset ${flags.preset}, and ${fork.run} has the preset ${fork.preset}.`,
      'Leave --preset out: a fork has its parent’s. Change single settings with --set.',
    );
  return parseExperimentSpec({
    preset: fork.preset,
    device: flags.device === 'auto' ? device : flags.device,
    overrides: { ...fork.overrides, ...overrides },
    ...chosen,
    fork,
  });
}

/** Flags that name an option of their own. Throws SpecError where --set names it too. */
function promptOverrides(
  { 'chat-arg': args = {}, thinking = null }: Partial<Pick<Options, 'chat-arg' | 'thinking'>>,
  overrides: Record<string, unknown>,
): void {
  const given = { chatArgs: chatArgsText(args) || null, thinking };
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    if (overrides[name] !== undefined)
      throw new SpecError(`${name} is given by --set and by a flag of its own.`, 'Leave one of them out.');
    setOwn(overrides, name, value);
  }
}

/** The environment of `--environment`. Throws SpecError where --set names another one. */
function theOnlyEnvironment(named: string, set: unknown): string {
  const environment = IS_FILE.test(named) ? ownEnvironment(named) : named;
  environmentNamed(environment);
  if ((set ?? environment) !== environment)
    throw new SpecError(`--environment names ${environment}, and the environment is ${set}.`, 'Leave one of them out.');
  return environment;
}

/** `--set` with the file of `--chat-template`. Throws SpecError. */
async function setWithTemplate(flags: Pick<Options, 'chat-template' | 'set'>): Promise<Record<string, string>> {
  const chatTemplate = await chatTemplateSetting(flags);
  return chatTemplate === null ? flags.set : { ...flags.set, chatTemplate: theOnlyTemplate(chatTemplate, flags.set) };
}

/** Overrides of `--set` and the flags of prompts together. Throws SpecError. */
export async function overridesWithPrompts(
  flags: Pick<Options, 'chat-template' | 'chat-arg' | 'set'>,
): Promise<Record<string, unknown>> {
  const overrides = overridesOf(await setWithTemplate(flags));
  promptOverrides(flags, overrides);
  return overrides;
}

/** A file's environment has the file's name, and is known to a lab that was built with it. Throws SpecError. */
function ownEnvironment(file: string): string {
  const id = basename(file).replace(IS_FILE, '');
  if (findEnvironment(id) !== null) return id;
  throw new SpecError(
    `--environment ${file}: the file’s environment is not called ${id}.`,
    'Give it the name of its file as its id, and start the lab by npm run lab.',
  );
}

/** The template of `--chat-template`. Throws SpecError where `--set chatTemplate=` names another one. */
function theOnlyTemplate(template: string, { chatTemplate = template }: Record<string, string>): string {
  if (chatTemplate === template) return template;
  throw new SpecError('--chat-template and --set chatTemplate=… differ.', 'Leave one of them out.');
}

/** Values of --set, with the type of each setting; they are checked with the spec. Throws SpecError. */
export function overridesOf(set: Record<string, string>): Record<string, unknown> {
  const overrides: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(set)) {
    if (!isSettingName(name))
      throw unknownName(`Unknown setting ${name}`, name, SETTING_NAMES, 'See: npm run lab -- run --settings');
    setOwn(overrides, name, settingOfText(name, text));
  }
  return overrides;
}
