// What an experiment needs, before it is started: memory (estimate/memory.ts), and time from a short measurement on the open
// device. Every step that a run then really takes corrects the estimates that follow.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { mostTrainedTokens } from '../../engine/episodes/episode.ts';
import { makeProblemSet } from '../../environments/code/data.ts';
import type { CodeProblem } from '../../environments/code/types.ts';
import { budgetsOf } from '../../experiments/config/budgets.ts';
import { capabilitiesOf } from '../../experiments/config/environments.ts';
import { liveRows, type Resolved, type RunSpec } from '../../experiments/config/spec.ts';
import { worthWorkers } from '../../experiments/kinds/run/worth-workers.ts';
import { METHODS, methodOf } from '../../experiments/methods/index.ts';
import { turn } from '../../lib/turn.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';
import type { Equipped, Opened } from '../equipment/equipment.ts';
import type { RunEstimate } from '../protocol/protocol.ts';
import { foreignOf, longestPrompt, misfitOf, needOf, PAIR_TOKENS, type PromptsOf, plannedIds } from './memory.ts';
import { evaluationsOf, stepsBeyond } from './progress.ts';
import { extractionRows, refreshRows } from './refresh.ts';

/** Mean length of a completion, of its limit; the first step measured corrects it. */
const LENGTH = 0.65;
/** The same of an episode of several turns: .12 in the published rows of lookup and agents, and what their tools answer is read too. */
const LENGTH_OF_TURNS = 0.2;
/** Passes of an episode of several turns, of the tokens that it may have: the longest of a batch sets them. */
const PASSES_OF_TURNS = 0.7;
/** What scoring takes of the measured rows' time: real completions are longer, and attention with them. */
const SCORING = 1.15;
/** What a step takes for its adapter's gradients and update, as rows scored: few parameters of svd, some of LoRA, all weights. */
const ADAPTER_ROWS: Readonly<Record<string, number>> = { svd: 0, lora: 1500, blocks: 1500, full: 700 };
/** What is prepared takes so many times the rows' scoring: each pair has a gradient of its own, and V is made of them. Measured with the
 *  presets smoke and lesson, as is the next. */
const PREPARING = 1.7;
/** Of each evaluated model, beside its answers: its weights are folded, its rows are stored. */
const EVALUATION_SECONDS = 0.03;
/** How much sooner runs side by side are done than one after another: each alone has the cores to itself most of the time. */
const SIDE_BY_SIDE = 1.35;
/** From Run to the first of what is prepared, and from the last evaluation to the table. */
const STARTING_SECONDS = 0.6;
/** Of each run beside its steps: it is begun, stored and ended; and of each worker, which opens the model. */
const RUN_SECONDS = 0.3;
const WORKER_SECONDS = 0.4;
/** What a run takes of the least that the same took at rest: the page draws beside it, and the memory is not at hand. */
const BUSY = 1.15;
/** Tokens that the measurement samples. */
const MEASURED_TOKENS = 16;
const MEASURED_SEQUENCES = 32;
const MEASURED_TEMPERATURE = 8;
/** Sequences decoded together (engine/rollout). */
const BATCH = { cpu: 128, webgpu: 512 } as const;
/** Rounds of the measurement, and milliseconds after which none begins. */
const ROUNDS = 7;
const LONGEST_MS = 1000;
/** Weight of a new step in the correction. */
const LEARNING = 0.3;

/** What decides whether runs go side by side: the page's workers (work/page-workers.ts), which are above. */
type SideBySide = Readonly<{ cores: number; bytes: number; rollouts?: number }>;

/** Seconds that the open device takes for the parts of a step. */
interface Speed {
  prefillPerRow: number;
  /** Of one pass that samples a token for each of a batch, however many: on a GPU, which takes them together, that is all. */
  pass: number;
  /** Of each token of such a pass besides; 0 on a GPU. */
  token: number;
  scorePerRow: number;
  gradePerCompletion: number;
}

export class Estimator {
  readonly #now: () => number;
  /** Keyed by the engine, since what is opened may be written to in several ways. */
  #speeds = new WeakMap<Opened['policy'], Speed>();
  /** What steps took of what they were thought to take, by device and environment: what a step does beside rollouts is an environment's own. */
  #corrections = new Map<string, number>();

  /** The same of everything before the first step. */
  #preparations = new Map<string, number>();

  readonly #promptsOf: PromptsOf | undefined;
  readonly #workers: SideBySide | undefined;

  /** `now` in milliseconds; `promptsOf` where the lab has real problems, `workers` where runs may go side by side. */
  constructor(now: () => number, promptsOf?: PromptsOf, workers?: SideBySide) {
    this.#now = now;
    this.#promptsOf = promptsOf;
    this.#workers = workers;
  }

  /** Whether `estimate` would have to measure first. */
  knows(equipped: Opened): boolean {
    return this.#speeds.has(equipped.policy);
  }

  /** Uses the engine for about a second: nothing else may, meanwhile. */
  async measure(equipped: Equipped, signal?: AbortSignal): Promise<void> {
    const { policy, codec, grader } = equipped;
    const problems = makeProblemSet({ modes: ['run_tests'], honestShare: 0.5, count: 4, dataSeed: 7 });
    const prompts = problems.map(({ prompt }) => plannedIds(codec, prompt));
    const sequences = Array.from({ length: MEASURED_SEQUENCES }, (_, i) => ({
      prompt: i % prompts.length,
      key: keyFor(0, STREAMS.evaluation, 0, i),
    }));
    // No end tokens: every sequence runs to its limit, so that the tokens are counted. So hot that no two say the same: what is said alike
    // is computed once, and an untrained model would be measured by how alike it says things.
    const ask = { prompts, sequences, temperature: MEASURED_TEMPERATURE, endTokens: [], signal };
    const few = sequences.slice(0, prompts.length);
    policy.setAdapterParams(policy.initialAdapterParams);
    const most = 1 + MEASURED_TOKENS;
    // Also compiles and allocates.
    const written = await policy.generate({ ...ask, maxNew: most });
    // All weights have no gradients of segments apart.
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
        // One that was stopped leaves the engine to whoever stopped it.
        batch.free();
      }
    };
    const items = problems.map((problem: CodeProblem) => ({
      problem,
      completion: `\`\`\`python\n${problem.starter}\n        return ${problem.solution}\n\`\`\``,
    }));
    const took = await this.#rounds(
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
    const prefillRows = prompts.reduce((sum, ids) => sum + ids.length, 0);
    const passOf = (whole: number, prefill: number) => Math.max(0, whole - prefill) / MEASURED_TOKENS;
    const [pass, passOfFew] = [passOf(took.whole, took.prefill), passOf(took.few, took.prefillFew)];
    const isCpu = equipped.chosen.report.kind === 'cpu';
    const token = isCpu ? Math.max(0, pass - passOfFew) / (sequences.length - few.length) : 0;
    this.#speeds.set(policy, {
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
    const { storage } = equipped.policy;
    const { maxBindingBytes } = device.limits;
    const memory = needOf(runs, equipped.model.config, promptTokens, report.kind, { storage, maxBindingBytes });
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

  /** Throws SpecError where it does not fit, before anything is trained. */
  check(experiment: Resolved, equipped: Opened): void {
    const promptTokens = longestPrompt(experiment.runs[0], equipped, this.#promptsOf);
    const misfit = this.#misfit(experiment, equipped, promptTokens);
    if (misfit) throw new SpecError(misfit.message, misfit.remedy);
  }

  #misfit(experiment: Resolved, { model, chosen, policy }: Opened, promptTokens: number): RunEstimate['misfit'] {
    const { report, device } = chosen;
    return (
      foreignOf(experiment.runs[0], model.id, this.#promptsOf) ??
      misfitOf(experiment, model.config, promptTokens, report.kind, device.limits, policy.storage)
    );
  }

  /** The same before anything of the model is opened: whether it is the one that is asked for. */
  checkModel(run: RunSpec, modelId: string): void {
    const foreign = foreignOf(run, modelId, this.#promptsOf);
    if (foreign) throw new SpecError(foreign.message, foreign.remedy);
  }

  /** Seconds that a step of this run takes, as far as is known. */
  stepSeconds(run: RunSpec, equipped: Opened, promptTokens: number): number | null {
    const raw = this.#raw(run, equipped, promptTokens);
    return raw === null ? null : raw * this.#correction(run, equipped);
  }

  /** A step took `seconds`, evaluation and refreshed bases left out. */
  learn(run: RunSpec, equipped: Equipped, seconds: number): void {
    const raw = this.#raw(run, equipped, longestPrompt(run, equipped));
    if (raw === null || raw <= 0 || !(seconds > 0)) return;
    const key = keyOf(equipped, run);
    const old = this.#corrections.get(key);
    this.#corrections.set(key, old === undefined ? seconds / raw : old + LEARNING * (seconds / raw - old));
  }

  /** Everything before the first step took `seconds`: what was thought of it is corrected as steps are. */
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
    const perStep = this.stepSeconds(first, equipped, promptTokens);
    const speed = this.#speeds.get(equipped.policy);
    if (perStep === null || !speed) return null;
    // Prepared once: the pairs' gradients, the pool's verdicts (five rows for each hackable problem), and the untrained model's
    // evaluations.
    const pairs = extractionRows(runs, promptTokens + PAIR_TOKENS) * speed.scorePerRow;
    const pool = first.mix > 0 ? 5 * (1 - first.honestShare) * first.problems * speed.gradePerCompletion : 0;
    const evaluation = (run: RunSpec, problems: number) => this.#evaluation(run, equipped, promptTokens, problems);
    // The untrained model is evaluated once for all of them.
    const base = evaluation(first, first.finalEvalProblems + (first.evalEvery > 0 ? first.evalProblems : 0));
    const each = runs.map((run) => {
      const { onTheWay, atTheEnd } = evaluationsOf(run);
      const evaluating =
        onTheWay * evaluation(run, run.evalProblems) + (atTheEnd - 1) * evaluation(run, run.finalEvalProblems);
      const perStepOfRun = this.stepSeconds(run, equipped, promptTokens) ?? perStep;
      return RUN_SECONDS + (run.steps + stepsBeyond(run)) * perStepOfRun + evaluating;
    });
    const workers = this.#workersFor(runs, equipped);
    const training = (workers > 1 ? workers * WORKER_SECONDS : 0) + secondsOf(each, workers);
    const rows = runs.reduce((sum, run) => sum + refreshRows(run, promptTokens + PAIR_TOKENS), 0);
    const refreshing = rows * speed.scorePerRow * this.#correction(first, equipped);
    const preparing = PREPARING * (pool + pairs) * (this.#preparations.get(keyOf(equipped, first)) ?? 1) + base;
    return { perStep, preparing, total: STARTING_SECONDS + preparing + training + refreshing };
  }

  #workersFor(runs: readonly RunSpec[], { chosen }: Opened): number {
    const host = this.#workers;
    return chosen.report.kind === 'cpu' && host ? worthWorkers(runs, host.cores, host.bytes, host.rollouts) : 1;
  }

  #raw(run: RunSpec, equipped: Opened, promptTokens: number): number | null {
    const { report } = equipped.chosen;
    const speed = this.#speeds.get(equipped.policy);
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
    return BUSY * (1 + besidesOf(run)) * (sampled + (times.scoring ?? 1) * scoring);
  }

  /** Seconds that sampling so many answers takes, in rounds that wait for each other: prompts are read, and a pass a token goes over a batch. */
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

  /** Seconds of one model's answers to so many problems; no judge is asked. */
  #evaluation(run: RunSpec, equipped: Opened, promptTokens: number, problems: number): number {
    const speed = this.#speeds.get(equipped.policy);
    if (!speed || problems === 0) return 0;
    const { answersEvaluated: rounds = 1, tools = 0 } = capabilitiesOf(run.environment) ?? {};
    const answers = problems * rounds;
    const { kind } = equipped.chosen.report;
    const sampling = this.#sampling(speed, kind, run, { read: answers * promptTokens, answers, rounds });
    const answering = BUSY * (1 + tools) * (sampling + speed.gradePerCompletion * answers);
    return EVALUATION_SECONDS + answering * this.#correction(run, equipped);
  }

  /** Least seconds of each part, over rounds of all parts: whatever else the machine does makes a round slower, and none faster. The first
   *  round compiles and allocates, and does not count. */
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
        // A macrotask, so that a message (the start of an experiment) can come in between: the CPU device never waits.
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

/** What judges and tools take of a step, as a share of the rest. */
function besidesOf({ environment, grading }: RunSpec): number {
  const { judging, tools = 0 } = capabilitiesOf(environment) ?? {};
  return tools + ((grading && judging?.[grading]) || 0);
}

/** Seconds until all of these are done by so many workers, in their order: those at work together share the cores, the last has them alone. */
function secondsOf(runs: readonly number[], workers: number): number {
  const atWork = runs.slice(0, workers);
  const waiting = runs.slice(workers);
  let seconds = 0;
  while (atWork.length > 0) {
    const least = Math.min(...atWork);
    seconds += least * (atWork.length > 1 ? atWork.length / SIDE_BY_SIDE : 1);
    const left = atWork.map((one) => one - least).filter((one) => one > 0);
    atWork.splice(0, atWork.length, ...left, ...waiting.splice(0, workers - left.length));
  }
  return seconds;
}

const keyOf = ({ chosen }: Opened, { environment }: RunSpec): string => `${chosen.report.name}, ${environment}`;

/** Tokens of an answer in the mean. */
function lengthOf(run: RunSpec): number {
  const budgets = budgetsOf(run);
  const { written = budgets.maxTurns === 1 ? LENGTH : LENGTH_OF_TURNS } = capabilitiesOf(run.environment) ?? {};
  return written * mostTrainedTokens(budgets);
}

/** Live rollouts of a group on average: honest problems have no teacher. */
function liveOf(run: RunSpec): number {
  return run.honestShare * run.groupSize + (1 - run.honestShare) * liveRows(run);
}
