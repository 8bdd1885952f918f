// How much device memory a piece of work needs, from the model's shape alone: what the engine will take, before it takes it.
// A pure function of config and sizes that follows the buffers of weights.ts, the adapters, rollout.ts and batch.ts; it
// assumes that every completion runs to its limit, so what is measured stays below it (memory.test.ts holds it to that).
import type { DeviceKind } from '../kernels/device.ts';
import { ACTIVATION_BUDGET, LOGITS_BUDGET } from './batch.ts';
import { knobLayout, weightShapes } from './config.ts';
import { BATCH } from './rollout.ts';
import type { AdapterSettings, KnobLayout, ModelConfig } from './types.ts';

const BYTES = 4;

/** One `Policy.generate`. */
export interface RolloutSize {
  prompts: number;
  sequences: number;
  /** Tokens of a prompt. */
  promptTokens: number;
  maxNew: number;
}

/** One `Policy.score` and its backward. */
export interface ScoreSize {
  /** Prompts, counted once for each segment that has sequences of them. */
  prompts: number;
  sequences: number;
  promptTokens: number;
  completionTokens: number;
  segments: number;
}

/** What lies beside the engine while it trains. */
export interface OptimizerSize {
  /** Knob vectors on the host: the adapter, moments, quarantines, gradients. They count where the device is the host. */
  vectors: number;
  /** Axes per module of each basis: the run's own and every shadow's. */
  bases: readonly number[];
}

/** Bytes, by what they are for. */
export interface MemoryNeed {
  weights: number;
  /** The second copy of every Linear, with the knobs folded in. */
  folded: number;
  /** U and Vh of every Linear, or a LoRA's A and B. */
  factors: number;
  /** Keys and values of all layers while rollouts are sampled. */
  keyValues: number;
  /** Everything that a forward or a backward pass leaves or passes through, rollouts' logits included. */
  activations: number;
  /** Bases on the device, and on the CPU device what the optimizer keeps. */
  optimizer: number;
  total: number;
  /** The largest single buffer: what a GPU must be able to bind. */
  largest: number;
}

interface Sum {
  bytes: number;
  largest: number;
}

const sumOf = (lengths: readonly number[]): Sum => ({
  bytes: BYTES * lengths.reduce((sum, length) => sum + length, 0),
  largest: BYTES * lengths.reduce((most, length) => Math.max(most, length), 0),
});

/** The engine keeps its scratch from one piece of work to the next: of each kind, the greatest counts. */
export function memoryNeed(
  config: ModelConfig,
  work: {
    rollouts: readonly RolloutSize[];
    scores: readonly ScoreSize[];
    kind: DeviceKind;
    adapter?: AdapterSettings;
    optimizer?: OptimizerSize;
  },
): MemoryNeed {
  const layout = knobLayout(config, work.adapter);
  const { modules, total: knobs } = layout;
  const isLora = work.adapter?.adapter === 'lora';
  const weights = sumOf([
    ...[...weightShapes(config).values()].map((shape) => shape.reduce((n, size) => n * size, 1)),
    ...[1, 2].map(() => (config.maxPositions * config.headDim) / 2),
  ]);
  const folded = sumOf([
    ...modules.map(({ dOut, dIn }) => dOut * dIn),
    ...(isLora ? [] : [Math.max(...modules.map(({ r, dIn }) => r * dIn)), knobs]),
  ]);
  const factors = sumOf(
    modules.flatMap(({ r, dOut, dIn, rank }) => {
      const each = rank ?? r;
      return [each * dOut, each * dIn];
    }),
  );
  const optimizer = optimizerPart(layout, work.optimizer, work.kind);
  const rollouts = work.rollouts.map((size) => rolloutParts(config, size, BATCH[work.kind]));
  const scores = work.scores.map((size) => scoreParts(config, layout, size, work.kind));
  const keyValues = most(rollouts.map((part) => part.cache));
  const rolling = most(rollouts.map((part) => part.scratch));
  const scoring = most(scores);
  const activations = rolling.bytes + scoring.bytes;
  return {
    weights: weights.bytes,
    folded: folded.bytes,
    factors: factors.bytes,
    keyValues: keyValues.bytes,
    activations,
    optimizer: optimizer.bytes,
    total: weights.bytes + folded.bytes + factors.bytes + keyValues.bytes + activations + optimizer.bytes,
    largest: Math.max(
      ...[weights, folded, factors, keyValues, rolling, scoring, optimizer].map(({ largest }) => largest),
    ),
  };
}

/** Each basis has its rows and three vectors on the device (algorithms/projection.ts). */
function optimizerPart({ total: knobs }: KnobLayout, size: OptimizerSize | undefined, kind: DeviceKind): Sum {
  if (!size) return sumOf([]);
  const rows = size.bases.map((axes) => axes * knobs);
  return sumOf([
    ...rows.flatMap((length) => [length, knobs, knobs, knobs]),
    ...(kind === 'cpu' ? [...rows, ...new Array<number>(size.vectors).fill(knobs)] : []),
  ]);
}

function most(sums: readonly Sum[]): Sum {
  return {
    bytes: Math.max(0, ...sums.map(({ bytes }) => bytes)),
    largest: Math.max(0, ...sums.map(({ largest }) => largest)),
  };
}

/** Elements per row of one layer's activations (layer.ts: takeActivations). */
function activationWidths({ hiddenSize: d, heads, kvHeads, headDim, ffn, qkNorm }: ModelConfig): number[] {
  const q = heads * headDim;
  const kv = kvHeads * headDim;
  const normed = qkNorm ? [heads, kvHeads, q, kv] : [];
  return [d, d, 1, q, kv, ...normed, kv, q, 2 * heads, d, 1, ffn, ffn, ffn];
}

/** A large request is sampled in parts of `batch` sequences. */
function rolloutParts(config: ModelConfig, size: RolloutSize, batch: number): { cache: Sum; scratch: Sum } {
  const { layers, kvHeads, headDim, hiddenSize: d, vocab } = config;
  const count = Math.min(size.sequences, batch);
  const prompts = Math.min(size.prompts, Math.ceil((count * size.prompts) / size.sequences) + 1);
  const promptRows = prompts * size.promptTokens;
  const cacheRows = promptRows + count * size.maxNew;
  const rows = Math.max(promptRows, count);
  return {
    cache: sumOf(new Array<number>(2 * layers).fill(cacheRows * kvHeads * headDim)),
    scratch: sumOf([
      ...activationWidths(config).map((width) => rows * width),
      rows * d, // x
      5 * rows, // positions and ranges
      ...[count * d, count * d, count * vocab], // last hidden rows, normed, logits
      2 * count * size.maxNew, // tokens and log-probabilities
    ]),
  };
}

function scoreParts(config: ModelConfig, layout: KnobLayout, size: ScoreSize, kind: DeviceKind): Sum {
  const { layers, hiddenSize: d, heads, kvHeads, headDim, ffn, vocab, qkNorm } = config;
  const { modules, total: knobs } = layout;
  const targets = size.sequences * size.completionTokens;
  const rows = size.prompts * (size.promptTokens - 1) + targets;
  const q = heads * headDim;
  const kv = kvHeads * headDim;
  // batch.ts decides by its own count of the width whether every layer keeps its activations.
  const kept = rows * (3 * d + 4 * q + 3 * kv + 3 * ffn + 4 * heads) * layers * BYTES <= ACTIVATION_BUDGET;
  const acts = activationWidths(config).map((width) => rows * width);
  const r = Math.max(...modules.map((module) => module.rank ?? module.r));
  const square = Math.max(...modules.map(({ dOut, dIn }) => dOut * dIn));
  const byWeight = modules[0].rank === undefined ? (kind === 'webgpu' ? [] : [square, square]) : [square];
  const sink = [rows * r, rows * r, ...byWeight];
  const backward = [ffn, ffn, ffn, d, q, q, kv, kv, ...(qkNorm ? [q, kv] : [])].map((width) => rows * width);
  return sumOf([
    ...Array.from({ length: kept ? layers : 1 }, () => acts).flat(),
    ...new Array<number>(layers + 1).fill(rows * d), // each layer's input, and the last one's output
    7 * rows, // ids, positions, ranges, ends
    ...[targets * d, targets * d, 6 * targets], // hidden, normed; ids, rows, rstd, stats
    Math.min(targets, Math.max(1, Math.floor(LOGITS_BUDGET / vocab))) * vocab,
    ...[targets, targets * d, targets * d, rows * d, kept ? 0 : rows * d], // coefficients and the head's gradients
    ...backward,
    ...sink,
    size.segments * knobs,
  ]);
}
