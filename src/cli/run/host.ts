// Trains an experiment's runs in this process: model, device, grader and folder, opened in two steps. The first (the host) is cheap and
// knows all names, so that a parent of training processes can do without the second (the ports).
import { performance } from 'node:perf_hooks';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import type { Factors } from '../../engine/adapters/svd.ts';
import type { Placement } from '../../engine/memory/plan.ts';
import type { AdapterForm, AdapterLayout } from '../../engine/types.ts';
import { createNodeGrader, createPyodideNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { selfCheck } from '../../environments/code/grading/self-check.ts';
import type { Grader } from '../../environments/code/types.ts';
import { promptSettingsOf } from '../../experiments/config/options/prompts.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { Resolved } from '../../experiments/config/spec.ts';
import type { LoadableEnvironment } from '../../experiments/environments/definition.ts';
import { environmentNamed } from '../../experiments/environments/registry.ts';
import { type ExperimentPorts, knowsThinkingOf } from '../../experiments/kinds/run/experiment.ts';
import { basisCoverText } from '../../experiments/records/artifacts.ts';
import { changedSettings, resumedSpec } from '../../experiments/records/checkpoint.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import type { Device } from '../../kernels/device.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import { coverOf, readBasisFile } from '../../storage/basis-file.ts';
import { storedSha256 } from '../../storage/model-files.ts';
import { diskFile } from '../../storage/sources.node.ts';
import type { CommandContext } from '../command.ts';
import type { GivenFiles } from '../files/given.node.ts';
import { openDevice } from '../ports.node.ts';
import { RunDirectory } from '../run-directory.ts';
import type { Options } from './flags.ts';
import { openRunFolder, type RunFolder } from './folder.ts';
import { folderOf, keptBackendOf, keptFormOf, keptStorageOf } from './kept-storage.ts';
import { isOwnModel, loadRunModel, openRunModel, planRun, type RunModel, yieldingPolicy } from './model.ts';
import type { Parent } from './parent.ts';
import { checkPositions } from './positions.ts';

/** Id of the experiment to which runs of the command line belong. */
export const EXPERIMENT = 'cli';

export interface RunHost {
  /** Runs of the experiment. */
  runs: RunSpec[];
  model: RunModel;
  device: Device;
  placed: Placement;
  modelSha256: string;
  layout: AdapterLayout;
  folder: RunFolder;
  /** Parent run of a fork. */
  parent?: Parent | null;
  /** Throws SpecError where the folder keeps a run of that name from another experiment. */
  finishedRun(runId: string): Promise<RunRecord | null>;
}

/** `own`: keeps account of the folder, where that is not this process. Throws SpecError, FormatError, DeviceError. */
export async function openHost(
  { spec, runs }: Resolved,
  flags: Options,
  given: GivenFiles,
  context: CommandContext,
  ownAt: (path: string) => RunDirectory = (path) => new RunDirectory(path),
): Promise<RunHost> {
  const { progress } = context;
  const [first] = runs;
  const model = await openRunModel(first.model, flags, context, promptSettingsOf(first), first);
  const { id, files, codec } = model;
  // Positions are checked before anything is factored. A model made for its environment has room for every prompt of it; a file of problems
  // is always checked.
  const { id: environment, example, pretraining } = environmentNamed(first.environment);
  const isOwn = isOwnModel(flags);
  const isMadeForIt = !isOwn && (pretraining !== undefined || example !== environment);
  const promptTokens =
    !isMadeForIt || given.problems
      ? await checkPositions(runs, { id, codec, maxPositions: files.config.maxPositions }, given)
      : null;
  const begun =
    spec.device === 'auto' && !flags.fresh ? await keptBackendOf(spec, flags.out, files.sha256, context.root) : null;
  const { device } = await openDevice({ ...flags, device: begun ?? spec.device }, progress);
  let placed: Placement = { storage: 'f32', form: 'folded' };
  if (isOwn && promptTokens !== null) {
    const wanted =
      flags.storage === 'auto' && !flags.fresh
        ? await keptStorageOf(spec, flags.out, files.sha256, context.root)
        : null;
    const form =
      flags.form === 'auto' && !flags.fresh ? await keptFormOf(spec, flags.out, files.sha256, context.root) : null;
    const planned = planRun(wanted ?? flags.storage, { spec, runs }, files, promptTokens, device, form ?? flags.form);
    if (wanted) progress.note(`Going on with the storage that this experiment was begun with: ${wanted}.`);
    progress.note(planned.line);
    progress.note(planned.hostLine);
    placed = { storage: planned.storage, form: planned.form };
  }
  const modelSha256 = await storedSha256(files.sha256, placed.storage);
  const layout = adapterLayout(files.config, first);
  if (flags.basis !== null)
    await checkBasis(flags.basis, layout, { modelSha256, promptsSha256: model.promptsSha256 }, context);
  const path = await folderOf(spec, flags.out, modelSha256, context.root);
  const folder = openRunFolder(ownAt(path), layout, modelSha256, given, progress.note);
  await folder.own.prepare(progress.note);
  const finishedRun = async (runId: string) =>
    checkSameExperiment(await folder.finishedRun(runId), runs, { modelSha256, form: placed.form }, folder);
  return { runs, model, device, placed, modelSha256, layout, folder, finishedRun };
}

/** Opens the grader, and loads the model. `factored`: factors of an embedded model, where another process makes them. */
export async function openPorts(
  flags: Options,
  host: RunHost,
  context: CommandContext,
  more: { graderWorkers?: number; factored?: () => Promise<ReadonlyMap<string, Factors> | null> } = {},
): Promise<{ ports: ExperimentPorts; close(): Promise<void> }> {
  const { runs, model, device, placed, modelSha256, folder, parent = null } = host;
  const [first] = runs;
  const grader = await openGrader(environmentNamed(first.environment), more.graderWorkers);
  try {
    await selfCheck(grader, context.signal);
    const use = { ...placed, cache: flags.cache, factored: await more.factored?.() };
    const policy = await loadRunModel(model, device, first, use, context);
    const ports: ExperimentPorts = {
      experimentId: EXPERIMENT,
      policy: yieldingPolicy(policy),
      device,
      codec: model.codec,
      grader,
      about: {
        modelId: model.id,
        modelSha256,
        appVersion: APP_VERSION,
        begunFrom: model.begunFrom,
        ...knowsThinkingOf(model),
      },
      checkpoints: folder.checkpoints,
      artifacts: folder.artifacts,
      steps: folder.steps,
      parents: parent,
      date: () => Date.now(),
      now: () => performance.now(),
      signal: context.signal,
    };
    const close = async () => {
      policy.free();
      await grader.close();
    };
    return { ports, close };
  } catch (error) {
    await grader.close();
    throw error;
  }
}

/** The Python that judges in this environment. */
const openGrader = ({ python }: LoadableEnvironment, workers?: number): Promise<Grader> =>
  python === 'cpython' ? createPyodideNodeGrader({ workers }) : createNodeGrader({ workers });

/** Refuses a finished run of other weights, form or settings, as is done for a checkpoint. Throws SpecError. */
function checkSameExperiment(
  run: RunRecord | null,
  runs: readonly RunSpec[],
  { modelSha256, form }: { modelSha256: string; form: AdapterForm },
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
  const { adapterForm: made = 'folded' } = run;
  if (made !== form)
    throw new SpecError(
      `${path} keeps a finished run of ${arm}, seed ${seed}, whose adapter was ${made}; this one’s is ${form}.`,
      remedy,
    );
  const planned = runs.find((other) => other.arm === arm && other.seed === seed);
  const changed = planned ? changedSettings(run.spec, resumedSpec(run, planned)) : ['arm'];
  if (changed.length > 0)
    throw new SpecError(
      `${path} keeps a finished run of ${arm}, seed ${seed}, that was made with another ${changed.join(', ')}.`,
      remedy,
    );
  return run;
}

/** Refuses a basis that this model cannot project with, and says what the given one covers. Throws FormatError. */
export async function checkBasis(
  path: string,
  layout: AdapterLayout,
  model: { modelSha256: string; promptsSha256: string },
  { progress }: CommandContext,
) {
  const { modules, warnings, metadata } = await readBasisFile((await diskFile(path))!, layout, {
    label: path,
    ...model,
  });
  const k = Math.max(...[...modules.values()].map((basis) => basis.k));
  const cover = { modules: coverOf(modules).modules, modelModules: layout.modules.length, k, nPairs: metadata.nPairs };
  progress.note(`Basis: ${path}, ${basisCoverText(cover)}.`);
  for (const warning of warnings) progress.note(`Basis: ${warning}`);
}
