// Memory of an experiment, from the model's shape and the experiment's settings (engine/memory/ adds it up), and, if it does not fit,
// why, and what would fit. Time is in estimate.ts.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { completionsAtOnce } from '../../algorithms/at-once.ts';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import { mostTrainedTokens } from '../../engine/episodes/episode.ts';
import { type MemoryNeed, memoryNeed, type OptimizerSize, type PlannedWork } from '../../engine/memory/memory.ts';
import type { DistillSize, RolloutSize, ScoreSize } from '../../engine/memory/passes.ts';
import type { Placement } from '../../engine/memory/plan.ts';
import { PASS_ROWS } from '../../engine/objectives/documents.ts';
import type { ModelConfig } from '../../engine/types.ts';
import { makeProblemSet } from '../../environments/code/data.ts';
import { familySetOf } from '../../environments/code/types.ts';
import { customFileOf } from '../../environments/custom/presentation.ts';
import { budgetsOf } from '../../experiments/config/budgets.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { type Resolved, resolveRuns } from '../../experiments/config/spec.ts';
import { stagesOf } from '../../experiments/config/stages.ts';
import { findEnvironment, KNOWN_ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import type { DeviceKind, DeviceLimits } from '../../kernels/device.ts';
import { bytesText } from '../../lib/numbers.ts';
import { sum } from '../../stats/index.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { Opened } from '../equipment/equipment.ts';
import { refreshSize, spanSize } from './refresh.ts';

/** Problems sampled to find the longest prompt. */
const SAMPLED = 48;
/** Prompts rolled out together in an evaluation. */
const EVALUATED = 64;
/** Approximate tokens of a labelled completion. */
export const PAIR_TOKENS = 72;

/** Every prompt of an environment of real problems; null if the lab has no such file. */
export type PromptsOf = (environment: string) => readonly string[] | null;

/**
 * Approximate prompt tokens for planning. A model without a chat template is planned with the plain text; the run itself is refused or
 * states the form of its prompts.
 */
export function plannedIds(codec: PromptCodec, prompt: string): number[] {
  try {
    return codec.encodeChat(prompt);
  } catch (error) {
    if (error instanceof LabError) return codec.encode(prompt);
    throw error;
  }
}

/** Tokens of the longest prompt of a run's environment. */
export function longestPrompt(
  run: RunSpec,
  { codec }: Pick<Opened, 'codec'>,
  promptsOf: PromptsOf = () => null,
): number {
  const real = promptsOf(run.environment);
  if (real) return Math.max(...real.map((prompt) => plannedIds(codec, prompt).length));
  const { modes, honestShare, problems, dataSeed } = run;
  const families = familySetOf(run.environment);
  const sample = makeProblemSet({ modes, honestShare, count: Math.min(problems, SAMPLED), dataSeed, families });
  return Math.max(...sample.map(({ prompt }) => plannedIds(codec, prompt).length));
}

/** Largest need of any run; weights in f32 unless `storage` says otherwise. */
export function needOf(
  runs: readonly RunSpec[],
  config: ModelConfig,
  promptTokens: number,
  kind: DeviceKind,
  storage: Storage = {},
): MemoryNeed {
  return memoryNeed(config, { ...trainingWork(runs, config, promptTokens, kind), ...storage });
}

/** Weight storage, form of the adapter, and the largest buffer that the device binds: beyond it the vocabulary is split. */
type Storage = Pick<PlannedWork, 'storage' | 'form' | 'maxBindingBytes'>;

/** All engine work that the runs of an experiment need. */
export function trainingWork(
  runs: readonly RunSpec[],
  config: ModelConfig,
  promptTokens: number,
  kind: DeviceKind,
): PlannedWork {
  const rollouts: RolloutSize[] = [];
  const scores: ScoreSize[] = [];
  const distills: DistillSize[] = [];
  for (const run of runs) {
    const { promptsPerStep, groupSize, mix, kvCache } = run;
    const sequences = promptsPerStep * groupSize * (run.chainSteps + 1);
    // In a chain every answer has its own prompt.
    const prompts = run.chainSteps > 0 ? sequences : promptsPerStep;
    const { maxNew, maxTokens, maxTurns } = budgetsOf(run);
    // The cache of an episode has room for all its turns.
    const room = maxTurns > 1 ? { maxNew, maxTokens, kvCache } : { maxNew, kvCache };
    const evaluated = Math.min(EVALUATED, Math.max(run.finalEvalProblems, run.evalEvery > 0 ? run.evalProblems : 0));
    rollouts.push({ prompts, sequences, promptTokens, ...room, willScore: maxTurns === 1 });
    rollouts.push({ prompts: evaluated, sequences: evaluated, promptTokens, ...room });
    const segments = 2;
    const shared = mix > 0 ? 2 * prompts : prompts;
    const trainedTokens = mostTrainedTokens({ maxNew, maxTokens, maxTurns });
    scores.push({ prompts: shared, sequences, promptTokens, completionTokens: maxTokens, trainedTokens, segments });
    const own = { promptTokens, completionTokens: maxTokens, trainedTokens, segments: 1 };
    for (const objective of new Set(stagesOf(run).map((stage) => stage.objective))) {
      // A pass over documents has this many rows, whatever their length.
      const whole = Math.max(1, Math.floor(PASS_ROWS / config.maxPositions));
      const document = { promptTokens: 1, completionTokens: config.maxPositions - 1, segments: 1 };
      if (objective === 'nll') scores.push({ prompts: whole, sequences: whole, ...document });
      // A demonstration is assumed to be as long as the prompt before it.
      const teacher = { teacherPrompts: prompts, teacherPromptTokens: 2 * promptTokens };
      if (objective === 'distill') distills.push({ prompts, sequences, ...own, ...teacher });
    }
    const pairs = Math.min(completionsAtOnce(adapterLayout(config, run).total), 2 * (run.pairs - run.nHeldout));
    scores.push({ prompts: pairs, sequences: pairs, promptTokens, completionTokens: PAIR_TOKENS, segments: pairs });
  }
  return { rollouts, scores, distills, kind, adapter: runs[0], optimizer: optimizerSize(runs) };
}

/** Temporary vectors of a step: the two gradients and their sum, the step and its two parts. */
const PASSING = 6;

/** Adapter parameter vectors of a step without a projection: the parameters, the untrained ones, two moments, and temporary ones. */
export const PLAIN_VECTORS = 4 + PASSING;

/** Largest optimizer of any run: only one exists at a time, and the pairs' gradients exist throughout. */
function optimizerSize(runs: readonly RunSpec[]): OptimizerSize {
  const kept = runs.map((run) => {
    const { shadows: controls, projection, projectTarget } = run;
    const moments = projection === 'route' && projectTarget === 'gradient' ? 4 : 2;
    // The three are the adapter parameters, the untrained ones, and the run's own quarantine. A matched random quarantine is made after the
    // last step.
    const quarantines = controls.filter(({ kind }) => kind !== 'random_matched').length;
    return 3 + moments + quarantines + refreshSize(run).vectors + spanSize(run);
  });
  // The gradients of the run's own pairs exist throughout; those of a control's other pairs only while its basis is made.
  const gradients = Math.max(
    ...runs.map(
      ({ pairs, shadows: controls }) => 2 * pairs * (controls.some(({ settings }) => settings?.pairSet) ? 2 : 1),
    ),
  );
  const own = runs.map((run) => [
    run.k,
    ...run.shadows.filter(({ kind }) => kind !== 'random_matched').map((control) => control.k),
    ...refreshSize(run).bases,
  ]);
  const bases = own.reduce((most, some) => (sum(some) > sum(most) ? some : most));
  return { vectors: Math.max(...kept) + PASSING + gradients, bases };
}

/** Why this lab cannot train the run: it names another model or an unknown environment; null if it can. */
export function refusalOf(
  { model, environment }: RunSpec,
  modelId: string,
  promptsOf: PromptsOf = () => null,
): { message: string; remedy: string } | null {
  // An experiment loads its embedded model itself if another embedded one is open.
  const areEmbedded = [model, modelId].every((id) => EMBEDDED_MODELS.includes(id));
  if (model !== modelId && !areEmbedded)
    return {
      message: `model = ${JSON.stringify(model)}, but ${modelId} is loaded.`,
      remedy: `Set model to ${modelId}, or load ${model} under Models.`,
    };
  const message = `environment = ${JSON.stringify(environment)}.`;
  const entry = findEnvironment(environment);
  if (!entry) return { message, remedy: KNOWN_ENVIRONMENTS };
  if (promptsOf(environment) !== null) return null;
  if (entry.python === 'cpython') return { message, remedy: 'Import that file of real problems under Library, Data.' };
  if (customFileOf(environment) !== null)
    return { message, remedy: 'Import that file of problems with checks under Library, Data.' };
  return null;
}

/** Why the experiment does not fit, with its numbers and a setting that would; null if it fits. */
export function misfitOf(
  { spec, runs }: Resolved,
  config: ModelConfig,
  promptTokens: number,
  kind: DeviceKind,
  limits: DeviceLimits,
  placed: Partial<Placement> = {},
): { message: string; remedy: string } | null {
  const [run] = runs;
  const { maxTokens, maxTurns } = budgetsOf(run);
  if (promptTokens + maxTokens > config.maxPositions) {
    const [what, setting] =
      maxTurns > 1 ? ['an episode', 'max episode length'] : ['a completion', 'max completion length'];
    const most = config.maxPositions - promptTokens;
    return {
      message: `does not fit: a prompt of ${promptTokens} tokens and ${what} of ${maxTokens} are ${promptTokens + maxTokens}, and the model has ${config.maxPositions} positions.`,
      remedy: most > 0 ? `Set the ${setting} to at most ${most} tokens.` : 'Choose a model with more positions.',
    };
  }
  const { maxBindingBytes } = limits;
  const tooMuch = (changed: readonly RunSpec[]) =>
    excessOf(needOf(changed, config, promptTokens, kind, { ...placed, maxBindingBytes }), limits);
  const why = tooMuch(runs);
  if (!why) return null;
  const fits = (overrides: Partial<RunSpec>) =>
    !tooMuch(resolveRuns({ ...spec, overrides: { ...spec.overrides, ...overrides } }));
  const prompts = largest(run.promptsPerStep, (promptsPerStep) => fits({ promptsPerStep }));
  const rank =
    run.adapter === 'lora' || run.adapter === 'blocks' ? largest(run.loraRank, (loraRank) => fits({ loraRank })) : null;
  const group = largest(run.groupSize, (groupSize) => fits({ groupSize, promptsPerStep: 1 }), 2);
  return {
    message: `does not fit: ${run.promptsPerStep} prompts × ${run.groupSize} rollouts of up to ${maxTokens} tokens need ${why}.`,
    remedy: prompts
      ? `Set prompts per step to at most ${prompts}${kind === 'webgpu' ? ', or choose the CPU device' : ''}.`
      : group
        ? `Set prompts per step to 1 and the group size to at most ${group}.`
        : rank
          ? `Set the LoRA’s rank to at most ${rank}.`
          : 'Lower the max completion length, or choose a smaller model.',
  };
}

/** Excess of a need over the device's memory, in words; null if there is none. */
export function excessOf(
  { total, largest }: MemoryNeed,
  { maxTotalBytes, maxBindingBytes }: DeviceLimits,
): string | null {
  if (total > maxTotalBytes) return `${bytesText(total)} of memory, and the device has ${bytesText(maxTotalBytes)}`;
  if (largest > maxBindingBytes)
    return `one buffer of ${bytesText(largest)}, and the device binds at most ${bytesText(maxBindingBytes)}`;
  return null;
}

/** The largest value from `least` up to below `from` that fits; null if none does. The need grows with the value. */
export function largest(from: number, fits: (value: number) => boolean, least = 1): number | null {
  let low = least - 1;
  let high = from;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low >= least ? low : null;
}
