// Pretraining of an environment's small model from random weights: its texts, its samples, its shape, and its measurement afterwards.
// `lab pretrain --environment` trains and writes it; a run of the environment uses it by default.
import type { ModelConfig, Policy } from '../engine/types.ts';
import { keyFor, STREAMS } from '../rng/index.ts';
import type { tokenizerTexts } from '../text/bpe-train.ts';
import type { TextCodec } from '../text/codec.ts';
import type { EnvironmentDocument } from './drawn.ts';

export interface PretrainSpec {
  steps: number;
  /** Sequences per step. */
  batch: number;
  /** Peak learning rate; warm-up is linear, then a cosine down to zero. */
  lr: number;
  warmupSteps: number;
  beta1: number;
  beta2: number;
  eps: number;
  weightDecay: number;
  normClip: number;
  /** Share of the steps after which the second stage begins. */
  secondStageFrom: number;
  seed: number;
}

export const PRETRAIN_DEFAULTS: PretrainSpec = {
  steps: 2400,
  batch: 32,
  lr: 3e-3,
  warmupSteps: 100,
  beta1: 0.9,
  beta2: 0.98,
  eps: 1e-8,
  weightDecay: 0.01,
  normClip: 1,
  secondStageFrom: 0.75,
  seed: 1,
};

/** The embedded model's shape: 853,376 parameters, 28 Linears, 3,072 adapter parameters. */
export const TINY_CODER: ModelConfig = {
  architecture: 'qwen3',
  hiddenSize: 128,
  layers: 4,
  heads: 4,
  kvHeads: 2,
  headDim: 32,
  ffn: 384,
  vocab: 512,
  ropeTheta: 1e4,
  rmsEps: 1e-6,
  tied: true,
  qkvBias: false,
  qkNorm: true,
  maxPositions: 512,
};

/** Qwen3.5's pattern of layers, three linear ones to one of full attention, narrower than TINY_CODER: 531,736 parameters, 31 Linears. */
export const TINY_HYBRID: ModelConfig = {
  ...TINY_CODER,
  architecture: 'qwen3_5_text',
  hiddenSize: 96,
  heads: 3,
  kvHeads: 1,
  ffn: 256,
  layerTypes: ['linear_attention', 'linear_attention', 'linear_attention', 'full_attention'],
  delta: { keyHeads: 2, valueHeads: 4, keyDim: 32, valueDim: 32, convWidth: 4 },
  rotaryDim: 8,
  outputGate: true,
  zeroCentredNorms: true,
};

/** A turn: the context before it with its chat markup, and the model's text without the end token, which the trainer appends. */
export interface PretrainingTurn {
  prompt: string;
  completion: string;
}

/** Turns, with text between them that is not the model's own. */
export interface Transcript extends PretrainingTurn {
  /** The turns after the first. */
  further?: readonly PretrainingTurn[];
}

/** The model that is measured, and the problems. */
export interface Measured {
  policy: Policy;
  codec: TextCodec;
  dataSeed: number;
  signal?: AbortSignal;
}

export interface MeasureInput extends Measured {
  rounds: number;
  onRound?: (done: number) => void;
}

/** Each round has different problems. Returns the rates of all rounds, and of the first, which a test measures again. */
export async function measuredInRounds<Row, Rates>(
  rounds: number,
  onRound: MeasureInput['onRound'],
  rowsOf: (round: number) => Promise<readonly Row[]>,
  ratesOf: (rows: readonly Row[]) => Rates,
): Promise<{ all: Rates; first: Rates }> {
  const rows: (readonly Row[])[] = [];
  for (let round = 0; round < rounds; round++) {
    onRound?.(round);
    rows.push(await rowsOf(round));
  }
  return { all: ratesOf(rows.flat()), first: ratesOf(rows[0]) };
}

/** The model's answers to each prompt, `samples` times at temperature 1, without the end token. */
export async function answersTo(
  { policy, codec, signal }: Omit<Measured, 'dataSeed'>,
  prompts: readonly string[],
  { samples, maxNew }: Pick<Round, 'samples' | 'maxNew'>,
  round: number,
): Promise<{ text: string; ended: boolean; tokens: number }[][]> {
  const generated = await policy.generate({
    prompts: prompts.map((prompt) => codec.encodeChat(prompt)),
    sequences: prompts.flatMap((_, i) =>
      Array.from({ length: samples }, (_, j) => ({ prompt: i, key: keyFor(round + 1, STREAMS.evaluation, i, j) })),
    ),
    maxNew,
    temperature: 1,
    endTokens: codec.endTokens,
    signal,
  });
  const answers = generated.map(({ tokens, ended }) => ({
    text: codec.decode(ended ? tokens.slice(0, -1) : tokens),
    ended,
    tokens: tokens.length,
  }));
  return prompts.map((_, i) => answers.slice(i * samples, (i + 1) * samples));
}

export interface MeasuredRates {
  /** Rates as the manifest records them. */
  rates: object;
  /** One line for the terminal. */
  summary: string;
}

/** Turns, of which only the model's are trained on, or a text in parts. */
export type PretrainText = Transcript | Pick<EnvironmentDocument, 'parts'>;

/** Size of a round of measuring: problems of each split, and episodes of each problem. */
export interface Round {
  problems: number;
  samples: number;
  maxNew: number;
  maxTurns: number;
  maxTokens: number;
  /** Whether the solve rate of every kind of task is reported too. */
  byKind?: boolean;
}

/** Both files of a tokenizer. */
export type TokenizerTexts = ReturnType<typeof tokenizerTexts>;

export interface Trained {
  /** Folder below public/models. */
  model: string;
  defaults: PretrainSpec;
  dataSeed: number;
  /** The vocabulary is missing, since the tokenizer has it. */
  config: Omit<ModelConfig, 'vocab'>;
  /** Number of rounds from which the manifest's rates are computed; the environment decides a round's size. */
  rounds: number;
  tokenizer(dataSeed: number): TokenizerTexts;
  /** Depends only on its arguments; stage 2 is the last part of the training. Of several turns only the model's are trained on; of a text
   *  in parts, those with `isTrained`. */
  sample(index: number, dataSeed: number, stage: 1 | 2): PretrainText | Promise<PretrainText>;
}

/** Its rates at temperature 1 on held-out tasks: the environment's own metrics over rounds of episodes, or the result of a `measure`
 *  of its own. */
export type Pretraining = Trained & ({ round: Round } | { measure(input: MeasureInput): Promise<MeasuredRates> });
