// Memory that a model would need on the open device, before any of its weights is read: to write one answer, and to train as set in the
// form. It is itemized, so that the user sees what to change.
import { hostNeed } from '../../engine/memory/host.ts';
import type { PlannedWork } from '../../engine/memory/memory.ts';
import { type Placement, placedIn, planLimits, planStorage } from '../../engine/memory/plan.ts';
import { LEAST_STORAGE } from '../../engine/storage-layouts.ts';
import type { ModelConfig, WeightStorage } from '../../engine/types.ts';
import { type ExperimentSpec, resolveExperiment } from '../../experiments/config/spec.ts';
import type { Opened } from '../equipment/equipment.ts';
import { excessOf, longestPrompt, misfitOf, trainingWork } from '../estimate/memory.ts';
import type { MemoryPlan, StorageChoice } from '../protocol/models.ts';

/** A model's config and the bytes of its tokenizer.json. */
interface Planned {
  config: ModelConfig;
  textBytes: number;
}

/** Tokens of one conversation in the playground. */
const ANSWER = { prompts: 1, sequences: 1, promptTokens: 512, maxNew: 512 };

/** The memory plan of one answer, which needs neither factors nor a second copy of the Linears. */
export function answerWork(config: ModelConfig, kind: PlannedWork['kind']): PlannedWork {
  const most = Math.floor(config.maxPositions / 2);
  const answer = {
    ...ANSWER,
    promptTokens: Math.min(ANSWER.promptTokens, most),
    maxNew: Math.min(ANSWER.maxNew, most),
  };
  return { rollouts: [answer], scores: [], kind, adapter: 'none' };
}

/** Plans the memory of one answer. */
export function planWriting(
  { config, textBytes }: Planned,
  { chosen }: Pick<Opened, 'chosen'>,
  choice: StorageChoice,
): MemoryPlan {
  const work = answerWork(config, chosen.report.kind);
  const plan = planned(config, work, chosen, choice);
  return { ...plan, host: hostNeed(config, work, textBytes), misfit: tooLarge(plan, chosen) };
}

/**
 * `opened` is the current model: its tokenizer stands for the planned model's, which is not downloaded yet. The lab's own has the smallest
 * vocabulary, so its prompts are the longest.
 */
export function planTraining(
  { config, textBytes }: Planned,
  spec: ExperimentSpec,
  opened: Opened,
  choice: StorageChoice,
): MemoryPlan {
  const { chosen } = opened;
  const { kind } = chosen.report;
  const experiment = resolveExperiment(spec);
  const promptTokens = longestPrompt(experiment.runs[0], opened);
  const work = trainingWork(experiment.runs, config, promptTokens, kind);
  const plan = planned(config, work, chosen, choice);
  const host = hostNeed(config, work, textBytes);
  return { ...plan, host, misfit: misfitOf(experiment, config, promptTokens, kind, chosen.device.limits, plan) };
}

/** Placement of the model on its device: that of training if training fits, else that of an answer. */
export function placementFor(
  config: ModelConfig,
  choice: StorageChoice,
  spec: ExperimentSpec | null,
  opened: Opened,
): Placement {
  const training = spec && planTraining({ config, textBytes: 0 }, spec, opened, choice);
  const { storage, form } =
    training && training.misfit === null ? training : planWriting({ config, textBytes: 0 }, opened, choice);
  return { storage, form };
}

function planned(
  config: ModelConfig,
  work: PlannedWork,
  { device }: Opened['chosen'],
  choice: StorageChoice,
): Pick<MemoryPlan, 'storage' | 'form' | 'need'> {
  const limits = planLimits(device);
  const plan = choice === 'auto' ? planStorage(config, work, limits) : null;
  // A refusal reports the need of the smallest storage.
  const storage = plan === null ? (choice as WeightStorage) : plan.ok ? plan.storage : LEAST_STORAGE;
  const { form, need } = placedIn(storage, config, work, limits);
  return { storage, form, need };
}

function tooLarge({ need }: Pick<MemoryPlan, 'need'>, { device }: Opened['chosen']): MemoryPlan['misfit'] {
  const why = excessOf(need, device.limits);
  if (why === null) return null;
  return {
    message: `does not fit: one answer needs ${why}.`,
    remedy: 'Use a smaller model, store its weights in fewer bits, or choose a device with more memory.',
  };
}
