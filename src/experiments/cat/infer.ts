// References at inference: every problem gets as many attempts as the largest group has rollouts; smaller groups use the first of them, and every
// estimator makes its reference from each group. One row per problem and sampling seed.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { answerOfModel, estimatorOf } from '../../environments/cat/estimators.ts';
import type { Attempt, AttemptGroup, EstimatorId } from '../../environments/cat/types.ts';
import type { HandledModel, ModelHandles } from '../../environments/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';

/** A problem as it is presented to a model. */
export interface PosedProblem extends Omit<AttemptGroup, 'attempts'> {
  split: string;
  kind: string;
  /** Whether its misconception concerns a fact whose correction the synthesis data never shows. */
  isHeld?: boolean;
  prompt: string;
}

/** One estimator's result on one group: its answer, the number of attempts read, and tokens read and written. */
export type RowReference = [answer: string | null, read: number, tokensRead: number, tokensWritten: number];

/** Plain JSON. Answers are values in normal form; null if there is none. */
export interface InferenceRow {
  seed: number;
  id: string;
  split: string;
  kind: string;
  held?: true;
  /** Absent where the truth is unknown. */
  truth?: string;
  answers: (string | null)[];
  /** Number of tokens of each attempt. */
  tokens: number[];
  /** References by group size, then by estimator. */
  references: Record<string, Record<string, RowReference>>;
}

export interface InferSettings {
  firstSeed: number;
  seeds: number;
  groups: readonly number[];
  estimators: readonly EstimatorId[];
  maxNew: number;
  temperature: number;
  signal?: AbortSignal;
  breathe?: () => Promise<void>;
}

/** Problems per batch; bounds memory, and how long a stop waits. */
const BATCH = 16;

export async function* infer(
  model: HandledModel,
  problems: readonly PosedProblem[],
  settings: InferSettings,
): AsyncGenerator<InferenceRow[]> {
  const models: ModelHandles = { get: (role) => (role === 'anchor' ? model : undefined) };
  const { firstSeed, seeds } = settings;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++)
    for (let from = 0; from < problems.length; from += BATCH)
      yield await inferBatch(model, models, problems.slice(from, from + BATCH), seed, settings);
}

async function inferBatch(
  model: HandledModel,
  models: ModelHandles,
  problems: readonly PosedProblem[],
  seed: number,
  { groups, estimators, maxNew, temperature, signal, breathe }: InferSettings,
): Promise<InferenceRow[]> {
  const most = Math.max(...groups);
  const prompts = problems.map(({ prompt }) => model.codec.encodeChat(prompt));
  const written = await model.generateTokens({
    prompts,
    sequences: problems.flatMap(({ id }, prompt) =>
      Array.from({ length: most }, (_, i) => ({ prompt, key: keyFor(seed, STREAMS.evaluation, hash32(id), i) })),
    ),
    maxNew,
    temperature,
    signal,
    breathe,
  });
  const attempts = problems.map((problem, p) =>
    written.slice(p * most, (p + 1) * most).map(({ tokens, logprobs, ended }): Attempt & { length: number } => {
      const text = answerOfModel(model, prompts[p], model.codec.decode(ended ? tokens.slice(0, -1) : tokens));
      return { text, value: problem.answerOf(text), logprobs, length: tokens.length };
    }),
  );
  const rows = problems.map((problem, p): InferenceRow => {
    const truth = problem.truth();
    return {
      seed,
      id: problem.id,
      split: problem.split,
      kind: problem.kind,
      ...(problem.isHeld ? { held: true as const } : {}),
      ...(truth === null ? {} : { truth }),
      answers: attempts[p].map(({ value }) => value),
      tokens: attempts[p].map(({ length }) => length),
      references: {},
    };
  });
  for (const size of groups) {
    const groupsOfSize = problems.map(
      (problem, p): AttemptGroup => ({ ...problem, attempts: attempts[p].slice(0, size) }),
    );
    for (const id of estimators) {
      const references = await estimatorOf(id, { maxNew }).estimate(groupsOfSize, models, signal);
      for (const [p, { value, read, cost }] of references.entries()) {
        const bySize = rows[p].references[String(size)] ?? {};
        setOwn(bySize, id, [value, read, cost.read, cost.written]);
        setOwn(rows[p].references, String(size), bySize);
      }
    }
  }
  return rows;
}
