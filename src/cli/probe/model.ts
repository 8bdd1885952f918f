// The model through which `probe` replays a pool: the embedded one, or a person's own folder as in `run --model`. A model that does not
// fit, in positions or in memory, is refused before anything is factored.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import { STORAGES } from '../../engine/storage-layouts.ts';
import type { AdapterLayout, AdapterSettings, Policy, WeightStorage } from '../../engine/types.ts';
import { promptSettingsOf } from '../../experiments/config/options/prompts.ts';
import type { Settings } from '../../experiments/config/settings.ts';
import { type ExperimentSpec, resolveExperiment } from '../../experiments/config/spec.ts';
import { PROBED, type ProbeSpec } from '../../experiments/kinds/probe/spec.ts';
import { trajectorySpec } from '../../experiments/kinds/probe/trajectory.ts';
import { knowsThinkingOf } from '../../experiments/kinds/run/experiment.ts';
import type { Device } from '../../kernels/device.ts';
import { storedSha256 } from '../../storage/model-files.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { CommandContext } from '../command.ts';
import { isOwnModel, loadRunModel, openRunModel, planRun, type StorageFlag, yieldingPolicy } from '../run/model.ts';
import { checkPositions } from '../run/positions.ts';
import type { ProbeFlags } from './flags.ts';

export interface ProbeModel {
  /** Name of the model in specs. */
  id: string;
  /** sha-256 of the weights as they are stored on the device. */
  sha256: string;
  codec: PromptCodec;
  promptsSha256: string;
  /** Whether its chat template knows thoughts; absent for the embedded model. */
  knowsThinking?: boolean;
  /** Layout of this adapter's parameters, before the model is loaded. */
  layoutFor: (adapter: AdapterSettings) => AdapterLayout;
  /** Loads the model with this adapter; the caller frees it. */
  load: (adapter: AdapterSettings) => Promise<Policy>;
}

/** One adapter's part of a probe. */
export interface MeasurePart {
  spec: ProbeSpec;
  /** Settings of the trainings alone. */
  overrides: Partial<Settings>;
}

/** Throws SpecError, FormatError. */
export async function openProbeModel(
  parts: readonly MeasurePart[],
  flags: ProbeFlags,
  device: Device,
  context: CommandContext,
): Promise<ProbeModel> {
  const { cache } = flags;
  const isOwn = isOwnModel(flags);
  const { model: asked } = parts[0].spec.vanilla;
  if (!isOwn && asked !== PROBED)
    throw new SpecError(
      `model = ${JSON.stringify(asked)}`,
      `The probe has ${PROBED}; a model of your own comes with --model DIR.`,
    );
  const { vanilla } = parts[0].spec;
  const model = await openRunModel(vanilla.model, flags, context, promptSettingsOf(vanilla));
  const { id, files, codec, promptsSha256 } = model;
  const storage = isOwn ? await planned() : 'f32';
  return {
    id,
    codec,
    promptsSha256,
    ...knowsThinkingOf(model),
    sha256: await storedSha256(files.sha256, storage),
    layoutFor: (adapter) => adapterLayout(files.config, adapter),
    load: async (adapter) => yieldingPolicy(await loadRunModel(model, device, adapter, { storage, cache }, context)),
  };

  /** The first storage that holds every part. */
  async function planned(): Promise<WeightStorage> {
    const experiments = parts.map((part) => resolveExperiment(asExperiment(part, flags)));
    const reader = { id, codec, maxPositions: files.config.maxPositions };
    const tokens = await Promise.all(experiments.map(({ runs }) => checkPositions(runs, reader)));
    const plan = (wanted: StorageFlag) =>
      experiments.map((one, i) => planRun(wanted, one, files, tokens[i], device, 'folded'));
    const least = Math.max(...plan(flags.storage).map(({ storage: own }) => STORAGES.indexOf(own)));
    const lines = plan(STORAGES[least]).flatMap(({ line, hostLine }) => [line, hostLine]);
    for (const line of new Set(lines)) context.progress.note(line);
    return STORAGES[least];
  }
}

/**
 * The run that needs the probe's memory and positions: its trainings, where requested, or steps of one prompt whose group are the samples.
 */
function asExperiment(
  { spec: { problems, perProblem }, overrides }: MeasurePart,
  { trajectory, seed, ratio }: ProbeFlags,
): ExperimentSpec {
  const replay = { ...overrides, problems, promptsPerStep: 1, groupSize: perProblem };
  return trajectory > 0
    ? trajectorySpec({ steps: trajectory, seed, ratio, overrides: { problems, ...overrides } })
    : trajectorySpec({ steps: problems, seed, ratio: 0, overrides: replay });
}
