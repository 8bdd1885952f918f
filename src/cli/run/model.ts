// The model that `run` trains: an embedded one, factored as it is loaded, or a folder in Hugging Face's layout, whose singular vectors are
// kept in the cache folder of `svd`. A folder's model has the same id and sha-256 as on the page, so that runs and bases can be exchanged.
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { formsOf } from '../../engine/adapter-layout.ts';
import type { Factors } from '../../engine/adapters/svd.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import { formsFor, type Placement, placedIn, planLimits, planStorage } from '../../engine/memory/plan.ts';
import { LEAST_STORAGE } from '../../engine/storage-layouts.ts';
import type { AdapterForm, AdapterSettings, Policy, WeightStorage } from '../../engine/types.ts';
import type { Resolved } from '../../experiments/config/spec.ts';
import type { BegunFrom } from '../../experiments/records/events.ts';
import type { Device } from '../../kernels/device.ts';
import { misfitOf, trainingWork } from '../../lab/estimate/memory.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import { folderSafe } from '../../storage/models/keep.ts';
import type { PromptSettings } from '../../text/chat-template.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { CommandContext } from '../command.ts';
import { yieldToEvents } from '../drain.ts';
import { type AdapterContext, adaptedName, adapterSource, baseFolder } from '../model/adapter.ts';
import { keepInto, type ModelChoice, modelLines, openModel } from '../model/folder.ts';
import { noteUnread } from '../model/prompts.ts';
import { chooseStorage, hostLine } from '../model/storage-choice.ts';
import { loadEmbeddedModel } from '../ports.node.ts';

export interface RunModel {
  /** Value of `spec.model`. */
  id: string;
  files: ModelFiles;
  codec: PromptCodec;
  isEmbedded: boolean;
  /** Hash of how its conversations are written (ModelText). */
  promptsSha256: string;
  /** Whether its chat template knows thoughts; absent for an embedded model, whose runs keep their bytes. */
  knowsThinking?: boolean;
  /** The adapter of PEFT that it begins from; absent without one. */
  begunFrom?: BegunFrom;
  /** Start of the run's LoRA if it continues the adapter. */
  initial?: Float32Array;
}

export type StorageFlag = 'auto' | WeightStorage;
export type FormFlag = 'auto' | AdapterForm;

/** Value of `spec.model` for a folder, with the adapter that is folded into it. Throws SpecError for a missing folder, or one with an
 *  embedded model's name and no adapter. */
export async function modelIdOf({ model, adapter }: ModelChoice, context: AdapterContext): Promise<string> {
  const { root } = context;
  const folder = model ?? (await baseFolder(await adapterSource(adapter!, context), root));
  const path = resolve(folder);
  const isFolder = (at: string) =>
    stat(at).then(
      (info) => info.isDirectory(),
      () => false,
    );
  if (!(await isFolder(path)))
    throw new SpecError(
      `--model ${folder}: there is no such folder.`,
      'Name a folder with config.json, model.safetensors and tokenizer.json.',
    );
  const id = folderSafe(basename(path));
  if (adapter !== null) return adaptedName(id, adapter);
  if (await isFolder(join(root, 'public', 'models', id)))
    throw new SpecError(
      `--model ${folder}: ${id} is the name of an embedded model, and its runs would be taken for those of that one.`,
      `Rename the folder; or leave --model out to train the embedded model (--set model=${id}).`,
    );
  return id;
}

/** The model of `--model`. Throws SpecError where `--set model=` names another one. */
export function theOnlyModel(folderId: string, set: unknown): string {
  if ((set ?? folderId) !== folderId)
    throw new SpecError(
      `--model names ${folderId}, and --set model=${set} another one.`,
      'Leave one of them out: with --model, the folder’s name is the model’s.',
    );
  return folderId;
}

export const embeddedStorage = (storage: StorageFlag): SpecError =>
  new SpecError(`--storage ${storage}: embedded models lie in f32.`, 'Leave it away, or add --model DIR.');

export const embeddedForm = (form: FormFlag): SpecError =>
  new SpecError(`--form ${form}: adapters of embedded models are folded.`, 'Leave it away, or add --model DIR.');

/** Whether a model of one's own is named, in place of an embedded one. */
export const isOwnModel = ({ model, adapter }: ModelChoice): boolean => model !== null || adapter !== null;

/** Reads headers and tokenizer, hashes the weights and folds the adapter in, or lets the run's LoRA (`trains`) continue it; without a choice:
 *  the embedded model with this id; `prompts`: how they are written. Throws FormatError. */
export async function openRunModel(
  id: string,
  choice: ModelChoice | null,
  context: CommandContext,
  prompts: PromptSettings = {},
  trains: AdapterSettings | null = null,
): Promise<RunModel> {
  const { progress, signal, root } = context;
  if (choice === null || !isOwnModel(choice)) {
    const files = await loadEmbeddedModel(root, id);
    const words = await openModelText(files, id, prompts);
    await noteUnread(words, progress);
    return { id, files, codec: words.codec, isEmbedded: true, promptsSha256: await words.promptsSha256() };
  }
  const onHashed = (done: number, total: number) => {
    if (signal.aborted) throw new StoppedError();
    progress.update('hashing the weights, MB', done / 1e6, total / 1e6);
  };
  const { folder, files, adapter, continues } = await openModel(choice, context, onHashed, trains);
  progress.end();
  for (const line of modelLines(files)) progress.note(line);
  const words = await openModelText(files, folder, prompts);
  await noteUnread(words, progress);
  const { codec, knowsThinking } = words;
  const read = { id, files, codec, isEmbedded: false, promptsSha256: await words.promptsSha256(), knowsThinking };
  if (adapter === null) return read;
  const { sha256, r } = adapter;
  const begunFrom: BegunFrom = { sha256, rank: r, as: continues ? 'continued' : 'folded' };
  return { ...read, begunFrom, ...(continues && { initial: continues.initial }) };
}

/**
 * Storage of a folder's weights on the device and form of its adapter, such that all runs of the experiment fit beside them. Throws SpecError, with the need, the
 * room and a choice that would fit, before anything is loaded. `promptTokens`: the longest prompt.
 */
export function planRun(
  wanted: StorageFlag,
  experiment: Resolved,
  files: Pick<ModelFiles, 'config' | 'textBytes'>,
  promptTokens: number,
  device: Pick<Device, 'kind' | 'limits'>,
  form: FormFlag,
): Placement & { line: string; hostLine: string } {
  const { config } = files;
  const work = trainingWork(experiment.runs, config, promptTokens, device.kind);
  const forms = formsFor(work.adapter, form);
  if (form !== 'auto' && !formsOf(work.adapter).includes(form))
    throw new SpecError(`--form ${form}: ${experiment.runs[0].adapter} is always folded.`, 'Leave --form out.');
  const limits = planLimits(device);
  const plan = planStorage(config, work, limits, form);
  // If nothing fits, the message is about the smallest storage.
  const storage = wanted === 'auto' ? (plan.ok ? plan.storage : LEAST_STORAGE) : wanted;
  const placed = placedIn(storage, config, work, limits, forms);
  const misfit = misfitOf(experiment, config, promptTokens, device.kind, device.limits, placed);
  if (misfit) throw new SpecError(`${storage}: ${misfit.message}`, misfit.remedy);
  const chosen = chooseStorage(wanted, config, work, device, form);
  return { ...chosen, hostLine: hostLine(files, work, chosen, device) };
}

/** An embedded model's singular vectors by module, with a turn of the event loop after each. */
export async function factorsOf(
  { files: { config, weights } }: RunModel,
  device: Device,
  { progress, signal }: CommandContext,
): Promise<ReadonlyMap<string, Factors>> {
  const onProgress = (done: number, total: number) => {
    progress.update('factoring the model', done, total);
    return yieldToEvents();
  };
  const engine = await Engine.create({ device, config, weights, signal, onProgress });
  const { factors } = engine;
  engine.free();
  return factors;
}

/** Loads the model with its adapter. A folder's singular vectors are read from `cache`, or computed and written there; an embedded model's
 *  are computed where they are not given. */
export async function loadRunModel(
  { files, isEmbedded, initial }: RunModel,
  device: Device,
  { adapter, loraRank }: AdapterSettings,
  use: Partial<Placement> & { cache: string; factored?: ReadonlyMap<string, Factors> | null },
  context: CommandContext,
): Promise<Engine> {
  const { progress, signal } = context;
  const { config, weights } = files;
  const isKept = adapter === 'svd' && !isEmbedded;
  return Engine.create({
    device,
    config,
    weights,
    adapter: isKept
      ? (await keepInto(use.cache, device, files, context)).reader
      : (use.factored ?? { adapter, loraRank, initial }),
    storage: use.storage,
    form: use.form,
    signal,
    onProgress: (done, total) => progress.update(isKept ? 'loading the model' : 'factoring the model', done, total),
  });
}

/** The same policy, with a turn of the event loop after every few tokens: the CPU device never waits, and the rollouts of a real model take
 *  minutes in which a Ctrl-C would not be heard. The samples do not change. */
export function yieldingPolicy(policy: Policy): Policy {
  return {
    config: policy.config,
    adapterLayout: policy.adapterLayout,
    form: policy.form,
    roundsSteps: policy.roundsSteps,
    initialAdapterParams: policy.initialAdapterParams,
    setAdapterParams: (adapterParams) => policy.setAdapterParams(adapterParams),
    generate: (request) => policy.generate({ ...request, breathe: yieldToEvents }),
    generateEpisodes: (request) => policy.generateEpisodes({ ...request, breathe: yieldToEvents }),
    score: (sequences, segments, signal) => policy.score(sequences, segments, signal),
    distill: (pairs, segments, options) => policy.distill(pairs, segments, options),
    activations: (sequences, layer, signal) => policy.activations(sequences, layer, signal),
    free: () => policy.free(),
  };
}
