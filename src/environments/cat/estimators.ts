// Compute as Teacher's estimators: by name; those that ask a model; and the prompts for any chat model.

import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, foldIn, keyFor, STREAMS } from '../../rng/index.ts';
import { completionIds } from '../../text/codec.ts';
import { judgedText, opensThoughtIn } from '../../text/thinking.ts';
import type { Group, HandledModel, ModelHandles, Reward } from '../types.ts';
import {
  answered,
  chosenOf,
  FREE,
  leastOf,
  MAJORITY,
  MIN_PERPLEXITY,
  numberOf,
  ONE,
  ORACLE,
  RANDOM,
  surprise,
} from './selection.ts';
import type { Attempt, AttemptGroup, Cost, EstimatorId, Prompts, Reference, ReferenceEstimator } from './types.ts';

const BY_ID: Readonly<Record<EstimatorId, (settings: AskSettings) => ReferenceEstimator>> = {
  majority: () => MAJORITY,
  min_perplexity: () => MIN_PERPLEXITY,
  self_bon: () => SELF_BON,
  self_choice: (settings) => selfChoice(settings),
  mutual: () => MUTUAL,
  synthesis: (settings) => synthesisEstimator(false, settings),
  synthesis_question: (settings) => synthesisEstimator(true, settings),
  oracle: () => ORACLE,
  random: () => RANDOM,
  one: () => ONE,
};

export const estimatorOf = (id: EstimatorId, settings: AskSettings): ReferenceEstimator => BY_ID[id](settings);

/** Whether an attempt equals the reference. An attempt without an answer agrees with nothing. */
export const agrees = (value: string | null, reference: string | null): boolean =>
  value !== null && value === reference;

/** A reward that compares a group's rollouts with each other. A single rollout (evaluations sample one per task) has no group, and is judged by another
 *  reward. */
export const comparing =
  <Task, Verdict>(
    compare: Reward<Task, Verdict>['score'],
    alone: Reward<Task, Verdict>,
  ): Reward<Task, Verdict>['score'] =>
  async (groups, models, signal) => {
    const isAlone = ({ rollouts }: Group<Task>) => rollouts.length <= 1;
    const compared = await compare(
      groups.filter((group) => !isAlone(group)),
      models,
      signal,
    );
    const others = await alone.score(groups.filter(isAlone), models, signal);
    const [next, nextAlone] = [compared.values(), others.values()];
    return groups.map((group) => (isAlone(group) ? nextAlone : next).next().value!);
  };

// References that need a model: the frozen initial policy, or the host's synthesiser. All groups of a step are asked together. Generation is greedy,
// because a synthesis sampled at temperature 1 is as noisy as an attempt.

/** Sequences per call, which bounds the model's memory. */
const BATCH = 64;

export interface AskSettings {
  /** Most tokens of a synthesis. */
  maxNew: number;
}

/** Most tokens of the number after a working. */
const NUMBER = 4;

/** One key serves every sequence, since greedy decoding draws no random numbers. */
const NO_KEY = keyFor(0, STREAMS.reference);

export const synthesisEstimator = (withQuestion: boolean, { maxNew }: AskSettings): ReferenceEstimator => ({
  id: withQuestion ? 'synthesis_question' : 'synthesis',
  sees: withQuestion ? 'attempts and question' : 'attempts',
  asks: true,
  async estimate(groups, models, signal) {
    const model = models.get('synthesiser') ?? anchorOf(models);
    const room = (model.room ?? Number.POSITIVE_INFINITY) - maxNew;
    const fittedPrompts = await Promise.all(
      groups.map(({ attempts, prompts }) =>
        fitted(attempts, async (read) => ({ prompt: await prompts.synthesis(read, withQuestion) }), model, room),
      ),
    );
    const written = await greedy(
      model,
      fittedPrompts.map(({ ids }) => ids),
      maxNew,
      signal,
    );
    return written.map(({ text, cost }, g) => ({
      value: groups[g].answerOf(text),
      text,
      chosen: null,
      read: fittedPrompts[g].read,
      cost,
    }));
  },
});

/** Writes greedily after each prompt, and counts the tokens. */
export async function greedy(
  model: HandledModel,
  prompts: readonly (readonly number[])[],
  maxNew: number,
  signal: AbortSignal | undefined,
  batch = BATCH,
): Promise<{ text: string; cost: Cost }[]> {
  const all: { text: string; cost: Cost }[] = [];
  for (let from = 0; from < prompts.length; from += batch) {
    const part = prompts.slice(from, from + batch);
    const written = await model.generateTokens({
      prompts: part,
      sequences: part.map((_, prompt) => ({ prompt, key: NO_KEY })),
      maxNew,
      temperature: 0,
      signal,
    });
    for (const [i, { tokens, ended }] of written.entries())
      all.push({
        text: answerOfModel(model, part[i], model.codec.decode(ended ? tokens.slice(0, -1) : tokens)),
        cost: { calls: 1, read: part[i].length, written: tokens.length },
      });
  }
  return all;
}

/** Parses what a model wrote after a prompt. */
export const answerOfModel = (
  { codec, thinking = 'keep' }: Pick<HandledModel, 'codec' | 'thinking'>,
  prompt: readonly number[],
  text: string,
): string => (thinking === 'keep' ? text : judgedText(text, thinking, opensThoughtIn(codec, prompt)));

/** The prompt with as many attempts as fit, at least one. */
async function fitted<Asked extends { prompt: string }>(
  attempts: readonly Attempt[],
  askedOf: (read: readonly Attempt[]) => Promise<Asked>,
  { codec }: HandledModel,
  room: number,
): Promise<Asked & { ids: number[]; read: number }> {
  for (let read = attempts.length; ; read--) {
    const made = await askedOf(attempts.slice(0, read));
    const ids = codec.encodeChat(made.prompt);
    if (ids.length <= room || read <= 1) return { ...made, ids, read };
  }
}

/** Best of N by the model itself: the option that it finds likeliest after all attempts. */
const SELF_BON: ReferenceEstimator = {
  id: 'self_bon',
  sees: 'attempts',
  asks: true,
  estimate: (groups, models, signal) =>
    likeliest(groups, models, signal, async ({ attempts, prompts }) => {
      const { prompt, options } = await prompts.choice(attempts);
      return options.map((completion) => ({ prompt, completion }));
    }),
};

/** The model's own choice of the best attempt, asked for in words and generated greedily. An answer that names no attempt gives no reference. */
const selfChoice = ({ maxNew }: AskSettings): ReferenceEstimator => ({
  id: 'self_choice',
  sees: 'attempts',
  asks: true,
  async estimate(groups, models, signal) {
    const model = anchorOf(models);
    const room = (model.room ?? Number.POSITIVE_INFINITY) - maxNew - NUMBER;
    const fittedPrompts = await Promise.all(
      groups.map(({ attempts, prompts }) => {
        const { numbered } = prompts;
        if (!numbered) throw new MissingModelError('nobody is asked in words here');
        return fitted(attempts, async (read) => numbered(read), model, room);
      }),
    );
    const written = await greedy(
      model,
      fittedPrompts.map(({ ids }) => ids),
      maxNew + NUMBER,
      signal,
    );
    return written.map(({ text, cost }, g) => ({
      ...chosenOf(groups[g], fittedPrompts[g].chosen(text), cost),
      read: fittedPrompts[g].read,
    }));
  },
});

/** The attempt that the others, in a random order, make likeliest. */
export const MUTUAL: ReferenceEstimator = {
  id: 'mutual',
  sees: 'attempts',
  asks: true,
  estimate: (groups, models, signal) =>
    likeliest(groups, models, signal, ({ id, attempts, prompts }) =>
      Promise.all(
        attempts.map(async (attempt, i) => ({
          prompt: await prompts.prediction(othersOf(id, attempts, i)),
          completion: prompts.written?.(attempt) ?? attempt.text,
        })),
      ),
    ),
};

function othersOf(id: string, attempts: readonly Attempt[], i: number): Attempt[] {
  const key = foldIn(keyFor(hash32(id), STREAMS.reference, hash32(attempts.map(({ text }) => text).join('|'))), i);
  return new CounterRng(key).shuffle(attempts.filter((_, other) => other !== i));
}

interface Scored {
  prompt: string;
  completion: string;
}

/** Returns each group's attempt whose completion has the least mean surprise; a single answer needs no model. */
async function likeliest(
  groups: readonly AttemptGroup[],
  models: ModelHandles,
  signal: AbortSignal | undefined,
  scoredOf: (group: AttemptGroup) => Promise<readonly Scored[]>,
): Promise<readonly Reference[]> {
  const model = anchorOf(models);
  const { codec } = model;
  if (!model.logprobs) throw new MissingModelError(`${model.id} only writes: it cannot say how likely it finds a text`);
  const scoredGroups = await Promise.all(
    groups.map(async (group) => (answered(group.attempts).length > 1 ? scoredOf(group) : [])),
  );
  const sequences = scoredGroups.flatMap((group) =>
    group.map(({ prompt, completion }) => ({
      prompt: codec.encodeChat(prompt),
      completion: completionIds(codec, completion),
    })),
  );
  const scores: number[] = [];
  for (let from = 0; from < sequences.length; from += BATCH)
    for (const row of await model.logprobs(sequences.slice(from, from + BATCH), signal)) scores.push(surprise(row));
  let at = 0;
  return groups.map((group, g) => {
    const own = { from: at, to: at + scoredGroups[g].length };
    at = own.to;
    if (own.from === own.to) return chosenOf(group, answered(group.attempts)[0] ?? null, FREE);
    const read = sequences
      .slice(own.from, own.to)
      .reduce((sum, { prompt, completion }) => sum + prompt.length + completion.length, 0);
    const cost = { calls: own.to - own.from, read, written: 0 };
    return chosenOf(group, leastOf(group, scores.slice(own.from, own.to)), cost);
  });
}

export function anchorOf(models: ModelHandles): HandledModel {
  const anchor = models.get('anchor');
  if (!anchor) throw new MissingModelError('no model has the role of the anchor');
  return anchor;
}

// Errors for missing parts of an estimator.

class MissingModelError extends LabError {
  constructor(what: string) {
    super(
      `A reference is to be made, and ${what}.`,
      'Choose a reference that asks no model (majority), or give the model.',
    );
  }
}

// Prompts of a synthesis for any chat model, after the paper's intent: several responses become one; agreement is found, differences are decided,
// reasoning is weighed, and the final answer is boxed. The question is included only on request.

const numbered = (attempts: readonly Attempt[]): string =>
  attempts.map(({ text }, i) => `Response ${i + 1}:\n${text.trim()}`).join('\n\n');

const MERGE =
  'Several responses to one and the same task follow; the task is not shown. Write one response that merges them: find what they have in common, decide where they contradict each other by weighing each reasoning step, keep what only one of them saw and is right, and be not much longer than they are. Put the final answer in \\boxed{}.';
const CHOOSE =
  'Several responses to one and the same task follow. Which of them is the best? Answer with its number alone.';
const FORESEE =
  'Several responses to one and the same task follow; the task is not shown. Write another response to that task. Put the final answer in \\boxed{}.';

export const QUESTION_SUFFIX = 'Reason step by step, and put the final answer in \\boxed{}.';

/** `chat`: the model's own template around one user message. */
export function chatPrompts(question: string, chat: (message: string) => Promise<string>): Prompts {
  return {
    synthesis: (attempts, withQuestion) =>
      chat(`${MERGE}\n\n${withQuestion ? `The task: ${question}\n\n` : ''}${numbered(attempts)}`),
    choice: async (attempts) => ({
      prompt: await chat(`${CHOOSE}\n\nThe task: ${question}\n\n${numbered(attempts)}`),
      options: attempts.map((_, i) => String(i + 1)),
    }),
    numbered: async (attempts) => ({
      prompt: await chat(`${CHOOSE}\n\nThe task: ${question}\n\n${numbered(attempts)}`),
      chosen: (text) => numberOf(/\d+/.exec(text)?.[0], attempts),
    }),
    prediction: (others) => chat(`${FORESEE}\n\n${numbered(others)}`),
  };
}
