// The engine's interface to algorithms, experiments and environments, implemented by decoder/engine.ts and free of GPU
// types.
import type { PromptCodec } from '../text/codec.ts';
import type { Thinking } from '../text/thinking.ts';
import type { AdapterForm, KvCache, WeightStorage } from './storage-layouts.ts';

/** Type of a layer: softmax attention, or the gated delta rule. */
export type LayerType = 'full_attention' | 'linear_attention';

/** Shape of a gated delta rule: valueHeads is a multiple of keyHeads, value head j reads key head ⌊j · keyHeads / valueHeads⌋. */
export interface DeltaShape {
  keyHeads: number;
  valueHeads: number;
  keyDim: number;
  valueDim: number;
  /** Width of the causal convolution before it, tokens, including the current one. */
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
  /** Absent for unscaled positions. */
  ropeScaling?: RopeScaling;
  /** [layers] Absent if all are full attention (layer-types.ts). */
  layerTypes?: readonly LayerType[];
  /** Present wherever layerTypes is. */
  delta?: DeltaShape;
  /** Number of leading elements of a head that RoPE rotates; default: headDim. */
  rotaryDim?: number;
  /** Whether q_proj has, for each head, a query (headDim rows), then a gate (headDim rows) on the head's output. */
  outputGate?: boolean;
  /** Whether norms scale by 1 + w, except the one inside a linear layer, which scales by w. */
  zeroCentredNorms?: boolean;
}

/** RoPE scaling that extends a model's context (rope.ts); positions in tokens. */
export type RopeScaling =
  | { type: 'linear'; factor: number }
  | { type: 'llama3'; factor: number; lowFreqFactor: number; highFreqFactor: number; originalPositions: number }
  | {
      type: 'yarn';
      factor: number;
      originalPositions: number;
      /** Rotations over the original context at the two ends of the ramp. */
      betaFast: number;
      betaSlow: number;
      /** Factor of cos and sin, and so squared in attention scores. */
      attentionFactor: number;
      /** Whether the ends of the ramp are rounded outwards to whole dimensions. */
      truncate: boolean;
    };

export interface Tensor {
  shape: readonly number[];
  data: Float32Array;
}

/** Weights on the host, by Hugging Face name (`model.layers.0.self_attn.q_proj.weight`). */
export type Weights = ReadonlyMap<string, Tensor>;

/** Reads weights on demand (weights/reader.ts; files: storage/model-files.ts). */
export interface WeightReader {
  /** Shape of every weight. */
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** Reads a tensor in f32, without caching it. Throws FormatError for a tensor that is missing or not finite. */
  read(name: string): Promise<Tensor>;
  /** Reads elements [from, from + into.length) of the flattened tensor in f32; throws as `read` does. Absent if reading a whole tensor
   *  is free. */
  readPart?(name: string, from: number, into: Float32Array): Promise<void>;
}

export type { AdapterForm, WeightStorage };

/** What is trained: one parameter per singular direction, a low-rank update, or every weight. A run spec includes these settings. */
export interface AdapterSettings {
  adapter: 'svd' | 'lora' | 'full' | 'blocks';
  /** Rank of lora, or of each of two blocks; limited to min(dOut, dIn) of each Linear, beyond which rank adds nothing. */
  loraRank: number;
}

/** Settings with initial LoRA parameters [layout.total] in place of a random A and B = 0. */
export interface BegunAdapter extends AdapterSettings {
  initial?: Float32Array;
}

/** One Linear with adapter parameters. The parameters of all modules are end to end in one Float32Array of `total` elements. */
export interface AdapterModule {
  /** `model.layers.0.self_attn.q_proj` */
  name: string;
  offset: number;
  /** Number of its adapter parameters: min(dOut, dIn) for svd, rank·(dIn + dOut) for a LoRA. */
  r: number;
  dOut: number;
  dIn: number;
  /** Rank of a LoRA, whose parameters are A [rank, dIn], then B [dOut, rank]. */
  rank?: number;
  /** Set for `blocks`: the parameters are ΔA and ΔB relative to frozen A0 and B0; the first half of the rank is the deployed block, the
   *  second the quarantine (adapters/blocks.ts). */
  blocks?: true;
  /** Set for `full`: the parameters are δW [dOut, dIn], and embedding, norms and biases (dIn = 1) are modules too. */
  whole?: true;
}
/** Options for folding two blocks. */
export interface BlockFold {
  /** Scale of the quarantine's ΔW. Gradients are computed for the unscaled block, so the caller must multiply the quarantine's
   *  gradients by the same scale. */
  quarantine: number;
  /** Computes gradients with A0 and B0 in place of A and B; W' is unchanged (used by slopeOfScale in adapters/blocks.ts). */
  atStart?: boolean;
}
/** A weight without adapter parameters. */
export type BareWeight = Pick<AdapterModule, 'name' | 'dOut' | 'dIn'>;
export interface AdapterLayout {
  modules: readonly AdapterModule[];
  total: number;
  /** Weights other than Linears, which only `full` trains; kept so that a layout can be converted to that of `full`. */
  bare?: readonly BareWeight[];
}

/** A completion to be scored after a prompt. Sequences of one segment with equal prompts share the prompt's computation. */
export interface Sequence {
  prompt: readonly number[];
  completion: readonly number[];
  /** [completion] Which tokens are scored and trained: 1 or true for the model's own, 0 or false for observations (context
   *  without logits). Default: all. For an episode it is `SampledEpisode.mask`. */
  mask?: ArrayLike<number | boolean>;
  /** Gradient accumulator of this sequence, 0..segments-1 (a student/teacher split, or one per sequence). */
  segment: number;
}

/** A forward pass whose activations are kept for backward passes until `free`. Token arrays cover the trained tokens, in order. */
export interface ScoredBatch {
  /** Log-probability of each trained token, one array per sequence. */
  readonly logprobs: readonly Float32Array[];
  /** Entropy (nats) of the distribution at each trained token. */
  readonly entropy: readonly Float32Array[];
  /** coef[i][t] = ∂L/∂logprob of the t-th trained token of sequence i; entropyCoef[i][t] = ∂L/∂entropy there, if L depends on entropies.
   *  Returns the gradient of the adapter parameters, one vector per segment. */
  backward(coef: readonly Float32Array[], entropyCoef?: readonly Float32Array[]): Promise<Float32Array[]>;
  free(): void;
}

/** A student's sequence, and the same trained tokens after the teacher's prompt (which may have a demonstration, for example). */
export interface DistillPair {
  student: Sequence;
  teacher: Omit<Sequence, 'segment'>;
}

/** Two forward passes over the same tokens. The student's activations are kept for backward passes until `free`; the teacher is fixed. */
export interface DistilledBatch extends Pick<ScoredBatch, 'logprobs' | 'entropy' | 'free'> {
  /** The teacher's log-probability of each token. */
  readonly teacherLogprobs: readonly Float32Array[];
  /** KL(student ‖ teacher) over the whole vocabulary at each token, in nats. */
  readonly kl: readonly Float32Array[];
  /** coef[i][t] = ∂L/∂kl of token t of pair i. Returns the gradient of the adapter parameters, one vector per segment. */
  backward(coef: readonly Float32Array[]): Promise<Float32Array[]>;
}

/** Different adapter parameters of teacher and student. Afterwards the student's are folded in. */
export interface DistillAdapterParams {
  teacher: Float32Array;
  student: Float32Array;
}

export interface GenerateRequest {
  /** Distinct prompts; common prefixes are prefilled once. */
  prompts: readonly (readonly number[])[];
  /** Each sequence to sample: index of its prompt, random key (two u32), and its own limit of new tokens if below the
   *  request's `maxNew`. */
  sequences: readonly { prompt: number; key: readonly [number, number]; maxNew?: number }[];
  maxNew: number;
  /** 0 = greedy. */
  temperature: number;
  /** Ids that end a sequence, at most 64. */
  endTokens: readonly number[];
  signal?: AbortSignal;
  /** Called when sequences have ended, with the tokens so far and the number of sequences still running. */
  onProgress?: (tokens: number, running: number) => void;
  /** Called every few tokens to yield to the event loop; without it, a device that never waits cannot be aborted. */
  breathe?: (tokens: number) => Promise<void>;
  /**
   * Called with the tokens sampled so far: after each token on the CPU, after every few on a GPU. The final result is returned and not
   * reported here.
   */
  onSampled?: (soFar: readonly Generated[]) => void;
  /** Called as often as `onSampled` for each unfinished sequence; true ends it with its current tokens (after a stop text or a cancelled
   *  request). Other sequences do not change. */
  isOver?: (sequence: number, soFar: Generated) => boolean;
  /** Set if the rollout will be scored with the same adapter parameters, so that its activations may be kept. */
  willScore?: boolean;
  /** Storage of keys and values; default: f32. In f16 the sampled log-probabilities are based on rounded keys and values,
   *  unlike those of scoring, so no activations are kept. */
  kvCache?: KvCache;
}
export interface Generated {
  /** Tokens, including the end token if there was one. */
  tokens: number[];
  /** Log-probability of each token at temperature 1. */
  logprobs: Float32Array;
  ended: boolean;
}

/** Limits of an episode; the first to be reached ends it (SampledEpisode.ended). */
export interface EpisodeBudgets {
  /** Most tokens of the model in a turn. */
  maxNew: number;
  /** Most tokens after the prompt, including observations. */
  maxTokens: number;
  maxTurns: number;
}

/** A turn that has just ended. */
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
  /** Each episode: index of its prompt, and the random key of each turn (two u32). Each turn counts its tokens from 0, so
   *  the first turn equals `generate` with key(0). */
  sequences: readonly { prompt: number; key: (turn: number) => readonly [number, number]; maxNew?: number }[];
  /** The environment: returns the observation after a turn of episode i as token ids (at least one; none if a shorter
   *  first turn was truncated and continues), or null to end the episode. It is called after every turn, truncated ones
   *  included. Calls of different episodes run concurrently, and their timing does not affect results. It must not use this
   *  policy. Null: every episode has one turn, as with `generate`. */
  act: ((episode: number, turn: SampledTurn) => Promise<readonly number[] | null>) | null;
  /** Called once, at the end. */
  onWork?: (work: RolloutWork) => void;
}

/** Why an episode ended: the model ended its only turn (`stop`, without an environment), the environment ended it, or a limit
 *  was reached: tokens of a turn, tokens of the episode, or turns. */
export const EPISODE_ENDS = ['stop', 'environment', 'maxNew', 'maxTokens', 'maxTurns'] as const;
export type EpisodeEnd = (typeof EPISODE_ENDS)[number];

/** The model's tokens of one turn: [from, to) of the tokens after the prompt. */
export interface TurnSpan {
  from: number;
  to: number;
  /** True if its last token is an end token; false if it was truncated. */
  ended: boolean;
}

/** One token sequence [prompt] [model] [observation] [model] …. It ends with a turn of the model; an observation after the
 *  last turn is not part of it. */
export interface SampledEpisode {
  /** [T] All tokens after the prompt. */
  tokens: number[];
  /** [T] 1 for the model's tokens, 0 for observations. */
  mask: Uint8Array;
  /** [sum of the mask] Log-probabilities of the model's tokens, in order, at temperature 1. */
  logprobs: Float32Array;
  turns: readonly TurnSpan[];
  ended: EpisodeEnd;
}

/** Counts of tokens that went through the model while episodes were sampled. */
export interface RolloutWork {
  /** Prompt tokens, common prefixes counted once, and observation tokens. */
  prefilled: number;
  /** Sampled tokens that were fed back to the model. */
  decoded: number;
  /** Decoded tokens and pads that were not computed, because another sequence had the same tokens so far. */
  alike: number;
  /** Pad tokens of turns whose end had not been noticed yet (devices are checked every few tokens). */
  idle: number;
}

/** The model's prediction at one token of a text, and the most likely tokens there. Natural logarithms at temperature 1. */
export interface RankedToken {
  id: number;
  logprob: number;
  /** Most likely first; ties by smaller id. */
  top: readonly { id: number; logprob: number }[];
}

/** The policy: a frozen base with one vector of adapter parameters. */
export interface Policy {
  readonly config: ModelConfig;
  readonly adapterLayout: AdapterLayout;
  /** Form of the adapter's update; default: folded. */
  readonly form?: AdapterForm;
  /** Whether rollouts are sampled with rounded activations, so that their log-probabilities differ slightly from those of a score. This is so on
   *  a device that multiplies integers, with matrices in 8 bits. */
  readonly roundsSteps: boolean;
  /** The untrained adapter: the base model, bit for bit, unless a LoRA was given initial parameters. All zeros, but a LoRA's A is random.
   *  Copy it to change it. */
  readonly initialAdapterParams: Float32Array;
  /** Applies adapter parameters to every module: W' = W + U diag(δS_total) Vh, or W + B A. */
  setAdapterParams(deltaSTotal: Float32Array, blocks?: BlockFold): void;
  generate(request: GenerateRequest): Promise<Generated[]>;
  /** Samples episodes of several turns on one key/value cache (episode.ts), in the order of `sequences`. Throws ShapeError if
   *  a prompt and its budget do not fit, StoppedError on abort, and errors of `act`. */
  generateEpisodes(request: EpisodeRequest): Promise<SampledEpisode[]>;
  /** `segments` is the number of gradient accumulators; see Sequence.segment. */
  score(sequences: readonly Sequence[], segments: number, signal?: AbortSignal): Promise<ScoredBatch>;
  /** KL(student ‖ teacher) at each pair's trained tokens. The teacher is this model with the same adapter parameters unless `adapterParams`
   *  is given. Throws ShapeError if student and teacher of a pair are not trained on the same tokens. */
  distill(
    pairs: readonly DistillPair[],
    segments: number,
    options?: { adapterParams?: DistillAdapterParams; signal?: AbortSignal },
  ): Promise<DistilledBatch>;
  /** Residual stream [hiddenSize] of each sequence after `layer` (0-based; before the final norm), averaged over the rows
   *  that predict its trained tokens, with the current adapter parameters. */
  activations(
    sequences: readonly Pick<Sequence, 'prompt' | 'completion' | 'mask'>[],
    layer: number,
    signal?: AbortSignal,
  ): Promise<Float32Array[]>;
  free(): void;
}

/** A sampling request to a language model; by default it uses the model's own end tokens. */
export interface TokenRequest extends Omit<GenerateRequest, 'endTokens' | 'onSampled' | 'isOver'> {
  endTokens?: readonly number[];
}

/** A model that generates and is not trained (a teacher, judge or synthesiser): the lab's engine, or an ONNX file. */
export interface LanguageModel {
  /** Display name. */
  readonly id: string;
  /** Its own tokenizer, since a teacher's token ids may differ from the student's. */
  readonly codec: PromptCodec;
  readonly endTokens: readonly number[];
  /** How thinking is removed from its answers; by default it is kept. */
  readonly thinking?: Thinking;
  /** Samples tokens with their log-probabilities (at temperature 1), in the order of `sequences`. A sequence depends only on its
   *  prompt, its key and the settings. Throws ShapeError if prompt and answer do not fit, StoppedError on abort. */
  generateTokens(request: TokenRequest): Promise<Generated[]>;
  /** Text answers to prompts that include any chat markup, without the end token. Prompt i has the key (seed, i). */
  generate(prompts: readonly string[], options: AnswerOptions): Promise<readonly string[]>;
}

export interface AnswerOptions {
  maxNew: number;
  /** 0 = greedy. */
  temperature: number;
  seed: number;
  signal?: AbortSignal;
}
