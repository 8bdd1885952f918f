// Estimates an experiment before it is started: its memory (estimate/memory.ts), and its time from a short measurement on the open device.
// Each measured training step corrects later estimates.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { mostTrainedTokens } from '../../engine/episodes/episode.ts';
import { makeProblemSet } from '../../environments/code/data.ts';
import type { CodeProblem } from '../../environments/code/types.ts';
import { budgetsOf, liveRows } from '../../experiments/config/budgets.ts';
import { capabilitiesOf } from '../../experiments/config/environments.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { Resolved } from '../../experiments/config/spec.ts';
import { threadsOf, usefulWorkers } from '../../experiments/kinds/run/useful-workers.ts';
import { METHODS, methodOf } from '../../experiments/methods/index.ts';
import { turn } from '../../lib/turn.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';
import type { Equipped, Opened } from '../equipment/equipment.ts';
import type { RunEstimate } from '../protocol/protocol.ts';
import { longestPrompt, misfitOf, needOf, PAIR_TOKENS, type PromptsOf, plannedIds, refusalOf } from './memory.ts';
import { answersAfterTraining, evaluationsOf, extraSteps } from './progress.ts';
import { extractionRows, refreshRows } from './refresh.ts';

/** Mean length of a completion as a share of its limit; the first measured step corrects it. */
const LENGTH = 0.65;
/** The same share for episodes of several turns: 0.12 in the published rows of lookup and agents, and tool outputs are read too. */
const LENGTH_OF_TURNS = 0.2;
/** Passes of a batch of such episodes as a share of the token limit: its longest episode sets them. */
const PASSES_OF_TURNS = 0.7;
/** Scoring time relative to the measured rows: real completions are longer, and so is their attention. */
const SCORING = 1.15;
/** Time for an adapter's gradients and update, as a number of scored rows: few parameters for svd, some for LoRA, all weights. */
const ADAPTER_ROWS: Readonly<Record<string, number>> = { svd: 0, lora: 1500, blocks: 1500, full: 700 };
/**
 * Preparation time relative to scoring its rows: each pair has its own gradient, and V is computed from them. Measured with the presets
 * smoke and lesson, like the next constant.
 */
const PREPARING = 1.7;
/** Seconds per evaluated model besides its answers: its weights are folded, its rows are stored. */
const EVALUATION_SECONDS = 0.03;
/** Share of a step's time that threads divide: a second thread makes the demo's step 1.41 to 1.48 times as fast (bench/RESULTS.md). */
const THREADED = 0.62;
/** Seconds from Run to the first preparation, and from the last evaluation to the table. */
const STARTING_SECONDS = 0.6;
/** Seconds to begin, store and end a run, and for each worker to open the model. */
const RUN_SECONDS = 0.3;
const WORKER_SECONDS = 0.4;
/** Time of a run relative to its minimum on an idle machine: the page draws at the same time, and its data are not in the cache. */
const BUSY = 1.15;
/** Tokens that the measurement samples. */
const MEASURED_TOKENS = 16;
const MEASURED_SEQUENCES = 32;
const MEASURED_TEMPERATURE = 8;
const BATCH = { cpu: 128, webgpu: 512 } as const;
/**
 * Rounds of the measurement, and milliseconds after which no round begins. A busy machine needs as many as an idle one: of eight rounds
 * slowed down by other work, the first alone gave twice the time.
 */
const ROUNDS = 7;
const LONGEST_MS = 4000;
/** Weight of a new step in the running correction. */
const LEARNING = 0.3;

/** Resources that decide whether runs are trained in parallel: the page's workers (work/page-workers.ts, a higher layer). */
type SideBySide = Readonly<{ cores: number; bytes: number; rollouts?: number }>;

/** Seconds that the open device takes for the parts of a step. */
interface Speed {
  /** Number of threads in the measurement. */
  threads: number;
  prefillPerRow: number;
  /** Seconds per decoding pass, whatever its batch; on a GPU this is its whole time. */
  pass: number;
  /** Additional seconds per token of a pass; 0 on a GPU. */
  token: number;
  scorePerRow: number;
  gradePerCompletion: number;
}

export class Estimator {
  readonly #now: () => number;
  /** Keyed by the engine, since an opened model may be wrapped with several prompt settings. */
  #speeds = new WeakMap<Opened['policy'], Speed>();
  /** Measured over estimated step time by device and environment, since the work besides rollouts depends on the environment. */
  #corrections = new Map<string, number>();

  /** Correction factor for everything before the first step, by the same key. */
  #preparations = new Map<string, number>();

  readonly #promptsOf: PromptsOf | undefined;
  readonly #workers: SideBySide | undefined;

  /** `now`: milliseconds. `promptsOf`: prompts of real problems. `workers`: the page's, for parallel runs. */
  constructor(now: () => number, promptsOf?: PromptsOf, workers?: SideBySide) {
    this.#now = now;
    this.#promptsOf = promptsOf;
    this.#workers = workers;
  }

  /** Whether this engine has been measured. */
  knows(equipped: Opened): boolean {
    return this.#speeds.has(equipped.policy);
  }

  /**
   * Takes about two seconds, during which nothing else may use the engine. Uses as many threads as these runs will have: on a busy machine
   * several threads wait for whichever has lost its core, and workers with one thread each do not.
   */
  async measure(equipped: Equipped, runs: readonly RunSpec[], signal?: AbortSignal): Promise<void> {
    const { policy, codec, grader, chosen } = equipped;
    const { device } = chosen;
    const all = device.threads ?? 1;
    const threads = this.#threadsOf(this.#workersFor(runs, equipped), equipped);
    const problems = makeProblemSet({ modes: ['run_tests'], honestShare: 0.5, count: 4, dataSeed: 7 });
    const prompts = problems.map(({ prompt }) => plannedIds(codec, prompt));
    const sequences = Array.from({ length: MEASURED_SEQUENCES }, (_, i) => ({
      prompt: i % prompts.length,
      key: keyFor(0, STREAMS.evaluation, 0, i),
    }));
    // Without end tokens every sequence runs to its limit, so the token count is known. The high temperature makes all sequences differ:
    // equal prefixes are computed once, which would make an untrained model look faster.
    const ask = { prompts, sequences, temperature: MEASURED_TEMPERATURE, endTokens: [], signal };
    const few = sequences.slice(0, prompts.length);
    policy.setAdapterParams(policy.initialAdapterParams);
    const most = 1 + MEASURED_TOKENS;
    // This call also compiles and allocates.
    const written = await policy.generate({ ...ask, maxNew: most });
    // Gradients of all weights cannot be split into segments.
    const segments = equipped.adapter.adapter === 'full' ? 1 : 2;
    const scored = sequences.map(({ prompt }, i) => ({
      prompt: prompts[prompt],
      completion: written[i].tokens,
      segment: i % segments,
    }));
    const score = async () => {
      if (signal?.aborted) throw new StoppedError();
      const batch = await policy.score(scored, segments, signal);
      try {
        await batch.backward(scored.map(({ completion }) => new Float32Array(completion.length).fill(1e-3)));
      } finally {
        // A stopped measurement must leave the engine free.
        batch.free();
      }
    };
    const items = problems.map((problem: CodeProblem) => ({
      problem,
      completion: `\`\`\`python\n${problem.starter}\n        return ${problem.solution}\n\`\`\``,
    }));
    device.limitThreads?.(threads);
    const rounds = this.#rounds(
      {
        prefill: () => policy.generate({ ...ask, maxNew: 1 }),
        whole: () => policy.generate({ ...ask, maxNew: most }),
        prefillFew: () => policy.generate({ ...ask, sequences: few, maxNew: 1 }),
        few: () => policy.generate({ ...ask, sequences: few, maxNew: most }),
        score,
        grade: () => grader.grade(items, signal),
      },
      signal,
    );
    const took = await rounds.finally(() => device.limitThreads?.(all));
    const prefillRows = prompts.reduce((sum, ids) => sum + ids.length, 0);
    const passOf = (whole: number, prefill: number) => Math.max(0, whole - prefill) / MEASURED_TOKENS;
    const [pass, passOfFew] = [passOf(took.whole, took.prefill), passOf(took.few, took.prefillFew)];
    const isCpu = equipped.chosen.report.kind === 'cpu';
    const token = isCpu ? Math.max(0, pass - passOfFew) / (sequences.length - few.length) : 0;
    this.#speeds.set(policy, {
      threads,
      prefillPerRow: took.prefill / prefillRows,
      pass: Math.max(0, pass - token * sequences.length),
      token,
      scorePerRow: took.score / (segments * prefillRows + sequences.length * most),
      gradePerCompletion: took.grade / items.length,
    });
  }

  estimate(experiment: Resolved, equipped: Opened): RunEstimate {
    const { runs } = experiment;
    const { device, report } = equipped.chosen;
    const promptTokens = longestPrompt(runs[0], equipped, this.#promptsOf);
    const { storage, form } = equipped.policy;
    const { maxBindingBytes } = device.limits;
    const placed = { storage, form, maxBindingBytes };
    const memory = needOf(runs, equipped.model.config, promptTokens, report.kind, placed);
    const misfit = this.#misfit(experiment, equipped, promptTokens);
    const limit = device.limits.maxTotalBytes;
    return {
      device: report.name,
      memory,
      limitBytes: Number.isFinite(limit) ? limit : null,
      misfit,
      seconds: misfit ? null : this.#seconds(runs, equipped, promptTokens),
      corrected: this.#corrections.has(keyOf(equipped, runs[0])),
    };
  }

  /** Throws SpecError if the experiment does not fit, before anything is trained. */
  check(experiment: Resolved, equipped: Opened): void {
    const promptTokens = longestPrompt(experiment.runs[0], equipped, this.#promptsOf);
    const misfit = this.#misfit(experiment, equipped, promptTokens);
    if (misfit) throw new SpecError(misfit.message, misfit.remedy);
  }

  #misfit(experiment: Resolved, { model, chosen, policy }: Opened, promptTokens: number): RunEstimate['misfit'] {
    const { report, device } = chosen;
    return (
      refusalOf(experiment.runs[0], model.id, this.#promptsOf) ??
      misfitOf(experiment, model.config, promptTokens, report.kind, device.limits, policy)
    );
  }

  /** Throws SpecError if the run names another model or an unknown environment, before anything is opened. */
  checkModel(run: RunSpec, modelId: string): void {
    const refusal = refusalOf(run, modelId, this.#promptsOf);
    if (refusal) throw new SpecError(refusal.message, refusal.remedy);
  }

  /** Seconds per step of this run on this many threads; null before a measurement. */
  #stepSeconds(run: RunSpec, equipped: Opened, promptTokens: number, threads: number): number | null {
    const raw = this.#raw(run, equipped, promptTokens, threads);
    return raw === null ? null : raw * this.#correction(run, equipped);
  }

  /** Corrects the estimate by a step that took `seconds` beside `atWork` − 1 other runs, without evaluation and basis refresh. */
  learn(run: RunSpec, equipped: Equipped, seconds: number, atWork: number): void {
    const raw = this.#raw(run, equipped, longestPrompt(run, equipped), this.#threadsOf(atWork, equipped));
    if (raw === null || raw <= 0 || !(seconds > 0)) return;
    const key = keyOf(equipped, run);
    const old = this.#corrections.get(key);
    this.#corrections.set(key, old === undefined ? seconds / raw : old + LEARNING * (seconds / raw - old));
  }

  /** Corrects the estimate of everything before the first step by the estimated (`thought`) and measured seconds. */
  learnPreparing(run: RunSpec, equipped: Equipped, { thought, took }: { thought: number; took: number }): void {
    if (!(thought > 0) || !(took > 0)) return;
    const key = keyOf(equipped, run);
    const old = this.#preparations.get(key) ?? 1;
    this.#preparations.set(key, old * (1 + LEARNING * (took / thought - 1)));
  }

  #correction(run: RunSpec, equipped: Opened): number {
    return this.#corrections.get(keyOf(equipped, run)) ?? 1;
  }

  #seconds(runs: readonly RunSpec[], equipped: Opened, promptTokens: number): RunEstimate['seconds'] {
    const [first] = runs;
    const workers = this.#workersFor(runs, equipped);
    const threads = this.#threadsOf(workers, equipped);
    const perStep = this.#stepSeconds(first, equipped, promptTokens, threads);
    const speed = this.#speedOn(threads, equipped);
    if (perStep === null || !speed) return null;
    // Prepared once (the pairs' gradients by all workers): these, the pool's grades (five rows for each hackable problem), and the
    // untrained model's evaluations.
    const pairs = (extractionRows(runs, promptTokens + PAIR_TOKENS) * speed.scorePerRow) / workers;
    const pool = first.mix > 0 ? 5 * (1 - first.honestShare) * first.problems * speed.gradePerCompletion : 0;
    const evaluation = (run: RunSpec, problems: number) =>
      this.#evaluation(run, equipped, promptTokens, problems, threads);
    // All runs share one evaluation of the untrained model.
    const base = evaluation(first, answersAfterTraining(first) + (first.evalEvery > 0 ? first.evalProblems : 0));
    const each = runs.map((run) => {
      const { duringTraining, afterTraining } = evaluationsOf(run);
      const evaluating =
        duringTraining * evaluation(run, run.evalProblems) +
        (afterTraining - 1) * evaluation(run, answersAfterTraining(run));
      const perStepOfRun = this.#stepSeconds(run, equipped, promptTokens, threads) ?? perStep;
      return RUN_SECONDS + (run.steps + extraSteps(run)) * perStepOfRun + evaluating;
    });
    const slowness = (atWork: number) => timeOn(this.#threadsOf(atWork, equipped)) / timeOn(threads);
    const training = (workers > 1 ? workers * WORKER_SECONDS : 0) + secondsOf(each, workers, slowness);
    const rows = runs.reduce((sum, run) => sum + refreshRows(run, promptTokens + PAIR_TOKENS), 0);
    const refreshing = rows * speed.scorePerRow * this.#correction(first, equipped);
    const preparing = PREPARING * (pool + pairs) * (this.#preparations.get(keyOf(equipped, first)) ?? 1) + base;
    return { perStep, preparing, total: STARTING_SECONDS + preparing + training + refreshing };
  }

  #workersFor(runs: readonly RunSpec[], { chosen }: Opened): number {
    const host = this.#workers;
    return chosen.report.kind === 'cpu' && host ? usefulWorkers(runs, host.cores, host.bytes, host.rollouts) : 1;
  }

  /** Threads of a worker when `atWork` runs are at work. */
  #threadsOf(atWork: number, { chosen }: Opened): number {
    return threadsOf(atWork > 1 && this.#workers ? this.#workers.cores : (chosen.device.threads ?? 1), atWork);
  }

  /** The measured speed, scaled to this many threads; the grader has its own threads. */
  #speedOn(threads: number, { policy }: Opened): Speed | null {
    const speed = this.#speeds.get(policy);
    if (!speed) return null;
    const by = timeOn(threads) / timeOn(speed.threads);
    const { prefillPerRow, pass, token, scorePerRow, gradePerCompletion } = speed;
    return {
      threads,
      prefillPerRow: by * prefillPerRow,
      pass: by * pass,
      token: by * token,
      scorePerRow: by * scorePerRow,
      gradePerCompletion,
    };
  }

  #raw(run: RunSpec, equipped: Opened, promptTokens: number, threads: number): number | null {
    const { report } = equipped.chosen;
    const speed = this.#speedOn(threads, equipped);
    if (!speed) return null;
    const live = run.promptsPerStep * liveOf(run);
    const all = run.promptsPerStep * run.groupSize;
    const sampling = this.#sampling(speed, report.kind, run, {
      read: run.promptsPerStep * promptTokens,
      answers: live,
    });
    const segments = run.mix > 0 ? 2 : 1;
    const rows = segments * run.promptsPerStep * promptTokens + all * lengthOf(run);
    const scoring = speed.scorePerRow * (run.innerEpochs * SCORING * rows + (ADAPTER_ROWS[run.adapter] ?? 0));
    const times = methodOf(METHODS, run)?.times?.(run) ?? {};
    const grading = (times.grading ?? 1) * speed.gradePerCompletion * live;
    const sampled = (times.sampling ?? 1) * (sampling + grading);
    return BUSY * (1 + overheadShare(run)) * (sampled + (times.scoring ?? 1) * scoring);
  }

  /** Seconds to sample this many answers in sequential rounds: their prompts are read, then each pass adds a token to a batch. */
  #sampling(
    speed: Speed,
    kind: 'cpu' | 'webgpu',
    run: RunSpec,
    of: { read: number; answers: number; rounds?: number },
  ): number {
    const budgets = budgetsOf(run);
    const most = mostTrainedTokens(budgets);
    const { answers, rounds = 1 } = of;
    const batches = rounds * Math.ceil(answers / rounds / BATCH[kind]);
    const passes = (budgets.maxTurns === 1 ? most : PASSES_OF_TURNS * most) * batches;
    return speed.prefillPerRow * of.read + speed.pass * passes + speed.token * of.answers * lengthOf(run);
  }

  /** Seconds for one model's answers to this many problems, without judges. */
  #evaluation(run: RunSpec, equipped: Opened, promptTokens: number, problems: number, threads: number): number {
    const speed = this.#speedOn(threads, equipped);
    if (!speed || problems === 0) return 0;
    const { answersEvaluated: rounds = 1, tools = 0 } = capabilitiesOf(run.environment) ?? {};
    const answers = problems * rounds;
    const { kind } = equipped.chosen.report;
    const sampling = this.#sampling(speed, kind, run, { read: answers * promptTokens, answers, rounds });
    const answering = BUSY * (1 + tools) * (sampling + speed.gradePerCompletion * answers);
    return EVALUATION_SECONDS + answering * this.#correction(run, equipped);
  }

  /**
   * Minimum seconds of each part over the rounds, since other work on the machine only makes a round slower. The first round compiles and
   * allocates, and does not count.
   */
  async #rounds<Part extends string>(
    parts: Record<Part, () => Promise<unknown>>,
    signal?: AbortSignal,
  ): Promise<Record<Part, number>> {
    const names = Object.keys(parts) as Part[];
    const took = new Map<Part, number[]>(names.map((name) => [name, []]));
    const begun = this.#now();
    for (let round = 0; round <= ROUNDS; round++) {
      if (round > 1 && this.#now() - begun > LONGEST_MS) break;
      for (const name of names) {
        // A macrotask lets messages in (the start of an experiment); the CPU device itself never yields.
        await turn();
        if (signal?.aborted) throw new StoppedError();
        const from = this.#now();
        await parts[name]();
        if (round > 0) took.get(name)!.push((this.#now() - from) / 1000);
      }
    }
    return Object.fromEntries(names.map((name) => [name, Math.min(...took.get(name)!)])) as Record<Part, number>;
  }
}

/** Time of judges and tools as a share of the rest of a step. */
function overheadShare({ environment, grading }: RunSpec): number {
  const { judging, tools = 0 } = capabilitiesOf(environment) ?? {};
  return tools + ((grading && judging?.[grading]) || 0);
}

/** Time of a step on this many threads, relative to one. */
export const timeOn = (threads: number): number => 1 - THREADED + THREADED / threads;

/**
 * Seconds until the workers have done all runs in order: concurrent runs share the cores, the last run has them alone. `slowness`: a run's
 * time when `atWork` runs are at work, relative to its own seconds.
 */
export function secondsOf(runs: readonly number[], workers: number, slowness: (atWork: number) => number): number {
  const atWork = runs.slice(0, workers);
  const waiting = runs.slice(workers);
  let seconds = 0;
  while (atWork.length > 0) {
    const least = Math.min(...atWork);
    seconds += least * slowness(atWork.length);
    const left = atWork.map((one) => one - least).filter((one) => one > 0);
    atWork.splice(0, atWork.length, ...left, ...waiting.splice(0, workers - left.length));
  }
  return seconds;
}

const keyOf = ({ chosen }: Opened, { environment }: RunSpec): string => `${chosen.report.name}, ${environment}`;

/** Mean tokens of an answer. */
function lengthOf(run: RunSpec): number {
  const budgets = budgetsOf(run);
  const { written = budgets.maxTurns === 1 ? LENGTH : LENGTH_OF_TURNS } = capabilitiesOf(run.environment) ?? {};
  return written * mostTrainedTokens(budgets);
}

/** Mean live rollouts of a group: honest problems have no teacher. */
function liveOf(run: RunSpec): number {
  return run.honestShare * run.groupSize + (1 - run.honestShare) * liveRows(run);
}
