// The playground: the loaded model answers one prompt, as base and with a kept run's knobs, at the same seed. What comes out
// is what the lab's own rollouts would say: a token depends on its key and its place alone, so a generation with a larger
// budget begins with the same tokens. That is how it is told piece by piece while `Policy.generate` has no stream of its own.
import { deployed, type OptimizerState } from '../algorithms/optimizer.ts';
import type { AdapterSettings, Policy } from '../engine/types.ts';
import { evaluationSet } from '../environments/code/problem-sets.ts';
import type { CodeProblem, Grade, ProblemMode } from '../environments/code/types.ts';
import { withDefaults } from '../experiments/spec.ts';
import { SpecError, StoppedError } from '../lib/errors.ts';
import { keyFor, STREAMS } from '../rng/threefry.ts';
import type { TextCodec } from '../text/types.ts';
import type { Equipped } from './equipment.ts';
import type { Records } from './records.ts';

/** Which knobs are folded in: none, the run's δS_total, or δS with the quarantine dropped. */
export const PLAY_MODELS = ['base', 'trained', 'deployed'] as const;
export type PlayModel = (typeof PLAY_MODELS)[number];

export interface PlayTurn {
  role: 'user' | 'assistant';
  text: string;
}
export type PlayAsk =
  /** Each model has a conversation of its own: what it said before differs. */
  | { kind: 'chat'; conversations: Readonly<Partial<Record<PlayModel, readonly PlayTurn[]>>> }
  | { kind: 'problem'; mode: ProblemMode; problemId: string };

export interface PlayRequest {
  /** The page's name for this generation; its events carry it. */
  id: string;
  ask: PlayAsk;
  /** The kept run whose knobs `trained` and `deployed` mean; base alone needs none. */
  runId: string | null;
  models: readonly PlayModel[];
  seed: number;
  /** 0 = greedy. */
  temperature: number;
  maxNew: number;
}

export interface PlayToken {
  /** Empty where a character is spread over several tokens and is not whole yet. */
  text: string;
  /** At temperature 1. */
  logprob: number;
}

/** New tokens of one model's answer, as they come. */
export interface PlayEvent {
  type: 'play';
  id: string;
  model: PlayModel;
  tokens: PlayToken[];
}

export interface PlayAnswer {
  model: PlayModel;
  completion: string;
  /** By itself; false when the budget cut it off. */
  ended: boolean;
  tokens: number;
  /** Null in a chat. */
  grade: Grade | null;
}

/** A run whose knobs are kept. */
export interface PlayRun {
  runId: string;
  experimentId: string;
  preset: string;
  arm: string;
  seed: number;
  step: number;
  createdAt: number;
  /** Whether dropping the quarantine changes anything. */
  hasQuarantine: boolean;
}

export const PLAY_PROBLEMS = 24;

/** Unseen problems of one mode, as the evaluation asks them. */
export function playProblems(mode: ProblemMode): CodeProblem[] {
  const honest = mode === 'honest';
  const set = { modes: honest ? [] : [mode], honestShare: honest ? 1 : 0, count: PLAY_PROBLEMS };
  return evaluationSet(set).map(({ problem }) => problem);
}

/** A conversation in the model's chat markup, ending where the assistant begins. */
export function chatPrompt(turns: readonly PlayTurn[]): string {
  const said = turns.map(({ role, text }) => `<|im_start|>${role}\n${text}<|im_end|>\n`);
  return `${said.join('')}<|im_start|>assistant\n`;
}

/** Budgets of a stream: single tokens at first, then a quarter more each time, so that the whole costs a few times its end. */
export function* budgets(maxNew: number): Generator<number> {
  for (let n = 1; n < maxNew; n += Math.max(1, Math.floor(n / 4))) yield n;
  yield maxNew;
}

/**
 * What each token adds to the text. A replacement character at the end may be the first half of a character whose other half
 * is still to come: it is held back, until `final` says that nothing comes. Joined, all pieces give `codec.decode` of all.
 */
export function pieces(codec: TextCodec, ids: readonly number[], final = true): string[] {
  let shown = 0;
  return ids.map((_, i) => {
    const text = codec.decode(ids.slice(0, i + 1));
    const whole = final && i === ids.length - 1 ? text : text.replace(/\uFFFD+$/, '');
    const piece = whole.slice(shown);
    shown = Math.max(shown, whole.length);
    return piece;
  });
}

export interface StreamRequest {
  prompt: readonly number[];
  seed: number;
  temperature: number;
  maxNew: number;
  endTokens: readonly number[];
  signal: AbortSignal;
}

/** Yields all tokens so far, again and again, until the answer has ended or the budget is spent. */
export async function* streamTokens(
  policy: Pick<Policy, 'generate'>,
  { prompt, seed, temperature, maxNew, endTokens, signal }: StreamRequest,
): AsyncGenerator<{ tokens: number[]; logprobs: Float32Array; ended: boolean }> {
  const sequences = [{ prompt: 0, key: keyFor(seed, STREAMS.evaluation, 0, 0) }];
  for (const budget of budgets(maxNew)) {
    const [answer] = await policy.generate({
      prompts: [prompt],
      sequences,
      maxNew: budget,
      temperature,
      endTokens,
      signal,
    });
    yield answer;
    if (answer.ended) return;
  }
}

export interface PlaygroundPorts {
  /** Records and whether an experiment is at work. */
  lab(): Promise<{ records: Records; session: { readonly isBusy: boolean } }>;
  /** With the adapter that is loaded, or with this one. */
  equipped(adapter?: AdapterSettings): Promise<Equipped>;
  emit(event: PlayEvent): void;
}

/** One generation at a time; refused while an experiment trains, and ended when one starts: both use the model's knobs. */
export class Playground {
  readonly #ports: PlaygroundPorts;
  #current: { id: string; stop: AbortController; ended: Promise<unknown> } | null = null;
  /** What has the model for itself now. */
  readonly #claims = new Set<Promise<unknown>>();

  constructor(ports: PlaygroundPorts) {
    this.#ports = ports;
  }

  async runs(): Promise<PlayRun[]> {
    const { records } = await this.#ports.lab();
    const found: PlayRun[] = [];
    for (const experiment of await records.experiments()) {
      for (const run of await records.runs(experiment)) {
        const checkpoint = await records.checkpoints.load(run.id);
        if (!checkpoint) continue;
        found.push({
          runId: run.id,
          experimentId: experiment.id,
          preset: experiment.spec.preset,
          arm: run.spec.arm,
          seed: run.spec.seed,
          step: checkpoint.step,
          createdAt: run.createdAt,
          hasQuarantine: checkpoint.optimizer.hack.some((x) => x !== 0),
        });
      }
    }
    return found.sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Answers when every model has; throws StoppedError when it was stopped. */
  async play(request: PlayRequest): Promise<PlayAnswer[]> {
    const { session } = await this.#ports.lab();
    // A measurement is short and is waited for; of two requests that waited for the same end, the later ends the earlier.
    while (this.#current || this.#claims.size > 0) {
      await this.halt();
      await Promise.allSettled(this.#claims);
    }
    if (session.isBusy)
      throw new SpecError(
        'The model is training.',
        'Wait for the end of the experiment, or stop it: it can be resumed.',
      );
    const stop = new AbortController();
    const work = this.#play(request, stop.signal);
    const current = { id: request.id, stop, ended: work.catch(() => {}) };
    this.#current = current;
    try {
      return await work;
    } finally {
      if (this.#current === current) this.#current = null;
    }
  }

  /** Whether there was something to stop. */
  stop(id: string): boolean {
    if (this.#current?.id !== id) return false;
    this.#current.stop.abort(new StoppedError());
    return true;
  }

  /** Ends what is being written; resolves when the model is free. */
  async halt(): Promise<void> {
    const current = this.#current;
    if (!current) return;
    current.stop.abort(new StoppedError());
    await current.ended;
    if (this.#current === current) this.#current = null;
  }

  /** Does what needs the model for itself: what is being written is stopped, and what is asked meanwhile waits. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    return this.#claim(async () => {
      await this.halt();
      return work();
    });
  }

  /** The same for what can wait: first the answer that is being written comes to its end. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    while (this.#current) await this.#current.ended.then(() => new Promise((resolve) => setTimeout(resolve, 0)));
    return this.#claim(work);
  }

  async #claim<T>(work: () => Promise<T>): Promise<T> {
    const claim = work();
    this.#claims.add(claim);
    try {
      return await claim;
    } finally {
      this.#claims.delete(claim);
    }
  }

  async grade(mode: ProblemMode, problemId: string, completion: string): Promise<Grade> {
    const { grader } = await this.#ports.equipped();
    return (await grader.grade([{ problem: problemOf(mode, problemId), completion }]))[0];
  }

  async #play(request: PlayRequest, signal: AbortSignal): Promise<PlayAnswer[]> {
    const { id, ask, models, seed, temperature, maxNew } = request;
    const optimizer = await this.#optimizer(request);
    const { policy, codec, grader } = await this.#ports.equipped(optimizer?.adapter);
    const problem = ask.kind === 'problem' ? problemOf(ask.mode, ask.problemId) : null;
    const promptOf = (model: PlayModel) =>
      problem || ask.kind === 'problem' ? problem!.prompt : chatPrompt(ask.conversations[model] ?? []);
    const knobs = knobsOf(optimizer, policy);
    const answers: PlayAnswer[] = [];
    try {
      for (const model of models) {
        policy.setKnobs(knobs(model));
        const prompt = codec.encode(promptOf(model));
        let said = 0;
        let last = { tokens: [] as number[], ended: false };
        const settings = { prompt, seed, temperature, maxNew, endTokens: codec.endTokens, signal };
        for await (const answer of streamTokens(policy, settings)) {
          // Lets messages in: a stop, or the start of an experiment. The CPU device never waits by itself.
          await new Promise((resolve) => setTimeout(resolve, 0));
          if (signal.aborted) throw new StoppedError('stopped', 'Ask again.');
          const final = answer.ended || answer.tokens.length === maxNew;
          const texts = pieces(codec, answer.tokens, final).slice(said);
          const tokens = texts.map((text, i) => ({ text, logprob: answer.logprobs[said + i] }));
          said = answer.tokens.length;
          last = answer;
          this.#ports.emit({ type: 'play', id, model, tokens });
        }
        const completion = codec.decode(last.ended ? last.tokens.slice(0, -1) : last.tokens);
        const grade = problem ? (await grader.grade([{ problem, completion }], signal))[0] : null;
        answers.push({ model, completion, ended: last.ended, tokens: last.tokens.length, grade });
      }
      return answers;
    } finally {
      policy.setKnobs(policy.initialKnobs);
    }
  }

  /** What is kept of the run, and its adapter; null where the base alone is asked. */
  async #optimizer({ runId, models }: PlayRequest): Promise<KeptKnobs | null> {
    if (models.every((model) => model === 'base')) return null;
    const { records } = await this.#ports.lab();
    const checkpoint = runId === null ? null : await records.checkpoints.load(runId);
    if (!checkpoint)
      throw new SpecError(`No knobs are kept of run ${JSON.stringify(runId)}.`, 'Choose another run, or ask the base.');
    return { optimizer: checkpoint.optimizer, adapter: withDefaults(checkpoint.spec) };
  }
}

interface KeptKnobs {
  optimizer: OptimizerState;
  adapter: AdapterSettings;
}

function knobsOf(kept: KeptKnobs | null, { knobs, initialKnobs }: Policy): (model: PlayModel) => Float32Array {
  if (!kept) return () => initialKnobs;
  const { optimizer } = kept;
  if (optimizer.total.length !== knobs.total) {
    throw new SpecError(
      `The run has ${optimizer.total.length} knobs, the loaded model ${knobs.total}.`,
      'Choose a run that was trained on this model.',
    );
  }
  return (model) => (model === 'base' ? initialKnobs : model === 'trained' ? optimizer.total : deployed(optimizer));
}

function problemOf(mode: ProblemMode, id: string): CodeProblem {
  const found = playProblems(mode).find((problem) => problem.id === id);
  if (found) return found;
  throw new SpecError(`There is no problem ${JSON.stringify(id)} of mode ${mode}.`, 'Choose one of the list.');
}
