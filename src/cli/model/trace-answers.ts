// `trace --problems`: a file of problems with checks, answered by the base and by each adapter of a series on the same random numbers, so that
// two differ by their weights alone.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import type { Policy } from '../../engine/types.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import type { Grader } from '../../environments/code/types.ts';
import { type CustomProblem, readCustomFile } from '../../environments/custom/problem-file.ts';
import { checkCustom, customMetrics, judgeCustom } from '../../environments/custom/reward.ts';
import type { Device } from '../../kernels/device.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import { type ModelText, openModelText } from '../../storage/model-text.ts';
import { answerText, cutAtEnd } from '../../text/answer.ts';
import { judgedText, type Thinking } from '../../text/thinking.ts';
import { integer, text, type Values } from '../args.ts';
import type { CommandContext } from '../command.ts';
import { yieldToEvents } from '../drain.ts';
import { readProblems } from '../files/given.node.ts';
import { JUDGED_WORDS, noteUnread, PROMPT_FLAGS, promptSettings, THINKING_FLAG, thinkingWith } from './prompts.ts';
import { chooseStorage, STORAGE_FLAG } from './storage-choice.ts';

export const ANSWER_FLAGS = {
  problems: text(
    'FILE',
    'Problems with checks (docs/tutorials/your-problems.md), answered by BASE and each adapter.',
    null,
  ),
  ...PROMPT_FLAGS,
  thinking: THINKING_FLAG,
  seed: integer('Of the answers, which are sampled at temperature 1.', 0),
  'max-new': integer('Most tokens of an answer.', 256, 1),
  storage: STORAGE_FLAG,
} as const;
export type AnswerFlags = Values<typeof ANSWER_FLAGS>;

/** Shares of all answers. */
export interface Answered {
  n: number;
  /** Right by the true checks; paid by the flawed ones; paid and not right; without a verdict of a Python check. */
  solve: number;
  paid: number;
  hack: number;
  broken: number;
}

/** Sequences that are written together. */
const BATCH = 32;

export class Answers {
  readonly #problems: readonly CustomProblem[];
  readonly #prompts: readonly number[][];
  readonly #words: ModelText;
  readonly #thinking: Thinking;
  readonly #grader: Grader;
  readonly #flags: AnswerFlags;
  readonly #context: CommandContext;

  private constructor(
    problems: readonly CustomProblem[],
    words: ModelText,
    { grader, thinking }: { grader: Grader; thinking: Thinking },
    flags: AnswerFlags,
    context: CommandContext,
  ) {
    this.#problems = problems;
    this.#prompts = problems.map(({ prompt }) => words.codec.encodeChat(prompt));
    this.#words = words;
    this.#thinking = thinking;
    this.#grader = grader;
    this.#flags = flags;
    this.#context = context;
  }

  /** Reads and tries the file before anything is computed. Throws FormatError, SpecError. */
  static async open(
    path: string,
    base: ModelFiles,
    folder: string,
    flags: AnswerFlags,
    context: CommandContext,
  ): Promise<Answers> {
    const file = await readProblems(path, true);
    const problems = readCustomFile(file.text, file.name);
    const words = await openModelText(base, folder, await promptSettings(flags));
    await noteUnread(words, context.progress);
    const thinking = thinkingWith(flags.thinking, words);
    context.progress.note(JUDGED_WORDS[thinking]);
    const grader = await createNodeGrader();
    try {
      const answers = new Answers(problems, words, { grader, thinking }, flags, context);
      answers.#checkRoom(base.config.maxPositions);
      await checkCustom(problems, grader.run?.bind(grader), thinking, context.signal);
      return answers;
    } catch (error) {
      await grader.close();
      throw error;
    }
  }

  /** Throws SpecError. */
  #checkRoom(positions: number): void {
    const maxNew = this.#flags['max-new'];
    for (const [i, { length }] of this.#prompts.entries())
      if (length + maxNew > positions)
        throw new SpecError(
          `${this.#problems[i].where}: the prompt has ${length} tokens, and with --max-new ${maxNew} the model has ${positions} positions.`,
          'Leave the line out, or give a smaller --max-new.',
        );
  }

  /** The shares of the model's answers, one to each problem. */
  async of(
    name: string,
    { config, weights }: Pick<ModelFiles, 'config' | 'weights'>,
    device: Device,
  ): Promise<Answered> {
    const { signal } = this.#context;
    const maxNew = this.#flags['max-new'];
    const size = Math.min(BATCH, this.#prompts.length);
    const promptTokens = Math.max(...this.#prompts.map(({ length }) => length));
    const work = {
      rollouts: [{ prompts: size, sequences: size, promptTokens, maxNew }],
      scores: [],
      adapter: 'none',
    } as const;
    const { storage } = chooseStorage(this.#flags.storage, config, work, device);
    const engine = await Engine.create({ device, config, weights, adapter: 'none', storage, signal });
    try {
      const answers = await this.#written(name, engine);
      const answered = this.#problems.map((problem, i) => ({ problem, answer: answers[i] }));
      const verdicts = await judgeCustom(answered, this.#grader.run?.bind(this.#grader), signal);
      const { n, figures } = customMetrics(answered.map(({ problem: task }, i) => ({ task, verdict: verdicts[i] })));
      const { solve, paid, hack, broken } = figures as Omit<Answered, 'n'>;
      return { n, solve, paid, hack, broken };
    } finally {
      engine.free();
    }
  }

  async #written(name: string, engine: Policy): Promise<string[]> {
    const { progress, signal } = this.#context;
    const { codec } = this.#words;
    const texts: string[] = [];
    for (let from = 0; from < this.#prompts.length; from += BATCH) {
      progress.update(`answers of ${name}`, from, this.#prompts.length);
      const prompts = this.#prompts.slice(from, from + BATCH);
      const written = await engine.generate({
        prompts,
        sequences: prompts.map((_, i) => ({
          prompt: i,
          key: keyFor(this.#flags.seed, STREAMS.evaluation, from + i, 0),
        })),
        maxNew: this.#flags['max-new'],
        temperature: 1,
        endTokens: codec.endTokens,
        signal,
        breathe: yieldToEvents,
      });
      for (const [i, ids] of prompts.entries()) {
        const answer = answerText(codec, ids, cutAtEnd(written[i].tokens, codec.endTokens));
        texts.push(judgedText(answer, this.#thinking));
      }
    }
    progress.end();
    return texts;
  }

  close(): Promise<void> {
    return this.#grader.close();
  }
}
