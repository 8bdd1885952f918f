// What an experiment needs, before it is started: memory from the model's shape (engine/memory.ts), time from a short
// measurement on the open device. Every step that a run then really takes corrects the estimates that follow.
import { completionsAtOnce } from '../algorithms/extraction.ts';
import { knobLayout } from '../engine/config.ts';
import { type MemoryNeed, memoryNeed, type OptimizerSize, type RolloutSize, type ScoreSize } from '../engine/memory.ts';
import type { ModelConfig } from '../engine/types.ts';
import { codeEnvironment } from '../environments/code/environment.ts';
import { makeProblemSet } from '../environments/code/problem-sets.ts';
import type { CodeProblem } from '../environments/code/types.ts';
import { type ExperimentSpec, liveRows, type RunSpec, resolveRuns } from '../experiments/spec.ts';
import type { DeviceKind, DeviceLimits } from '../kernels/device.ts';
import { SpecError, StoppedError } from '../lib/errors.ts';
import { keyFor, STREAMS } from '../rng/threefry.ts';
import { sum } from '../stats/index.ts';
import type { Equipped } from './equipment.ts';
import { modelWeight, weightOf } from './progress.ts';
import type { Estimate } from './protocol.ts';

/** Problems looked at for the length of prompts. */
const SAMPLED = 48;
/** Prompts of an evaluation that are rolled out together. */
const EVALUATED = 64;
/** Tokens of a labelled completion, about. */
const PAIR_TOKENS = 72;
/** Mean length of a completion, of its limit; the first step measured corrects it. */
const LENGTH = 0.6;
/** Tokens that the measurement samples. */
const MEASURED_TOKENS = 8;
const MEASURED_SEQUENCES = 32;
/** Weight of a new step in the correction. */
const LEARNING = 0.3;

/** Seconds that the open device takes for the parts of a step. */
interface Speed {
  prefillPerRow: number;
  /** Of one sampled token: of a sequence on the CPU, of the whole batch on a GPU, which takes them together. */
  token: number;
  scorePerRow: number;
  gradePerCompletion: number;
}

export class Estimator {
  readonly #now: () => number;
  #speeds = new WeakMap<Equipped, Speed>();
  /** What steps took of what they were thought to take. */
  #corrections = new Map<string, number>();

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether `estimate` would have to measure first. */
  knows(equipped: Equipped): boolean {
    return this.#speeds.has(equipped);
  }

  /** Uses the engine for about a second: nothing else may, meanwhile. */
  async measure(equipped: Equipped, signal?: AbortSignal): Promise<void> {
    const { policy, codec, grader } = equipped;
    const problems = makeProblemSet({ modes: ['run_tests'], honestShare: 0.5, count: 4, dataSeed: 7 });
    const prompts = problems.map(({ prompt }) => codec.encode(prompt));
    const sequences = Array.from({ length: MEASURED_SEQUENCES }, (_, i) => ({
      prompt: i % prompts.length,
      key: keyFor(0, STREAMS.evaluation, 0, i),
    }));
    // No end tokens: every sequence runs to its limit, so that the tokens are counted.
    const ask = { prompts, sequences, temperature: 1, endTokens: [], signal };
    policy.setKnobs(policy.initialKnobs);
    // The first of each kind also compiles and allocates; it is not measured.
    let written = await policy.generate({ ...ask, maxNew: 2 });
    const [prefill] = await this.#timed(() => policy.generate({ ...ask, maxNew: 1 }));
    const [whole, answers] = await this.#timed(() => policy.generate({ ...ask, maxNew: 1 + MEASURED_TOKENS }));
    written = answers;
    const scored = sequences.map(({ prompt }, i) => ({
      prompt: prompts[prompt],
      completion: written[i].tokens,
      segment: i % 2,
    }));
    const score = async () => {
      if (signal?.aborted) throw new StoppedError();
      const batch = await policy.score(scored, 2, signal);
      await batch.backward(scored.map(({ completion }) => new Float32Array(completion.length).fill(1e-3)));
      batch.free();
    };
    const [scoring] = await this.#timed(score);
    const items = problems.map((problem: CodeProblem) => ({
      problem,
      completion: `\`\`\`python\n${problem.starter}\n        return ${problem.solution}\n\`\`\``,
    }));
    if (signal?.aborted) throw new StoppedError();
    const [grading] = await this.#timed(() => grader.grade(items, signal));
    const prefillRows = prompts.reduce((sum, ids) => sum + ids.length, 0);
    const decoded = Math.max(0, whole - prefill) / MEASURED_TOKENS;
    this.#speeds.set(equipped, {
      prefillPerRow: prefill / prefillRows,
      token: equipped.chosen.report.kind === 'cpu' ? decoded / sequences.length : decoded,
      scorePerRow: scoring / (2 * prefillRows + sequences.length * (1 + MEASURED_TOKENS)),
      gradePerCompletion: grading / items.length,
    });
  }

  estimate(spec: ExperimentSpec, equipped: Equipped): Estimate {
    const { device, report } = equipped.chosen;
    const promptTokens = longestPrompt(spec, equipped);
    const memory = needOf(spec, equipped.model.config, promptTokens, report.kind);
    const misfit =
      foreignOf(spec, equipped.model.id) ??
      misfitOf(spec, equipped.model.config, promptTokens, report.kind, device.limits);
    const limit = device.limits.maxTotalBytes;
    return {
      device: report.name,
      memory,
      limitBytes: Number.isFinite(limit) ? limit : null,
      misfit,
      seconds: misfit ? null : this.#seconds(spec, equipped, promptTokens),
      corrected: this.#corrections.has(report.name),
    };
  }

  /** Throws SpecError where it does not fit, before anything is trained. */
  check(spec: ExperimentSpec, equipped: Equipped): void {
    const { model, chosen } = equipped;
    const misfit =
      foreignOf(spec, model.id) ??
      misfitOf(spec, model.config, longestPrompt(spec, equipped), chosen.report.kind, chosen.device.limits);
    if (misfit) throw new SpecError(misfit.message, misfit.remedy);
  }

  /** Seconds that a step of this run takes, as far as is known. */
  stepSeconds(run: RunSpec, equipped: Equipped, promptTokens: number): number | null {
    const raw = this.#raw(run, equipped, promptTokens);
    return raw === null ? null : raw * (this.#corrections.get(equipped.chosen.report.name) ?? 1);
  }

  /** A step took `seconds`, evaluation left out. */
  learn(run: RunSpec, equipped: Equipped, seconds: number): void {
    const raw = this.#raw(run, equipped, longestPrompt({ runs: [run] }, equipped));
    if (raw === null || raw <= 0 || !(seconds > 0)) return;
    const { name } = equipped.chosen.report;
    const old = this.#corrections.get(name);
    this.#corrections.set(name, old === undefined ? seconds / raw : old + LEARNING * (seconds / raw - old));
  }

  #seconds(spec: ExperimentSpec, equipped: Equipped, promptTokens: number): Estimate['seconds'] {
    const runs = resolveRuns(spec);
    const [first] = runs;
    const perStep = this.stepSeconds(first, equipped, promptTokens);
    const speed = this.#speeds.get(equipped);
    if (perStep === null || !speed) return null;
    // Prepared once: the pool's verdicts (five rows for each hackable problem), and the untrained model's evaluations.
    const pool = first.mix > 0 ? 5 * (1 - first.honestShare) * first.problems * speed.gradePerCompletion : 0;
    const base = modelWeight(first, first.finalEvalProblems + (first.evalEvery > 0 ? first.evalProblems : 0)) * perStep;
    const training = runs.reduce(
      (sum, run) => sum + weightOf(run) * (this.stepSeconds(run, equipped, promptTokens) ?? perStep),
      0,
    );
    return { perStep, total: pool + base + training };
  }

  #raw(run: RunSpec, equipped: Equipped, promptTokens: number): number | null {
    const speed = this.#speeds.get(equipped);
    if (!speed) return null;
    const live = run.promptsPerStep * liveOf(run);
    const all = run.promptsPerStep * run.groupSize;
    const length = LENGTH * run.maxNew;
    const sampling =
      speed.prefillPerRow * run.promptsPerStep * promptTokens +
      speed.token * (equipped.chosen.report.kind === 'cpu' ? live * length : run.maxNew * Math.ceil(live / 512));
    const segments = run.mix > 0 ? 2 : 1;
    const rows = segments * run.promptsPerStep * promptTokens + all * length;
    const scoring = run.innerEpochs * speed.scorePerRow * rows;
    return sampling + scoring + speed.gradePerCompletion * live;
  }

  /** The quicker of two: whatever else the machine does makes it slower only. */
  async #timed<T>(work: () => Promise<T>): Promise<[seconds: number, result: T]> {
    // A macrotask, so that a message (the start of an experiment) can come in between: the CPU device never waits.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const from = this.#now();
    await work();
    const middle = this.#now();
    const result = await work();
    return [Math.min(middle - from, this.#now() - middle) / 1000, result];
  }
}

/** Live rollouts of a group on average: honest problems have no teacher. */
function liveOf(run: RunSpec): number {
  return run.honestShare * run.groupSize + (1 - run.honestShare) * liveRows(run);
}

function longestPrompt(of: ExperimentSpec | { runs: readonly RunSpec[] }, { codec }: Equipped): number {
  const [run] = 'runs' in of ? of.runs : resolveRuns(of);
  const { modes, honestShare, problems, dataSeed } = run;
  const sample = makeProblemSet({ modes, honestShare, count: Math.min(problems, SAMPLED), dataSeed });
  return Math.max(...sample.map(({ prompt }) => codec.encode(prompt).length));
}

/** The greatest need of any run. */
export function needOf(spec: ExperimentSpec, config: ModelConfig, promptTokens: number, kind: DeviceKind): MemoryNeed {
  const rollouts: RolloutSize[] = [];
  const scores: ScoreSize[] = [];
  for (const run of resolveRuns(spec)) {
    const { promptsPerStep: prompts, groupSize, maxNew, mix } = run;
    const sequences = prompts * groupSize;
    const evaluated = Math.min(EVALUATED, Math.max(run.finalEvalProblems, run.evalEvery > 0 ? run.evalProblems : 0));
    rollouts.push({ prompts, sequences, promptTokens, maxNew });
    rollouts.push({ prompts: evaluated, sequences: evaluated, promptTokens, maxNew });
    const segments = 2;
    const shared = mix > 0 ? 2 * prompts : prompts;
    scores.push({ prompts: shared, sequences, promptTokens, completionTokens: maxNew, segments });
    const pairs = Math.min(completionsAtOnce(knobLayout(config, run).total), 2 * (run.pairs - run.nHeldout));
    scores.push({ prompts: pairs, sequences: pairs, promptTokens, completionTokens: PAIR_TOKENS, segments: pairs });
  }
  const [run] = resolveRuns(spec);
  return memoryNeed(config, { rollouts, scores, kind, adapter: run, optimizer: optimizerSize(resolveRuns(spec)) });
}

/** Vectors of a step that come and go: the two gradients and their sum, the step and its two parts. */
const PASSING = 6;

/** The greatest of any run: one optimizer lives at a time, and the gradients of the pairs all along. */
function optimizerSize(runs: readonly RunSpec[]): OptimizerSize {
  const kept = runs.map(({ shadows, projection, projectTarget }) => {
    const moments = projection === 'route' && projectTarget === 'gradient' ? 4 : 2;
    // The knobs, the untrained ones, and the run's own quarantine.
    // A matched random quarantine is made after the last step.
    return 3 + moments + shadows.filter(({ kind }) => kind !== 'random_matched').length;
  });
  // Of the run's own pairs all along; of a shadow's other pairs while its basis is made.
  const gradients = Math.max(
    ...runs.map(({ pairs, shadows }) => 2 * pairs * (shadows.some(({ settings }) => settings?.pairSet) ? 2 : 1)),
  );
  const own = runs.map(({ k, shadows }) => [
    k,
    ...shadows.filter(({ kind }) => kind !== 'random_matched').map((shadow) => shadow.k),
  ]);
  const bases = own.reduce((most, some) => (sum(some) > sum(most) ? some : most));
  return { vectors: Math.max(...kept) + PASSING + gradients, bases };
}

/** What the experiment asks for and this lab has not: another model, another environment; null where it has both. */
export function foreignOf(spec: ExperimentSpec, modelId: string): { message: string; remedy: string } | null {
  const [{ model, environment }] = resolveRuns(spec);
  if (model !== modelId)
    return {
      message: `model = ${JSON.stringify(model)}, but ${modelId} is loaded.`,
      remedy: `Set model to ${modelId}.`,
    };
  if (environment !== codeEnvironment.id)
    return { message: `environment = ${JSON.stringify(environment)}.`, remedy: `This lab has ${codeEnvironment.id}.` };
  return null;
}

/** Why the experiment does not fit, with its numbers and what would; null where it does. */
export function misfitOf(
  spec: ExperimentSpec,
  config: ModelConfig,
  promptTokens: number,
  kind: DeviceKind,
  limits: DeviceLimits,
): { message: string; remedy: string } | null {
  const [run] = resolveRuns(spec);
  if (promptTokens + run.maxNew > config.maxPositions) {
    const most = config.maxPositions - promptTokens;
    return {
      message: `does not fit: a prompt of ${promptTokens} tokens and a completion of ${run.maxNew} are ${promptTokens + run.maxNew}, and the model has ${config.maxPositions} positions.`,
      remedy:
        most > 0 ? `Set the longest completion to at most ${most} tokens.` : 'Choose a model with more positions.',
    };
  }
  const tooMuch = (changed: ExperimentSpec) => {
    const need = needOf(changed, config, promptTokens, kind);
    if (need.total > limits.maxTotalBytes)
      return `${size(need.total)} of memory, and the device has ${size(limits.maxTotalBytes)}`;
    if (need.largest > limits.maxBindingBytes)
      return `one buffer of ${size(need.largest)}, and the device binds ${size(limits.maxBindingBytes)}`;
    return null;
  };
  const why = tooMuch(spec);
  if (!why) return null;
  const fits = (overrides: Partial<RunSpec>) => !tooMuch({ ...spec, overrides: { ...spec.overrides, ...overrides } });
  const prompts = largest(run.promptsPerStep, (promptsPerStep) => fits({ promptsPerStep }));
  const rank = run.adapter === 'lora' ? largest(run.loraRank, (loraRank) => fits({ loraRank })) : null;
  const group = largest(run.groupSize, (groupSize) => fits({ groupSize, promptsPerStep: 1 }), 2);
  return {
    message: `does not fit: ${run.promptsPerStep} prompts × ${run.groupSize} rollouts of up to ${run.maxNew} tokens need ${why}.`,
    remedy: prompts
      ? `Set prompts per step to at most ${prompts}${kind === 'webgpu' ? ', or choose the CPU device' : ''}.`
      : group
        ? `Set prompts per step to 1 and the group size to at most ${group}.`
        : rank
          ? `Set the LoRA’s rank to at most ${rank}.`
          : 'Shorten the longest completion, or choose a smaller model.',
  };
}

/** The largest value below `from` that fits; null where none does. Need grows with it. */
function largest(from: number, fits: (value: number) => boolean, least = 1): number | null {
  let low = least - 1;
  let high = from;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low >= least ? low : null;
}

function size(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GB` : `${(bytes / 2 ** 20).toFixed(0)} MB`;
}
