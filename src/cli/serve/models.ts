// The names that `serve` answers to, each with its engine: an embedded model or a folder, each adapter of PEFT on it, or a kept run's trained,
// deployed and base models, which are one engine under three vectors of adapter parameters.
import { basename, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import { Engine, type EngineOptions } from '../../engine/decoder/engine.ts';
import type { Placement } from '../../engine/memory/plan.ts';
import { rolloutBatch } from '../../engine/rollout/rollout.ts';
import type { AdapterSettings, ModelConfig, WeightStorage } from '../../engine/types.ts';
import { promptSettingsOf } from '../../experiments/config/options/prompts.ts';
import { withDefaults } from '../../experiments/config/spec.ts';
import type { Device } from '../../kernels/device.ts';
import type { BatchLimits, Writer } from '../../lab/serving/batches.ts';
import type { ServedModel } from '../../lab/serving/prepared.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import type { PromptSettings } from '../../text/chat-template.ts';
import type { CommandContext } from '../command.ts';
import type { DeviceFlags } from '../device-flags.ts';
import { adapterParamsOf } from '../files/checkpoint.node.ts';
import { adapterSource, baseFolder } from '../model/adapter.ts';
import { type ExportOrigin, type ExportSource, openOrigin, openRunDevice } from '../model/export-source.ts';
import { factorInto, openModel, readModel } from '../model/folder.ts';
import { noteUnread, type PromptFlags, promptSettings } from '../model/prompts.ts';
import { chooseStorage, hostLine } from '../model/storage-choice.ts';
import { openDevice } from '../ports.node.ts';

export interface ModelsFlags extends DeviceFlags, PromptFlags {
  readonly model: string | null;
  /** `[NAME=]DIR`, each a name of its own; with a run, the one that was folded into its base. */
  readonly adapter: readonly string[];
  readonly run: string | null;
  readonly 'arm-seed': string | null;
  readonly cache: string;
  readonly storage: 'auto' | WeightStorage;
  /** Most tokens of a prompt and its answer; null: the model's positions, up to a bound. */
  readonly context: number | null;
  /** Sequences that are decoded together. */
  readonly batch: number;
}

export interface OpenModels {
  readonly models: readonly ServedModel[];
  readonly limits: BatchLimits;
  /** The device's name for people. */
  readonly device: string;
  free(): void;
}

/** Tokens of a prompt and its answer, where no flag says more: what a cache is planned for. */
const CONTEXT = 4096;
/** Tokens of one pass over prompts, where the context is no longer. */
const PASS_ROWS = 4096;
/** Bytes of keys and values of all sequences of a batch, if one sequence needs no more. */
const CACHE_BYTES = 2 ** 30;

type Context = CommandContext;
/** A kept run with the model that it was trained on. */
type OpenRun = Pick<ExportOrigin, 'opened'> & NonNullable<ExportOrigin['run']>;

/** Throws SpecError, FormatError, DeviceError. */
export async function openModels(flags: ModelsFlags, context: Context): Promise<OpenModels> {
  const { progress } = context;
  const { run } = flags;
  if (run === null && flags['arm-seed'] !== null)
    throw new SpecError('--arm-seed names a run of --run, which is not given.', 'Add --run FOLDER.');
  const kept = run === null ? null : await openOwnRun(flags, context);
  const opened =
    kept === null
      ? await openFolders(flags, context)
      : [{ name: '', about: kept.opened.folder, files: kept.opened.files }];
  const [{ files }] = opened;
  const words = await openModelText(files, opened[0].about, await promptsOf(flags, kept));
  await noteUnread(words, progress);
  const { config } = files;
  const longest = contextOf(flags, config);
  const device =
    kept === null ? (await openDevice(flags, progress)).device : await openRunDevice(runSource(flags), kept, context);
  const engines: Engine[] = [];
  const free = () => {
    for (const engine of engines) engine.free();
    progress.end();
    device.destroy();
  };
  try {
    const limits = limitsOf(config, device, { context: longest, batch: flags.batch });
    const settings = kept === null ? null : withDefaults(kept.checkpoint.spec);
    const { storage, form } = placementOf(
      flags,
      files,
      device,
      { limits, kept, settings, engines: opened.length },
      context,
    );
    for (const { files: own } of opened) {
      const adapter = await adapterOf(settings, flags, device, own, context);
      const { signal } = context;
      engines.push(await Engine.create({ device, config, weights: own.weights, adapter, storage, form, signal }));
    }
    const served = { words, vocab: config.vocab, context: longest };
    const models =
      kept === null
        ? opened.map(({ name, about }, i) => ({ ...served, name, about, writer: writerOf(engines[i]) }))
        : keptModels(kept, engines[0]).map((one) => ({ ...served, ...one }));
    return { models, limits, device: device.name, free };
  } catch (error) {
    free();
    throw error;
  }
}

async function openOwnRun(flags: ModelsFlags, context: Context): Promise<OpenRun> {
  const { adapter: adapters } = flags;
  if (adapters.length > 1)
    throw new SpecError(
      `--run with ${adapters.length} adapters: a run has one base.`,
      'Name the adapter that was folded into it, or serve the adapters without --run.',
    );
  const { opened, run: kept } = await openOrigin(runSource(flags), context);
  return { opened, ...kept! };
}

/** Source of what `export` would write of the run. */
function runSource({
  run,
  model,
  adapter: [adapter],
  'arm-seed': armSeed,
  cache,
  device,
  threads,
}: ModelsFlags): ExportSource {
  const given = adapter === undefined ? null : namedAdapter(adapter).given;
  return { run, armSeed, model, adapter: given, weights: 'base', cache, device, threads };
}

/** A model that is served under a name of its own. `about`: its folder. */
interface OpenFolder {
  name: string;
  about: string;
  files: ModelFiles;
}

/** The base, and each adapter on it. */
async function openFolders({ model, adapter: adapters }: ModelsFlags, context: Context): Promise<OpenFolder[]> {
  const named = adapters.map(namedAdapter);
  // Without --model it is the base that the first adapter names; another's shapes are checked as it is read.
  const base =
    model === null && named.length > 0
      ? await baseFolder(await adapterSource(named[0].given, context), context.root)
      : model;
  const { folder, name, files } = await readModel({ model: base, adapter: null }, context);
  const opened: OpenFolder[] = [{ name, about: folder, files }];
  for (const { name: own, given } of named) {
    if (opened.some((one) => one.name === own))
      throw new SpecError(`--adapter ${given}: there are two models ${own}.`, 'Give it a name: --adapter NAME=DIR.');
    const adapted = await openModel({ model: folder, adapter: given }, context);
    opened.push({ name: own, about: `${folder} with ${given}`, files: adapted.files });
  }
  return opened;
}

/** `[NAME=]DIR`; without a name it has that of its folder. */
function namedAdapter(text: string): { name: string; given: string } {
  const [, name, given = text] = /^([\w.+-]+)=(.+)$/s.exec(text) ?? [];
  return { name: name ?? basename(resolve(given)), given };
}

/** A run's prompts are written as in its training, where no flag says otherwise. */
async function promptsOf(flags: PromptFlags, kept: OpenRun | null): Promise<PromptSettings> {
  const own = kept === null ? {} : promptSettingsOf(kept.checkpoint.spec);
  const given = await promptSettings(flags);
  return { ...own, ...given, ...((own.args || given.args) && { args: { ...own.args, ...given.args } }) };
}

function contextOf({ context }: ModelsFlags, { maxPositions }: ModelConfig): number {
  if (context === null) return Math.min(maxPositions, CONTEXT);
  if (context <= maxPositions) return context;
  throw new SpecError(
    `--context ${context}: the model has ${maxPositions} positions.`,
    `Give ${maxPositions} at most, or leave it out.`,
  );
}

function limitsOf(
  { layers, kvHeads, headDim, vocab }: ModelConfig,
  { kind, limits }: Device,
  { context, batch }: { context: number; batch: number },
): BatchLimits {
  const sequences = Math.min(batch, rolloutBatch(kind, vocab, limits.maxBindingBytes));
  const rowBytes = 4 * kvHeads * headDim;
  const fits = Math.min(
    Math.floor(CACHE_BYTES / (2 * layers * rowBytes)),
    Math.floor(limits.maxBindingBytes / rowBytes),
  );
  const cacheRows = Math.max(context, Math.min(sequences * context, fits));
  return { sequences, cacheRows, passRows: Math.max(context, Math.min(PASS_ROWS, sequences * context)) };
}

interface Use {
  limits: BatchLimits;
  kept: OpenRun | null;
  settings: AdapterSettings | null;
  /** Engines that share the device. */
  engines: number;
}

/** A run's weights are stored as they were when it was trained. */
function placementOf(
  flags: ModelsFlags,
  files: ModelFiles,
  device: Device,
  { limits: { sequences, cacheRows, passRows }, kept, settings, engines }: Use,
  { progress }: Context,
): Placement {
  if (kept !== null && flags.storage !== 'auto' && flags.storage !== kept.storage)
    throw new SpecError(`--storage ${flags.storage}: the run was trained on ${kept.storage}.`, 'Leave it out.');
  const one = Math.max(1, Math.floor(cacheRows / sequences) - 1);
  const work = {
    rollouts: [
      { prompts: 1, sequences: 1, promptTokens: passRows, maxNew: 1 },
      { prompts: sequences, sequences, promptTokens: 1, maxNew: one },
    ],
    scores: [{ prompts: 1, sequences: 1, promptTokens: 1, completionTokens: passRows, segments: 1 }],
    adapter: settings ?? ('none' as const),
  };
  const share = { ...device.limits, maxTotalBytes: device.limits.maxTotalBytes / engines };
  const { kind } = device;
  const placed = chooseStorage(kept?.storage ?? flags.storage, files.config, work, { kind, limits: share });
  if (engines > 1) progress.note(`${engines} models, for each of which:`);
  progress.note(placed.line);
  progress.note(hostLine(files, work, placed, device));
  return placed;
}

async function adapterOf(
  settings: AdapterSettings | null,
  { cache }: ModelsFlags,
  device: Device,
  files: ModelFiles,
  context: Context,
): Promise<EngineOptions['adapter']> {
  if (settings === null) return 'none';
  if (settings.adapter !== 'svd') return settings;
  return (await factorInto(cache, device, files, context)).factors;
}

function keptModels({ checkpoint, opened }: OpenRun, engine: Engine): Pick<ServedModel, 'name' | 'about' | 'writer'>[] {
  const { arm, seed } = checkpoint.spec;
  const { total } = adapterLayout(engine.config, withDefaults(checkpoint.spec));
  const params = {
    trained: adapterParamsOf(checkpoint, 'trained', total),
    deployed: adapterParamsOf(checkpoint, 'deployed', total),
    // A run that continued an adapter began at its factors.
    base: opened.continues?.initial ?? engine.initialAdapterParams,
  };
  /** Adapter parameters that are folded in. */
  let folded: Float32Array = engine.initialAdapterParams;
  return Object.entries(params).map(([name, own]) => ({
    name,
    about: name === 'base' ? 'the model before training' : `${arm}-${seed} after ${checkpoint.step} steps`,
    writer: writerOf(engine, () => {
      if (folded === own) return;
      engine.setAdapterParams(own);
      folded = own;
    }),
  }));
}

const writerOf = (engine: Engine, fold: () => void = () => {}): Writer => ({
  prepare: fold,
  generate: (request) => engine.generate(request),
  ranked: (texts, count, signal) => engine.ranked(texts, count, signal),
});
