// The engine's interface to algorithms, experiments and environments. engine.ts implements it; no GPU types leak
// through here.
import type { PromptCodec } from '../text/codec.ts';
import type { Thinking } from '../text/thinking.ts';
import type { AdapterForm, KvCache, WeightStorage } from './storage-layouts.ts';

/** A layer's mixer of tokens: softmax attention, or the gated delta rule. */
export type LayerType = 'full_attention' | 'linear_attention';

/** Shape of a gated delta rule: valueHeads is a multiple of keyHeads, value head j reads key head ⌊j · keyHeads / valueHeads⌋. */
export interface DeltaShape {
  keyHeads: number;
  valueHeads: number;
  keyDim: number;
  valueDim: number;
  /** Tokens that the causal convolution before it sees, its own among them. */
  convWidth: number;
}

/** Dense decoder of the Qwen2 / Qwen3 / Llama family, or Qwen3.5's text part, named by model_type in Hugging Face's config.json. */
export interface ModelConfig {
  architecture: 'qwen3' | 'qwen2' | 'llama' | 'qwen3_5_text';
  hiddenSize: number;
  layers: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  ffn: number;
  vocab: number;
  ropeTheta: number;
  rmsEps: number;
  tied: boolean;
  /** q/k/v biases (Qwen2). */
  qkvBias: boolean;
  /** Per-head q and k norms (Qwen3). */
  qkNorm: boolean;
  maxPositions: number;
  /** Absent for plain positions. */
  ropeScaling?: RopeScaling;
  /** [layers] Absent where each is full attention (layer-types.ts). */
  layerTypes?: readonly LayerType[];
  /** Present wherever layerTypes is. */
  delta?: DeltaShape;
  /** Numbers of a head that positions turn, its first ones; headDim where absent. */
  rotaryDim?: number;
  /** q_proj has for each head a query (headDim rows), then a gate (headDim rows) on what the head gives. */
  outputGate?: boolean;
  /** Norms scale by 1 + w. Not the one within a linear layer, which scales by w. */
  zeroCentredNorms?: boolean;
}

/** Scaling that stretched a model's context (rope.ts); positions in tokens. */
export type RopeScaling =
  | { type: 'linear'; factor: number }
  | { type: 'llama3'; factor: number; lowFreqFactor: number; highFreqFactor: number; originalPositions: number }
  | {
      type: 'yarn';
      factor: number;
      originalPositions: number;
      /** Turns over the original context between which the ramp is. */
      betaFast: number;
      betaSlow: number;
      /** Factor on cos and sin, so squared on the attention's scores. */
      attentionFactor: number;
      /** Whether the ends of the ramp are rounded to whole dimensions. */
      truncate: boolean;
    };

export interface Tensor {
  shape: readonly number[];
  data: Float32Array;
}

/** Weights on the host, by Hugging Face name (`model.layers.0.self_attn.q_proj.weight`). */
export type Weights = ReadonlyMap<string, Tensor>;

/** Weights that are read when they are needed (weights/reader.ts; files: storage/model-files.ts). */
export interface WeightReader {
  /** Every weight of the model, in config.ts's order. */
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** Reads a tensor in f32. Throws FormatError for a tensor that is not there or not finite; nothing of it is kept. */
  read(name: string): Promise<Tensor>;
  /** Elements [from, from + into.length) of the flattened tensor, in f32; throws as `read`. Absent where reading a whole tensor
   *  costs nothing. */
  readPart?(name: string, from: number, into: Float32Array): Promise<void>;
}

export type { AdapterForm, WeightStorage };

/** The trained parameters: one per singular direction, a low-rank update, or every weight. A run spec is one. */
export interface AdapterSettings {
  adapter: 'svd' | 'lora' | 'full' | 'blocks';
  /** Rank with lora and blocks (of each block); cut to min(dOut, dIn) of each Linear, beyond which it adds no W' that
   *  could not be had. */
  loraRank: number;
}

/** The same, with what a LoRA begins at in the place of A random and B = 0; [layout.total]. */
export interface BegunAdapter extends AdapterSettings {
  initial?: Float32Array;
}

/** One Linear that carries an adapter parameter. Adapter parameter vectors of all modules are end to end in one Float32Array of `total` elements. */
export interface AdapterModule {
  /** `model.layers.0.self_attn.q_proj` */
  name: string;
  offset: number;
  /** Elements of its adapter parameter: min(dOut, dIn) singular directions; of a LoRA, rank·(dIn + dOut). */
  r: number;
  dOut: number;
  dIn: number;
  /** A LoRA has a rank: the adapter parameter is A [rank, dIn], then B [dOut, rank]. */
  rank?: number;
  /** Set for `blocks`: A and B are what is added to a frozen A0 and B0, the first half of the rank is the deployed block, the second
   *  the quarantine (adapters/blocks.ts). */
  blocks?: true;
  /** Set for `full`: the adapter parameter is δW [dOut, dIn] itself, and embedding, norms and biases (dIn 1) are modules too. */
  whole?: true;
}
/** Factors with which two blocks are folded. */
export interface BlockFold {
  /** Factor of the quarantine's whole output, ΔW of its block. Gradients are those of unscaled factors, so the caller must
   *  multiply the quarantine's gradients by the same factor. */
  quarantine: number;
  /** Gradients are taken with the factors A0 and B0 in place of A and B; W' is the same (slopeOfScale in adapters/blocks.ts has the use). */
  atStart?: boolean;
}
/** A weight that carries no adapter parameter. */
export type BareWeight = Pick<AdapterModule, 'name' | 'dOut' | 'dIn'>;
export interface AdapterLayout {
  modules: readonly AdapterModule[];
  total: number;
  /** Weights that `full` trains besides the Linears, so that its layout differs from another adapter's. */
  bare?: readonly BareWeight[];
}

/** A completion to be scored under a prompt. Sequences of one segment with equal prompts share the prompt's computation. */
export interface Sequence {
  prompt: readonly number[];
  completion: readonly number[];
  /** [completion] Which of its tokens are scored and trained on: 1 or true the model's own, 0 or false what it was shown
   *  (context, and no logits). All where it is absent; an episode's is `SampledEpisode.mask`. */
  mask?: ArrayLike<number | boolean>;
  /** Gradient accumulator that this sequence belongs to: 0..segments-1 (student/teacher split, or one per sequence). */
  segment: number;
}

/** A forward pass that is kept for its backward. Free it. Tokens are the trained ones of each completion, in their order. */
export interface ScoredBatch {
  /** Log-probability of each trained token (all of a completion's, or those of its mask, in order), one array per sequence, in
   *  the order given. */
  readonly logprobs: readonly Float32Array[];
  /** Entropy (nats) of the distribution at each trained token. */
  readonly entropy: readonly Float32Array[];
  /** coef[i][t] = ∂L/∂logprob of the t-th trained token of sequence i, entropyCoef[i][t] = ∂L/∂entropy there, if L has entropies.
   *  Returns ∂L/∂δS, one parameter vector per segment. */
  backward(coef: readonly Float32Array[], entropyCoef?: readonly Float32Array[]): Promise<Float32Array[]>;
  free(): void;
}

/** A student's sequence, and the same trained tokens behind what the teacher is shown (a demonstration, say). */
export interface DistillPair {
  student: Sequence;
  teacher: Omit<Sequence, 'segment'>;
}

/** Two forwards over the same tokens; the student's is kept for its backward, the teacher's is held fixed. Free it. */
export interface DistilledBatch extends Pick<ScoredBatch, 'logprobs' | 'entropy' | 'free'> {
  /** Log-probability that the teacher gives each token. */
  readonly teacherLogprobs: readonly Float32Array[];
  /** KL(student ‖ teacher) over the whole vocabulary at each token, in nats. */
  readonly kl: readonly Float32Array[];
  /** coef[i][t] = ∂L/∂kl of token t of pair i. Returns ∂L/∂δS, one parameter vector per segment. */
  backward(coef: readonly Float32Array[]): Promise<Float32Array[]>;
}

/** A teacher with other adapter parameters than the student's. Afterwards the student's are the ones that are folded in. */
export interface DistillAdapterParams {
  teacher: Float32Array;
  student: Float32Array;
}

export interface GenerateRequest {
  /** Distinct prompts; each of their beginnings is prefilled once. */
  prompts: readonly (readonly number[])[];
  /** Each sequence to sample: its prompt, its random key (two u32), and, where it is to have fewer tokens than
   *  `maxNew`, how many. */
  sequences: readonly { prompt: number; key: readonly [number, number]; maxNew?: number }[];
  maxNew: number;
  /** 0 = greedy. */
  temperature: number;
  /** Ids that end a sequence, at most 64. */
  endTokens: readonly number[];
  signal?: AbortSignal;
  /** Called when sequences have ended, with the tokens so far and the number of sequences still running. */
  onProgress?: (tokens: number, running: number) => void;
  /** One turn of the event loop, every few tokens: a device that never waits hears no `signal` without it. */
  breathe?: (tokens: number) => Promise<void>;
  /**
   * Listener for what the sequences have sampled so far: token by token on the CPU, a few at a time on a GPU. It does not change what is
   * sampled; the final answer is returned, not reported.
   */
  onSampled?: (soFar: readonly Generated[]) => void;
  /** Called as often as `onSampled` for each unfinished sequence: true ends it with its present tokens (a stop text was found, or the request was
   *  cancelled). Other sequences do not change. */
  isOver?: (sequence: number, soFar: Generated) => boolean;
  /** Set where the rollout will be scored with the same adapter parameters: its activations may be kept for that. */
  willScore?: boolean;
  /** Storage of keys and values; f32 where it is left out. In f16 the log-probabilities are those of rounded keys and
   *  values, which a score does not have: nothing is kept for it. */
  kvCache?: KvCache;
}
export interface Generated {
  /** Tokens up to and including the end token, if it came. */
  tokens: number[];
  /** Log-probability of each token at temperature 1. */
  logprobs: Float32Array;
  ended: boolean;
}

/** Limits of an episode; the first that is reached ends it (SampledEpisode.ended). */
export interface EpisodeBudgets {
  /** Tokens that the model may write in a turn. */
  maxNew: number;
  /** Tokens after the prompt, the model's and the observations'. */
  maxTokens: number;
  maxTurns: number;
}

/** The turn of an episode that has just ended. */
export interface SampledTurn extends Generated {
  /** Index of the turn, from 0. */
  turn: number;
}

/** Budgets whose first turn may be shorter than the others. */
export interface TurnBudgets extends EpisodeBudgets {
  firstTurn?: number;
}

export interface EpisodeRequest
  extends TurnBudgets,
    Pick<GenerateRequest, 'prompts' | 'temperature' | 'endTokens' | 'signal' | 'onProgress' | 'breathe' | 'kvCache'> {
  /** Each episode: its prompt, and the random key of each of its turns (two u32). Within a turn tokens are counted from
   *  0, so that the first turn says what `generate` says under key(0). */
  sequences: readonly { prompt: number; key: (turn: number) => readonly [number, number]; maxNew?: number }[];
  /** Answers a turn of episode i: the ids that the model is shown next (one at least; none where a first turn of fewer
   *  tokens was cut off and goes on), or null where the episode is over. It is asked for every turn, one that was cut
   *  off too. Calls of different episodes are under way at the same time; an episode's answers do not depend on when
   *  they are given. It must not use this policy. Null: every episode is its first turn, which is what `generate`
   *  gives. */
  act: ((episode: number, turn: SampledTurn) => Promise<readonly number[] | null>) | null;
  /** Called once, at the end. */
  onWork?: (work: RolloutWork) => void;
}

/** Reasons why an episode is over: the model ended its only turn (no environment was asked), the environment had nothing more
 *  to show, or a budget ran out: a turn's tokens (and the environment left it at that), the episode's tokens, its
 *  turns. */
export const EPISODE_ENDS = ['stop', 'environment', 'maxNew', 'maxTokens', 'maxTurns'] as const;
export type EpisodeEnd = (typeof EPISODE_ENDS)[number];

/** The model's tokens of one turn: [from, to) of the tokens after the prompt. */
export interface TurnSpan {
  from: number;
  to: number;
  /** True if it ended by an end token, which is its last one; false if it was cut off. */
  ended: boolean;
}

/** [prompt] [model] [observation] [model] …: one token sequence. It ends with a turn of the model: what the environment
 *  answered to the last one is no part of it. */
export interface SampledEpisode {
  /** [T] All that follows the prompt. */
  tokens: number[];
  /** [T] 1 for the model's tokens, 0 for an observation's. */
  mask: Uint8Array;
  /** [sum of the mask] Log-probabilities of the model's tokens alone, in order, at temperature 1. */
  logprobs: Float32Array;
  turns: readonly TurnSpan[];
  ended: EpisodeEnd;
}

/** Tokens that went through the model while episodes were sampled. */
export interface RolloutWork {
  /** Prompts, each of their beginnings once, and observations. */
  prefilled: number;
  /** Sampled tokens that were fed back. */
  decoded: number;
  /** Rows among decoded tokens and pads that were not computed, since another sequence had the same tokens so far. */
  alike: number;
  /** Pads of turns that had ended and were not noticed yet (a device is looked at every few tokens). */
  idle: number;
}

/** The model's prediction at one token of a text, and the likeliest in its place. Natural logarithms, at temperature
 *  1. */
export interface RankedToken {
  id: number;
  logprob: number;
  /** The likeliest first; of two that are equal, the smaller id. */
  top: readonly { id: number; logprob: number }[];
}

/** The policy: a frozen base with one δS_total folded in. */
export interface Policy {
  readonly config: ModelConfig;
  readonly adapterLayout: AdapterLayout;
  /** Form of the adapter's update; folded where it is absent. */
  readonly form?: AdapterForm;
  /** Whether rollouts are sampled with rounded rows, so that their log-probabilities are not quite those of a score: on a device that multiplies
   *  integers, with matrices in 8 bits. */
  readonly roundsSteps: boolean;
  /** The untrained adapter (all zeros for svd; A random and B zero for lora): the base model, bit for bit. Copy it to change it. */
  readonly initialAdapterParams: Float32Array;
  /** Folds the adapter into every module: W' = W + U diag(δS_total) Vh, or W + B A. */
  setAdapterParams(deltaSTotal: Float32Array, blocks?: BlockFold): void;
  generate(request: GenerateRequest): Promise<Generated[]>;
  /** Episodes of several turns on one key/value cache (episode.ts). In the order of `sequences`. Throws ShapeError where a
   *  prompt and its budget do not fit, StoppedError when it is aborted, and what `act` throws. */
  generateEpisodes(request: EpisodeRequest): Promise<SampledEpisode[]>;
  /** `segments` accumulators; see Sequence.segment. */
  score(sequences: readonly Sequence[], segments: number, signal?: AbortSignal): Promise<ScoredBatch>;
  /** KL(student ‖ teacher) of each pair's tokens, the teacher being this model with the same adapter parameters unless `adapterParams` names both.
   *  Throws ShapeError where the two sides of a pair do not train on the same tokens. */
  distill(
    pairs: readonly DistillPair[],
    segments: number,
    options?: { adapterParams?: DistillAdapterParams; signal?: AbortSignal },
  ): Promise<DistilledBatch>;
  /** Residual stream of each sequence after `layer` (0-based; the last one's comes before the final norm), averaged
   *  over the rows that predict its trained tokens: [hiddenSize]. With the adapter parameters that are folded in. */
  activations(
    sequences: readonly Pick<Sequence, 'prompt' | 'completion' | 'mask'>[],
    layer: number,
    signal?: AbortSignal,
  ): Promise<Float32Array[]>;
  free(): void;
}

/** A request to a language model to sample; `endTokens` absent: its own, however many. */
export interface TokenRequest extends Omit<GenerateRequest, 'endTokens' | 'onSampled' | 'isOver'> {
  endTokens?: readonly number[];
}

/** A model that writes and is not trained: a teacher, a judge, a synthesiser; the lab's engine, or an ONNX file. */
export interface LanguageModel {
  /** Name for people. */
  readonly id: string;
  /** Its own tokenizer: a teacher's token ids need not be the student's. */
  readonly codec: PromptCodec;
  readonly endTokens: readonly number[];
  /** Whether thoughts are cut off its answers; they are kept if absent. */
  readonly thinking?: Thinking;
  /** Tokens in; sampled tokens with their log-probabilities (at temperature 1) out, in the order of `sequences`. A sequence is
   *  decided by its prompt, its key and the settings alone. Throws ShapeError where prompt and answer do not fit, StoppedError
   *  when it is aborted. */
  generateTokens(request: TokenRequest): Promise<Generated[]>;
  /** Answers in words to plain prompts (a chat's markup included), without the token that ended them. Prompt i is keyed by
   *  (seed, i). */
  generate(prompts: readonly string[], options: AnswerOptions): Promise<readonly string[]>;
}

export interface AnswerOptions {
  maxNew: number;
  /** 0 = greedy. */
  temperature: number;
  seed: number;
  signal?: AbortSignal;
}
