// `run`: trains arms × seeds headless and ends with one table. Stopped by Ctrl-C, the same command goes on from the last
// checkpoints to the same bytes.

import { resolve } from 'node:path';
import type { WeightStorage } from '../../engine/types.ts';
import { createNodeGrader } from '../../environments/code/grader/node-grader.node.ts';
import { createPyodideNodeGrader } from '../../environments/code/grader/pyodide-grader.node.ts';
import { selfCheck } from '../../environments/code/grader/self-check.ts';
import type { Grader } from '../../environments/code/types.ts';
import { leetcodeEnvironmentId } from '../../environments/leetcode/environment.ts';
import { runExperiment } from '../../experiments/kinds/run/experiment.ts';
import { changedSettings, resumedSpec } from '../../experiments/records/checkpoint.ts';
import type { ExperimentResult, RunRecord } from '../../experiments/records/events.ts';
import {
  ARM_NAMES,
  describeFields,
  type ExperimentSpec,
  PRESET_NAMES,
  PRESETS,
  parseExperimentSpec,
  resolveRuns,
  SETTING_NAMES,
} from '../../experiments/spec/spec.ts';
import type { WorldEntry } from '../../experiments/worlds/definition.ts';
import { headlinesOf } from '../../experiments/worlds/of-run.ts';
import { WORLD_NAMES, worldOf } from '../../experiments/worlds/registry.ts';
import { APP_VERSION } from '../../lab/version.ts';
import { ProgressTracker } from '../../lab/work/progress.ts';
import { SpecError, StoppedError } from '../../lib/errors.ts';
import { setOwn } from '../../lib/own.ts';
import { readBasisFile } from '../../storage/basis-file.ts';
import { diskFile } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import { integer, integers, list, nearest, oneOf, parseArgs, settings, text, toggle, type Values } from '../args.ts';
import { type Command, type CommandContext, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { type PairsOfFile, readPairFile } from '../files/pairs.node.ts';
import { type PoolOfFile, readPoolFile } from '../files/pool.node.ts';
import { type ProblemsOfFile, readProblems } from '../files/problems.node.ts';
import { CACHE_FLAG } from '../model/folder.ts';
import { begunWith, folderOf } from '../model/kept-storage.ts';
import { STORAGE_FLAG, STORAGE_NOTES } from '../model/storage-choice.ts';
import { beginAnew } from '../own-folder.ts';
import { chooseNodeDevice, describeMachine, deviceLine, writeWhole } from '../ports.node.ts';
import { openRunFolder, type RunFolder } from './folder.ts';
import { follow } from './follow.ts';
import { breathing, embeddedStorage, loadRunModel, modelIdOf, openRunModel, planRun, theOnlyModel } from './model.ts';
import { checkPositions } from './positions.ts';
import { renderResult } from './result-table.ts';
import { settingsText } from './settings.ts';

const usage = {
  name: 'run',
  summary: 'Trains arms × seeds, evaluates every model that they make, and prints the final table.',
  positional: [],
  flags: {
    preset: oneOf(PRESET_NAMES, 'Where every setting starts from.', 'demo'),
    arms: list(ARM_NAMES, 'What to compare; the preset’s arms where absent.'),
    seeds: integers('Seeds; the preset’s where absent.'),
    steps: integer('Optimizer steps.', null, 1),
    world: text(
      'NAME',
      `What the student acts in: ${WORLD_NAMES.join(', ')}; its own model and settings come with it.`,
      null,
    ),
    set: settings('Any other setting of the run (several times); --settings lists them.'),
    model: text('DIR', 'A model of your own, a folder in Hugging Face’s layout, in place of the embedded one.', null),
    storage: STORAGE_FLAG,
    cache: CACHE_FLAG,
    basis: text('FILE', 'A hack basis (safetensors) to project with instead of one from the pairs.', null),
    'pair-set': text('FILE', 'Labelled pairs of your own (.json) to extract the basis from.', null),
    'teacher-pool': text('FILE', 'A teacher pool (.jsonl, .jsonl.gz) in place of the templates.', null),
    problems: text(
      'FILE',
      'Real problems (the rl-rewardhacking benchmark’s format) in place of the substrate; graded by CPython.',
      null,
    ),
    ...deviceFlags('What to compute on.'),
    json: text('FILE', 'Write spec, rows and verdicts as JSON; - prints them instead of the table.', null),
    out: text('DIR', 'Keep checkpoints (.safetensors too), runs, pool and basis there.', null),
    fresh: toggle('Begin anew; what the lab kept in the folder is moved aside, into a folder aside-N there.'),
    yes: toggle('With --fresh: do not ask. Without a terminal nobody is asked.'),
    settings: toggle('List every setting with its meaning and bounds, and end.'),
  },
  notes: [
    'Presets:',
    ...PRESET_NAMES.map((name) => `  ${name.padEnd(12)}${PRESETS[name].description}`),
    'fast and full are for --model. Its prompts must leave room for a whole completion (maxNew) within the model’s positions.',
    STORAGE_NOTES,
    'Without --out, what is needed to go on after Ctrl-C is kept in .cache/runs until the experiment is done.',
  ].join('\n'),
} as const;
type Options = Values<typeof usage.flags>;

/** Files of a person's own that the spec names by their contents. */
interface Given {
  /** sha-256 of --basis. */
  basis: string | null;
  pool: PoolOfFile | null;
  pairs: PairsOfFile | null;
  problems: ProblemsOfFile | null;
}

export const run: Command = {
  usage,
  async run(argv, context) {
    const { flags } = parseArgs(usage, argv);
    if (flags.settings) {
      context.out(settingsText());
      return EXIT.ok;
    }
    const basis = flags.basis === null ? null : await hashOf(flags.basis);
    const pool = flags['teacher-pool'] === null ? null : await readPoolFile(flags['teacher-pool']);
    const pairs = flags['pair-set'] === null ? null : await readPairFile(flags['pair-set']);
    const problems = flags.problems === null ? null : await readProblems(flags.problems);
    if (flags.model === null && flags.storage !== 'auto') throw embeddedStorage(flags.storage);
    const model = flags.model === null ? undefined : await modelIdOf(flags.model, context.root);
    const spec = specOf(flags, basis, pool?.sha256, pairs ?? undefined, problems ?? undefined, model);
    const result = await train(spec, flags, { basis, pool, pairs, problems }, context);
    const record = { schema: 1, app: APP_VERSION, machine: describeMachine(), ...result };
    if (flags.json === '-') context.out(JSON.stringify(record));
    else {
      if (flags.json !== null) await writeWhole(resolve(flags.json), `${JSON.stringify(record)}\n`);
      context.out(renderResult(result, headlinesOf(result.runs[0].spec.environment)));
    }
    return EXIT.ok;
  },
};

/** Flags → the one schema that form, URL and storage use. Throws SpecError. */
export function specOf(
  flags: Pick<Options, 'preset' | 'arms' | 'seeds' | 'steps' | 'set' | 'device'> & Partial<Pick<Options, 'world'>>,
  basis: string | null,
  teacherPool?: string,
  own?: PairsOfFile,
  problems?: ProblemsOfFile,
  model?: string,
): ExperimentSpec {
  const overrides: Record<string, unknown> = own ? { pairSet: own.id, pairs: own.pairs.length } : {};
  Object.assign(overrides, overridesOf(flags.set));
  if (model !== undefined) overrides.model = theOnlyModel(model, overrides.model);
  if (flags.steps !== null) overrides.steps = flags.steps;
  if (basis !== null) Object.assign(overrides, { basisSource: 'file', basisFile: basis });
  if (teacherPool !== undefined) overrides.teacherPool = teacherPool;
  if (problems) overrides.environment = leetcodeEnvironmentId(problems.sha256);
  if (flags.world) overrides.environment = theOnlyWorld(flags.world, overrides.environment);
  const { preset, device } = flags;
  return parseExperimentSpec({
    preset,
    device,
    overrides,
    arms: flags.arms ?? undefined,
    seeds: flags.seeds ?? undefined,
  });
}

/** What `--world` names, where nothing else says another one. Throws SpecError. */
function theOnlyWorld(world: string, set: unknown): string {
  worldOf(world);
  if ((set ?? world) !== world)
    throw new SpecError(`--world names ${world}, and the environment is ${set}.`, 'Leave one of them out.');
  return world;
}

/** What --set says, with the type that each setting has; its value is checked with the spec. Throws SpecError. */
export function overridesOf(set: Record<string, string>): Record<string, unknown> {
  const overrides: Record<string, unknown> = {};
  const kinds = new Map(describeFields().map(({ name, kind }) => [name as string, kind.type]));
  for (const [name, value] of Object.entries(set)) {
    const kind = kinds.get(name);
    if (!kind) {
      const guess = nearest(name, SETTING_NAMES);
      throw new SpecError(
        `Unknown setting ${name}${guess ? `; did you mean ${guess}?` : '.'}`,
        'See: npm run lab -- run --settings',
      );
    }
    if (kind === 'integer' || kind === 'number') setOwn(overrides, name, value.trim() === '' ? value : Number(value));
    else if (kind === 'boolean') setOwn(overrides, name, { true: true, false: false }[value] ?? value);
    else setOwn(overrides, name, kind === 'choices' ? value.split(',').filter((item) => item !== '') : value);
  }
  return overrides;
}

async function train(
  spec: ExperimentSpec,
  flags: Options,
  given: Given,
  context: CommandContext,
): Promise<ExperimentResult> {
  const { progress, signal } = context;
  const [first] = resolveRuns(spec);
  const model = await openRunModel(first.model, flags.model, context);
  const { id, files, codec } = model;
  // Before anything is factored; the embedded model has room for every prompt of the substrate.
  const promptTokens =
    flags.model !== null || given.problems
      ? await checkPositions(spec, { id, codec, maxPositions: files.config.maxPositions }, given)
      : null;
  const { device, report } = await chooseNodeDevice({ ...flags, device: spec.device });
  progress.note(deviceLine(report));
  let storage: WeightStorage = 'f32';
  if (flags.model !== null && promptTokens !== null) {
    const wanted =
      flags.storage === 'auto' && !flags.fresh ? await begunWith(spec, flags.out, files.sha256, context.root) : null;
    const planned = planRun(wanted ?? flags.storage, spec, files, promptTokens, device);
    if (wanted) progress.note(`Going on with the storage that this experiment was begun with: ${wanted}.`);
    progress.note(planned.line);
    progress.note(planned.hostLine);
    storage = planned.storage;
  }
  const grader = await openGrader(worldOf(first.environment));
  try {
    await selfCheck(grader, signal);
    const { policy, sha256: modelSha256 } = await loadRunModel(
      model,
      device,
      first,
      { storage, cache: flags.cache },
      context,
    );
    if (flags.basis !== null) await checkBasis(flags.basis, policy.knobs, modelSha256, context);
    const folder = await openFolder(spec, flags, given, modelSha256, policy.knobs, context);
    const experimentId = 'cli';
    const tracker = new ProgressTracker(experimentId, spec, () => performance.now());
    const stream = runExperiment(spec, {
      experimentId,
      policy: breathing(policy),
      device,
      codec,
      grader,
      about: { modelId: id, modelSha256, appVersion: APP_VERSION },
      checkpoints: folder.checkpoints,
      artifacts: {
        ...folder.artifacts,
        loadProblems: async (id) => (id === given.problems?.sha256 ? given.problems.text : null),
      },
      steps: folder.steps,
      finishedRun: async (runId) => ofThisExperiment(await folder.finishedRun(runId), spec, modelSha256, folder),
      date: () => Date.now(),
      now: () => performance.now(),
      signal,
    });
    const result = await follow(stream, tracker, folder, context).catch((error: unknown) => {
      if (error instanceof StoppedError) progress.note('Stopped. The same command goes on from the last checkpoint.');
      throw error;
    });
    policy.free();
    if (flags.out === null) await folder.remove();
    return result;
  } finally {
    await grader.close();
  }
}

/** The Python that judges in this world. */
const openGrader = ({ python }: WorldEntry): Promise<Grader> =>
  python === 'cpython' ? createPyodideNodeGrader() : createNodeGrader();

/** As a checkpoint, a finished run of other weights or settings is none of this experiment. Throws SpecError. */
function ofThisExperiment(
  run: RunRecord | null,
  spec: ExperimentSpec,
  modelSha256: string,
  { path }: RunFolder,
): RunRecord | null {
  if (run === null) return null;
  const remedy = 'Choose another folder with --out, or begin anew with --fresh.';
  const { arm, seed } = run.spec;
  if (run.modelSha256 !== modelSha256)
    throw new SpecError(
      `${path} keeps a finished run of ${arm}, seed ${seed}, on model ${run.modelSha256}; this is model ${modelSha256}.`,
      remedy,
    );
  const planned = resolveRuns(spec).find((other) => other.arm === arm && other.seed === seed);
  const changed = planned ? changedSettings(run.spec, resumedSpec(run, planned)) : ['arm'];
  if (changed.length > 0)
    throw new SpecError(
      `${path} keeps a finished run of ${arm}, seed ${seed}, that was made with another ${changed.join(', ')}.`,
      remedy,
    );
  return run;
}

async function openFolder(
  spec: ExperimentSpec,
  flags: Options,
  { basis, pool, pairs }: Given,
  modelSha256: string,
  layout: Parameters<typeof openRunFolder>[1],
  context: CommandContext,
): Promise<RunFolder> {
  const path = await folderOf(spec, flags.out, modelSha256, context.root);
  const bases = new Map(basis === null ? [] : [[basis, flags.basis!]]);
  const pairSets = new Map(pairs === null ? [] : [[pairs.id, pairs.pairs]]);
  const pools = new Map(pool === null ? [] : [[pool.sha256, pool.kept]]);
  const warn = (line: string) => context.progress.note(line);
  const folder = openRunFolder(path, layout, modelSha256, bases, pairSets, pools, warn);
  await folder.own.prepare();
  if (flags.fresh) await beginAnew(folder.own, flags.yes, context);
  return folder;
}

export async function hashOf(path: string): Promise<string> {
  const file = await diskFile(path);
  if (!file)
    throw new SpecError(
      `--basis ${path}: there is no such file.`,
      'Name a safetensors file with V/<module> and S/<module>.',
    );
  return sha256(file);
}

export async function checkBasis(
  path: string,
  layout: Parameters<typeof openRunFolder>[1],
  modelSha256: string,
  { progress }: CommandContext,
) {
  const { warnings } = await readBasisFile((await diskFile(path))!, layout, { label: path, modelSha256 });
  for (const warning of warnings) progress.note(`Basis: ${warning}`);
}
