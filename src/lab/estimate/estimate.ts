// What an experiment needs, before it is started: memory (estimate/memory.ts), and time from a short measurement on the open
// device. Every step that a run then really takes corrects the estimates that follow.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { mostTrainedTokens } from '../../engine/episodes/episode.ts';
import { makeProblemSet } from '../../environments/code/data.ts';
import type { CodeProblem } from '../../environments/code/types.ts';
import { budgetsOf } from '../../experiments/config/budgets.ts';
import { termsOf } from '../../experiments/config/environments.ts';
import { type ExperimentSpec, liveRows, type RunSpec, resolveRuns } from '../../experiments/config/spec.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';
import type { Equipped, Opened } from '../equipment/equipment.ts';
import type { Estimate } from '../protocol/protocol.ts';
import { foreignOf, longestPrompt, misfitOf, needOf, PAIR_TOKENS, type PromptsOf } from './memory.ts';
import { evaluationsOf, modelWeight, weightOf } from './progress.ts';
import { extractionRows, refreshRows } from './refresh.ts';

/** Mean length of a completion, of its limit; the first step measured corrects it. */
const LENGTH = 0.6;
/** The same of an episode of several turns: .12 in the published rows of lookup and agents, and what their tools answer is read too. */
const LENGTH_OF_TURNS = 0.2;
/** What is prepared takes so many times the rows' scoring: each pair has a gradient of its own, and V is made of them. Measured with the
 *  presets smoke and lesson, as is the next. */
const PREPARING = 1.7;
/** Of each evaluated model, beside its answers: its weights are folded, its rows are stored. */
const EVALUATION_SECONDS = 0.1;
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
  #speeds = new WeakMap<Opened, Speed>();
  /** What steps took of what they were thought to take, by device and environment: what a step does beside rollouts is an environment's own. */
  #corrections = new Map<string, number>();

  /** The same of everything before the first step. */
  #preparations = new Map<string, number>();

  readonly #promptsOf: PromptsOf | undefined;

  /** `now` in milliseconds; `promptsOf` where the lab has real problems. */
  constructor(now: () => number, promptsOf?: PromptsOf) {
    this.#now = now;
    this.#promptsOf = promptsOf;
  }

  /** Whether `estimate` would have to measure first. */
  knows(equipped: Opened): boolean {
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
    policy.setAdapterParams(policy.initialAdapterParams);
    // The first of each kind also compiles and allocates; it is not measured.
    let written = await policy.generate({ ...ask, maxNew: 2 });
    const [prefill] = await this.#timed(() => policy.generate({ ...ask, maxNew: 1 }));
    const [whole, answers] = await this.#timed(() => policy.generate({ ...ask, maxNew: 1 + MEASURED_TOKENS }));
    written = answers;
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
      scorePerRow: scoring / (segments * prefillRows + sequences.length * (1 + MEASURED_TOKENS)),
      gradePerCompletion: grading / items.length,
    });
  }

  estimate(spec: ExperimentSpec, equipped: Opened): Estimate {
    const { device, report } = equipped.chosen;
    const promptTokens = longestPrompt(spec, equipped, this.#promptsOf);
    const { storage } = equipped.policy;
    const { maxBindingBytes } = device.limits;
    const memory = needOf(spec, equipped.model.config, promptTokens, report.kind, { storage, maxBindingBytes });
    const misfit =
      foreignOf(spec, equipped.model.id, this.#promptsOf) ??
      misfitOf(spec, equipped.model.config, promptTokens, report.kind, device.limits, storage);
    const limit = device.limits.maxTotalBytes;
    return {
      device: report.name,
      memory,
      limitBytes: Number.isFinite(limit) ? limit : null,
      misfit,
      seconds: misfit ? null : this.#seconds(spec, equipped, promptTokens),
      corrected: this.#corrections.has(keyOf(report.name, resolveRuns(spec)[0])),
    };
  }

  /** Throws SpecError where it does not fit, before anything is trained. */
  check(spec: ExperimentSpec, equipped: Opened): void {
    const { model, chosen, policy } = equipped;
    const misfit =
      foreignOf(spec, model.id, this.#promptsOf) ??
      misfitOf(
        spec,
        model.config,
        longestPrompt(spec, equipped, this.#promptsOf),
        chosen.report.kind,
        chosen.device.limits,
        policy.storage,
      );
    if (misfit) throw new SpecError(misfit.message, misfit.remedy);
  }

  /** The same before anything of the model is opened: whether it is the one that is asked for. */
  checkModel(spec: ExperimentSpec, modelId: string): void {
    const foreign = foreignOf(spec, modelId, this.#promptsOf);
    if (foreign) throw new SpecError(foreign.message, foreign.remedy);
  }

  /** Seconds that a step of this run takes, as far as is known. */
  stepSeconds(run: RunSpec, equipped: Opened, promptTokens: number): number | null {
    const raw = this.#raw(run, equipped, promptTokens);
    return raw === null ? null : raw * this.#correction(run, equipped);
  }

  /** A step took `seconds`, evaluation and refreshed bases left out. */
  learn(run: RunSpec, equipped: Equipped, seconds: number): void {
    const raw = this.#raw(run, equipped, longestPrompt({ runs: [run] }, equipped));
    if (raw === null || raw <= 0 || !(seconds > 0)) return;
    const key = keyOf(equipped.chosen.report.name, run);
    const old = this.#corrections.get(key);
    this.#corrections.set(key, old === undefined ? seconds / raw : old + LEARNING * (seconds / raw - old));
  }

  /** Everything before the first step took `seconds`: what was thought of it is corrected as steps are. */
  learnPreparing(run: RunSpec, equipped: Equipped, { thought, took }: { thought: number; took: number }): void {
    if (!(thought > 0) || !(took > 0)) return;
    const key = keyOf(equipped.chosen.report.name, run);
    const old = this.#preparations.get(key) ?? 1;
    this.#preparations.set(key, old * (1 + LEARNING * (took / thought - 1)));
  }

  #preparation(run: RunSpec, { chosen }: Opened): number {
    return this.#preparations.get(keyOf(chosen.report.name, run)) ?? 1;
  }

  #correction(run: RunSpec, { chosen }: Opened): number {
    return this.#corrections.get(keyOf(chosen.report.name, run)) ?? 1;
  }

  #seconds(spec: ExperimentSpec, equipped: Opened, promptTokens: number): Estimate['seconds'] {
    const runs = resolveRuns(spec);
    const [first] = runs;
    const perStep = this.stepSeconds(first, equipped, promptTokens);
    const speed = this.#speeds.get(equipped);
    if (perStep === null || !speed) return null;
    // Prepared once: the pairs' gradients, the pool's verdicts (five rows for each hackable problem), and the untrained model's
    // evaluations.
    const pairs = extractionRows(runs, promptTokens + PAIR_TOKENS) * speed.scorePerRow;
    const pool = first.mix > 0 ? 5 * (1 - first.honestShare) * first.problems * speed.gradePerCompletion : 0;
    // An evaluation asks no judge.
    const unjudged = (run: RunSpec) =>
      (this.stepSeconds(run, equipped, promptTokens) ?? perStep) / (1 + judgingOf(run));
    const atFirst = first.finalEvalProblems + (first.evalEvery > 0 ? first.evalProblems : 0);
    const base = modelWeight(first, atFirst) * unjudged(first);
    const training = runs.reduce((sum, run) => sum + (weightOf(run) + judgingOf(run) * run.steps) * unjudged(run), 0);
    const rows = runs.reduce((sum, run) => sum + refreshRows(run, promptTokens + PAIR_TOKENS), 0);
    const refreshing = rows * speed.scorePerRow * this.#correction(first, equipped);
    const preparing = PREPARING * (pool + pairs) * this.#preparation(first, equipped) + base;
    const evaluating = EVALUATION_SECONDS * runs.reduce((sum, run) => sum + evaluationsOf(run), 0);
    return { perStep, preparing, total: preparing + training + refreshing + evaluating };
  }

  #raw(run: RunSpec, equipped: Opened, promptTokens: number): number | null {
    const speed = this.#speeds.get(equipped);
    if (!speed) return null;
    const live = run.promptsPerStep * liveOf(run);
    const all = run.promptsPerStep * run.groupSize;
    const budgets = budgetsOf(run);
    const most = mostTrainedTokens(budgets);
    const { written = budgets.maxTurns === 1 ? LENGTH : LENGTH_OF_TURNS } = termsOf(run.environment) ?? {};
    const length = written * most;
    const sampling =
      speed.prefillPerRow * run.promptsPerStep * promptTokens +
      speed.token * (equipped.chosen.report.kind === 'cpu' ? live * length : most * Math.ceil(live / 512));
    const segments = run.mix > 0 ? 2 : 1;
    const rows = segments * run.promptsPerStep * promptTokens + all * length;
    const scoring = run.innerEpochs * speed.scorePerRow * rows;
    return (1 + judgingOf(run)) * (sampling + scoring + speed.gradePerCompletion * live);
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

/** What judges take of a step, as a share of the rest. */
const judgingOf = ({ environment, grading }: RunSpec): number =>
  (grading && termsOf(environment)?.judging?.[grading]) || 0;

const keyOf = (device: string, { environment }: RunSpec): string => `${device}, ${environment}`;

/** Live rollouts of a group on average: honest problems have no teacher. */
function liveOf(run: RunSpec): number {
  return run.honestShare * run.groupSize + (1 - run.honestShare) * liveRows(run);
}
