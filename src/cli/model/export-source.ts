// The weights that `export` writes: those of a model folder as they are, or of a kept run's student, folded.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import { foldedWeights } from '../../engine/adapters/folded.ts';
import { STORAGES } from '../../engine/storage-layouts.ts';
import type { WeightStorage, Weights } from '../../engine/types.ts';
import { readAll } from '../../engine/weights/reader.ts';
import { promptSettingsOf } from '../../experiments/config/options/prompts.ts';
import { withDefaults } from '../../experiments/config/spec.ts';
import type { Checkpoint } from '../../experiments/records/checkpoint.ts';
import { formOfContext, numericsOfContext } from '../../experiments/records/numerics.ts';
import type { Device, Numerics } from '../../kernels/device.ts';
import { type ModelFiles, storedSha256 } from '../../storage/model-files.ts';
import type { CommandContext } from '../command.ts';
import type { DeviceFlags } from '../device-flags.ts';
import { adapterParamsOf, checkpointOf, RUN_WORDS } from '../files/checkpoint.node.ts';
import { openDevice } from '../ports.node.ts';
import { factorInto, type ModelChoice, type OpenModel, readModel } from './folder.ts';

export const WEIGHTS = ['trained', 'deployed', 'base', 'quarantine'] as const;

export interface ExportSource extends DeviceFlags {
  /** A folder of `run --out`, and which of its runs. */
  run: string | null;
  armSeed: string | null;
  /** The model's folder: the one to export, or the one that the run was trained on where that is not an embedded model. */
  model: string | null;
  /** A LoRA adapter of PEFT that is folded into that model. */
  adapter: string | null;
  /** Null: trained for a run, base for a folder. */
  weights: (typeof WEIGHTS)[number] | null;
  /** Folder of cached singular vectors. */
  cache: string;
}

export interface ExportedModel {
  folder: string;
  files: ModelFiles;
  weights: Weights;
  /** Provenance of the weights, for the files' metadata and the last line. */
  origin: Readonly<Record<string, string>>;
}

/** The model that is exported, and the run's checkpoint where one is named. */
export interface ExportOrigin {
  /** An adapter is folded in, if one is named. */
  opened: OpenModel;
  run: {
    checkpoint: Checkpoint;
    /** Storage of its frozen weights on the device. */
    storage: WeightStorage;
    /** Null where it does not say. */
    device: Numerics | null;
  } | null;
  /** Provenance, for the files' metadata and the last line. */
  origin: Readonly<Record<string, string>>;
}

/** Opens the model, and checks that the run was trained on it. Throws SpecError, FormatError. */
export async function openOrigin(source: ExportSource, context: CommandContext): Promise<ExportOrigin> {
  const checkpoint = source.run === null ? null : await checkpointOf(source.run, source.armSeed, RUN_WORDS);
  const choice = { model: baseOf(source, checkpoint, context.root), adapter: source.adapter };
  const which = source.weights ?? 'trained';
  const opened =
    checkpoint === null ? await readModel(choice, context) : await openTrained(choice, checkpoint, context);
  const { folder, files, adapter } = opened;
  const made = { model_sha256: files.sha256, ...(adapter === null ? {} : { adapter_sha256: adapter.sha256 }) };
  if (checkpoint === null) return { opened, run: null, origin: { ...made, weights: 'base' } };
  const trainedOn = trainedWith(checkpoint);
  const storage = await storageOf(files.sha256, trainedOn.sha256);
  if (storage === null)
    throw new SpecError(
      `${source.run} was trained on weights with the sha-256 ${trainedOn.sha256?.slice(0, 12)}…, ${folder} has ${files.sha256.slice(0, 12)}….`,
      'Name the folder of the model that the run was trained on with --model, and the adapter that was folded into it with --adapter.',
    );
  const { arm, seed } = checkpoint.spec;
  const step = which === 'base' ? 0 : checkpoint.step;
  const origin = { ...made, weights: which, run: `${arm}-${seed}`, step: String(step) };
  return { opened, run: { checkpoint, storage, device: trainedOn.device }, origin };
}

/** The device that `auto` chooses is the run's own kind of CPU; a note where singular vectors come from another one. */
export async function openRunDevice(
  source: ExportSource,
  { checkpoint, device: trained }: NonNullable<ExportOrigin['run']>,
  { progress }: Pick<CommandContext, 'progress'>,
): Promise<Device> {
  const isItsOwn = source.device === 'auto' && (trained === 'cpu' || trained === 'cpu-fused');
  const { device } = await openDevice({ ...source, device: isItsOwn ? trained! : source.device }, progress);
  if (withDefaults(checkpoint.spec).adapter === 'svd' && trained !== null && trained !== device.numerics)
    progress.note(
      `The run was trained on ${trained}, whose singular vectors may differ in their last digits from those of ${device.numerics}: --device ${trained} gives its weights to the bit.`,
    );
  return device;
}

export async function openExport(source: ExportSource, context: CommandContext): Promise<ExportedModel> {
  const { progress } = context;
  const { opened, run, origin } = await openOrigin(source, context);
  const { folder, files } = opened;
  const base = { folder, files, weights: await readAll(files.weights), origin };
  const which = source.weights ?? 'trained';
  const { continues } = opened;
  if (run === null || (which === 'base' && continues === null)) return base;
  if (which === 'quarantine')
    throw new SpecError(
      'A quarantine is no model: it is what the deployed weights lack.',
      'Give --format peft, which writes it as an adapter, or --weights trained or deployed.',
    );
  const { checkpoint, storage } = run;
  if (Object.keys(promptSettingsOf(checkpoint.spec)).length > 0)
    progress.note(
      'The run set chatTemplate or chatArgs; the folder has the chat template that the model came with. Give --chat-template and --chat-arg again where the folder is asked.',
    );

  const adapter = withDefaults(checkpoint.spec);
  const device = await openRunDevice(source, run, context);
  try {
    const factors =
      adapter.adapter === 'svd' ? (await factorInto(source.cache, device, files, context)).factors : new Map();
    const { config } = files;
    const adapterParams =
      which === 'base' ? continues!.initial : adapterParamsOf(checkpoint, which, adapterLayout(config, adapter).total);
    if (storage !== 'f32')
      progress.note(
        `The run’s frozen weights were stored as ${storage}: what is written is f32 with just their values.`,
      );
    if (formOfContext(checkpoint.context) === 'unfolded')
      progress.note(
        'The run computed its adapter beside the weights: what is written has it folded in, which may differ in last digits.',
      );
    const folded = await foldedWeights({
      device,
      config,
      weights: base.weights,
      adapter,
      factors,
      adapterParams,
      storage,
    });
    return { ...base, weights: folded, origin: { ...origin, device: device.numerics } };
  } finally {
    progress.end();
    device.destroy();
  }
}

/** The model that a run was trained on: bare where the run continued the adapter, else with the adapter folded in. */
async function openTrained(choice: ModelChoice, checkpoint: Checkpoint, context: CommandContext): Promise<OpenModel> {
  const trains = withDefaults(checkpoint.spec);
  if (choice.adapter !== null && trains.adapter === 'lora') {
    const notes: string[] = [];
    const quiet = { ...context, progress: { ...context.progress, note: (line: string) => void notes.push(line) } };
    const opened = await readModel(choice, quiet, trains);
    const { sha256 } = trainedWith(checkpoint);
    if (opened.continues && sha256 !== null && (await storageOf(opened.files.sha256, sha256)) !== null) {
      for (const line of notes) context.progress.note(line);
      return opened;
    }
  }
  return readModel(choice, context);
}

/** Storage of the weights on the device that trained; null where they were other weights. A run that does not say counts as f32. */
async function storageOf(filesSha256: string, trainedOn: string | null): Promise<WeightStorage | null> {
  if (trainedOn === null) return 'f32';
  for (const storage of STORAGES) {
    if ((await storedSha256(filesSha256, storage)) === trainedOn) return storage;
  }
  return null;
}

/** The model to open; null where it is the base that the adapter names. Throws SpecError. */
function baseOf(
  { run, armSeed, model, adapter, weights }: ExportSource,
  checkpoint: Checkpoint | null,
  root: string,
): string | null {
  if (run === null && model === null && adapter === null)
    throw new SpecError(
      'Neither --run nor --model nor --adapter is given.',
      'Name a folder of `run --out`, a folder in Hugging Face’s layout, or an adapter of PEFT.',
    );
  if (run === null && armSeed !== null)
    throw new SpecError('--arm-seed names a run of --run, which is not given.', 'Add --run FOLDER.');
  if (run === null && weights !== null && weights !== 'base')
    throw new SpecError(`--weights ${weights} are a run’s, and --run is not given.`, 'Add --run FOLDER.');
  if (model !== null || adapter !== null || checkpoint === null) return model;
  const embedded = resolve(root, 'public', 'models', checkpoint.spec.model);
  if (existsSync(embedded)) return embedded;
  throw new SpecError(
    `${run} was trained on ${checkpoint.spec.model}, which is no embedded model.`,
    'Name the folder of the model that the run was trained on with --model, and the adapter that was folded into it with --adapter.',
  );
}

/** The model's sha-256 and the kind of device in a checkpoint's context; null where it does not say. */
function trainedWith({ context }: Checkpoint): { sha256: string | null; device: Numerics | null } {
  return { sha256: /\bmodel ([0-9a-f]{64})\b/.exec(context)?.[1] ?? null, device: numericsOfContext(context) };
}
