// How much device memory a piece of work needs, from the model's shape alone: what the engine will take, before it takes it.
// A pure function of config and sizes that follows the buffers of weights.ts, vocab-table.ts, the adapters, rollout-rows.ts and
// batch.ts; it assumes that every completion runs to its limit, so what is measured stays below it (memory.test.ts).
import type { DeviceKind } from '../../kernels/device.ts';
import { unpackedFactor } from '../adapters/svd.ts';
import { ACTIVATION_BUDGET, LOGITS_BUDGET } from '../batch.ts';
import { isVocab, knobLayout, weightShapes } from '../config.ts';
import { rolloutBatch } from '../rollout.ts';
import { rolloutRows } from '../rollout-rows.ts';
import type { AdapterSettings, KnobLayout, ModelConfig, WeightStorage } from '../types.ts';
import { factorStorage, storedLengths } from '../weights/packed.ts';
import { linearLayout } from '../weights/storage-layouts.ts';
import { vocabLayout } from '../weights/vocab-table.ts';

const BYTES = 4;

/** One `Policy.generate` or `generateEpisodes`. */
export interface RolloutSize {
  prompts: number;
  sequences: number;
  /** Tokens of a prompt. */
  promptTokens: number;
  maxNew: number;
  /** Of episodes: tokens after the prompt, over all turns. */
  maxTokens?: number;
}

/** One `Policy.score` and its backward. */
export interface ScoreSize {
  /** Prompts, counted once for each segment that has sequences of them. */
  prompts: number;
  sequences: number;
  promptTokens: number;
  completionTokens: number;
  /** Of episodes: those of a completion's tokens that are the model's; all where it is left out. */
  trainedTokens?: number;
  segments: number;
}

/** One `Policy.distill` and its backward: the student's side, and what the teacher sees before the same completions. */
export interface DistillSize extends ScoreSize {
  teacherPrompts: number;
  teacherPromptTokens: number;
}

/** What lies beside the engine while it trains. */
export interface OptimizerSize {
  /** Knob vectors on the host: the adapter, moments, quarantines, gradients. They count where the device is the host. */
  vectors: number;
  /** Axes per module of each basis: the run's own and every shadow's. */
  bases: readonly number[];
}

/** What the engine is to do, and how. */
export interface PlannedWork {
  rollouts: readonly RolloutSize[];
  scores: readonly ScoreSize[];
  distills?: readonly DistillSize[];
  kind: DeviceKind;
  /** svd where it is left out; `none` is a model that only talks: no factors, no second copy of its Linears. */
  adapter?: AdapterSettings | 'none';
  optimizer?: OptimizerSize;
  /** f32 where it is left out. */
  storage?: WeightStorage;
  /** Beyond it, embedding and head are split. */
  maxBindingBytes?: number;
}

/** Bytes, by what they are for. */
export interface MemoryNeed {
  weights: number;
  /** The second copy of every Linear, with the knobs folded in (in f32), and the scratch that packed matrices pass through; where
   *  all weights are trained, their gradients. */
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

/** The engine keeps its scratch from one piece of work to the next: of each kind, the greatest counts. A packed model's
 *  rollouts and scores use the same room in turn (Engine.enter), and what scoring needs beyond the cache is `activations`. */
export function memoryNeed(config: ModelConfig, work: PlannedWork): MemoryNeed {
  const { kind, storage = 'f32', maxBindingBytes = Number.POSITIVE_INFINITY } = work;
  const isBare = work.adapter === 'none';
  const settings = work.adapter === 'none' ? undefined : work.adapter;
  const layout = knobLayout(config, settings);
  const isPacked = storage !== 'f32';
  const weights = weightsPart(config, storage, maxBindingBytes);
  const isFull = settings?.adapter === 'full';
  const folded = isBare
    ? bareScratch(layout, isPacked)
    : isFull
      ? gradientsPart(layout)
      : foldedPart(layout, isPacked, settings?.adapter === 'lora');
  const factors = isBare || isFull ? sumOf([]) : factorsPart(layout, storage);
  const optimizer = optimizerPart(layout, work.optimizer, kind);
  const table = { storage, maxBindingBytes };
  const batch = rolloutBatch(kind, config.vocab, maxBindingBytes);
  const rollouts = work.rollouts.map((size) => rolloutParts(config, size, batch, table));
  const scored = [...work.scores, ...(work.distills ?? [])];
  const scores = scored.map((size) => scoreParts(config, layout, size, kind, table, isBare));
  const teacher = most((work.distills ?? []).map((size) => teacherParts(config, size, table)));
  const cache = most(rollouts.map((part) => part.cache));
  const rolling = most(rollouts.map((part) => part.scratch));
  const scoring = plus(most(scores), teacher);
  const activations = isPacked ? Math.max(rolling.bytes, scoring.bytes - cache.bytes) : rolling.bytes + scoring.bytes;
  return {
    weights: weights.bytes,
    folded: folded.bytes,
    factors: factors.bytes,
    keyValues: cache.bytes,
    activations,
    optimizer: optimizer.bytes,
    total: weights.bytes + folded.bytes + factors.bytes + cache.bytes + activations + optimizer.bytes,
    largest: Math.max(...[weights, folded, factors, cache, rolling, scoring, optimizer].map(({ largest }) => largest)),
  };
}

/** Scratch is taken from the arena, which gives 64 elements at least. */
const scratchOf = (lengths: readonly number[]): Sum => sumOf(lengths.map((length) => Math.max(64, length)));

const sizeOf = (shape: readonly number[]) => shape.reduce((n, size) => n * size, 1);

function weightsPart(config: ModelConfig, storage: WeightStorage, maxBindingBytes: number): Sum {
  const lengths = [...weightShapes(config)].flatMap(([name, shape]) => {
    if (isVocab(name)) {
      const { layout, parts } = vocabLayout(config.vocab, config.hiddenSize, storage, maxBindingBytes);
      return parts.flatMap(({ count }) => storedLengths(count * config.hiddenSize, layout));
    }
    return storedLengths(sizeOf(shape), shape.length === 2 ? linearLayout(storage) : 'f32');
  });
  const table = (config.maxPositions * config.headDim) / 2;
  return sumOf([...lengths, table, table]);
}

/** Where all weights are trained W' lies in W's place; what stays is a gradient of each. */
const gradientsPart = ({ modules }: KnobLayout): Sum => sumOf(modules.map(({ r }) => r));

/** W' of every Linear, and what folding passes through. */
function foldedPart(layout: KnobLayout, isPacked: boolean, isLora: boolean): Sum {
  const { modules, total } = layout;
  const copies = modules.map(({ dOut, dIn }) => dOut * dIn);
  if (isLora) return sumOf(copies);
  const scaled = Math.max(...modules.map(({ r, dIn }) => r * dIn));
  return sumOf([...copies, scaled, total, ...(isPacked ? [unpackedFactor(layout)] : [])]);
}

/** A packed model without an adapter unpacks one Linear after the other. */
function bareScratch({ modules }: KnobLayout, isPacked: boolean): Sum {
  return sumOf(isPacked ? [Math.max(...modules.map(({ dOut, dIn }) => dOut * dIn))] : []);
}

/** U and Vh, or a LoRA's A and B, which are trained and so stay in f32. */
function factorsPart({ modules }: KnobLayout, storage: WeightStorage): Sum {
  return sumOf(
    modules.flatMap(({ r, dOut, dIn, rank }) => {
      const stored = rank === undefined ? factorStorage(storage) : 'f32';
      return [dOut, dIn].flatMap((d) => storedLengths((rank ?? r) * d, stored));
    }),
  );
}

/** Scratch of logits that are made piece by piece, for this many rows at a time. */
function tableScratch({ vocab, hiddenSize: d }: ModelConfig, rows: number, table: TableSize): number[] {
  const { isWhole, chunkRows } = vocabLayout(vocab, d, table.storage, table.maxBindingBytes);
  if (isWhole) return [];
  return [rows * chunkRows, ...(table.storage === 'f32' ? [] : [chunkRows * d])];
}

interface TableSize {
  storage: WeightStorage;
  maxBindingBytes: number;
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

const plus = (a: Sum, b: Sum): Sum => ({ bytes: a.bytes + b.bytes, largest: Math.max(a.largest, b.largest) });

/** Elements per row of one layer's activations (layer.ts: takeActivations). */
function activationWidths({ hiddenSize: d, heads, kvHeads, headDim, ffn, qkNorm }: ModelConfig): number[] {
  const q = heads * headDim;
  const kv = kvHeads * headDim;
  const normed = qkNorm ? [heads, kvHeads, q, kv] : [];
  return [d, d, 1, q, kv, ...normed, kv, q, 2 * heads, d, 1, ffn, ffn, ffn];
}

/** A large request is sampled in parts of `batch` sequences. */
function rolloutParts(
  config: ModelConfig,
  size: RolloutSize,
  batch: number,
  table: TableSize,
): { cache: Sum; scratch: Sum } {
  const { layers, kvHeads, headDim, hiddenSize: d, vocab } = config;
  const count = Math.min(size.sequences, batch);
  const prompts = Math.min(size.prompts, Math.ceil((count * size.prompts) / size.sequences) + 1);
  const promptRows = prompts * size.promptTokens;
  const room = size.maxTokens ?? size.maxNew;
  const isGrowing = size.maxTokens !== undefined;
  const cacheRows = promptRows + count * room;
  const rows = rolloutRows(promptRows, count, isGrowing ? room : 0);
  const said = count * Math.min(size.maxNew, room);
  const ends = isGrowing ? count : Math.min(count, prompts);
  return {
    cache: scratchOf(new Array<number>(2 * layers).fill(cacheRows * kvHeads * headDim)),
    scratch: scratchOf([
      ...activationWidths(config).map((width) => rows * width),
      rows * d, // x
      ...[rows, rows, 4 * rows], // ids, positions, ranges
      ...[2 * count, ...new Array<number>(6).fill(count)], // keys; done, next, rstd, last rows, slots, starts
      isGrowing ? rows : count, // cache rows
      promptRows, // the row of each token of a prompt
      ...[count * d, count * d, count * vocab], // last hidden rows, normed, logits
      ...[count * d, ends, ends, 4 * ends], // hidden rows that prompts end with; their rows, positions, ranges
      ...[said, said], // tokens, log-probabilities
      ...tableScratch(config, count, table),
    ]),
  };
}

function scoreParts(
  config: ModelConfig,
  layout: KnobLayout,
  size: ScoreSize,
  kind: DeviceKind,
  table: TableSize,
  isBare: boolean,
): Sum {
  const { layers, hiddenSize: d, heads, kvHeads, headDim, ffn, vocab, qkNorm } = config;
  const { modules, total: knobs } = layout;
  const { rows, targets, room } = rowsOf(size);
  const q = heads * headDim;
  const kv = kvHeads * headDim;
  const kept = keepsLayers(config, rows);
  const acts = activationWidths(config).map((width) => (kept ? rows : room) * width);
  const r = Math.max(...modules.map((module) => module.rank ?? module.r));
  const square = Math.max(...modules.map(({ dOut, dIn }) => dOut * dIn));
  const alwaysByRows = kind === 'webgpu' || table.storage !== 'f32';
  const byWeight = modules[0].rank === undefined ? (alwaysByRows ? [] : [square, square]) : [square];
  const logitRows = logitRowsOf(config, size, table);
  const isFull = modules.some(({ whole }) => whole);
  // Where all weights are trained: which rows hold each token.
  const sink = isBare ? [] : isFull ? [vocab + 1, rows] : [rows * r, rows * r, ...byWeight, size.segments * knobs];
  const backward = [ffn, ffn, ffn, d, q, q, kv, kv, ...(qkNorm ? [q, kv] : [])].map((width) => rows * width);
  return scratchOf([
    ...Array.from({ length: kept ? layers : 1 }, () => acts).flat(),
    ...Array.from({ length: layers + 1 }, (_, i) => (i < 2 ? room : rows) * d), // each layer's input, the last one's output
    ...[room, room, 4 * room, room], // ids, positions, ranges, ends
    ...[targets * d, targets * d], // hidden, normed
    ...[targets, targets, targets, 3 * targets], // ids, rows, rstd, stats
    logitRows * vocab,
    ...[targets, targets * d, targets * d, rows * d, kept ? 0 : rows * d], // coefficients and the head's gradients
    ...backward,
    ...sink,
    ...tableScratch(config, logitRows, table),
  ]);
}

/** Rows of a pass, those that predict a token, and those that its scratch has room for: a teacher's pass may be the longer. */
function rowsOf(size: ScoreSize | DistillSize): { rows: number; targets: number; room: number } {
  const { prompts, sequences, promptTokens, completionTokens, trainedTokens = completionTokens } = size;
  const written = sequences * completionTokens;
  const rows = prompts * (promptTokens - 1) + written;
  const room = 'teacherPrompts' in size ? size.teacherPrompts * (size.teacherPromptTokens - 1) + written : 0;
  return { rows, targets: sequences * trainedTokens, room: Math.max(rows, room) };
}

/** batch.ts decides by its own count of the width whether every layer keeps its activations. */
function keepsLayers({ hiddenSize: d, heads, kvHeads, headDim, ffn, layers }: ModelConfig, rows: number): boolean {
  const width = 3 * d + 4 * heads * headDim + 3 * kvHeads * headDim + 3 * ffn + 4 * heads;
  return rows * width * layers * BYTES <= ACTIVATION_BUDGET;
}

/** Rows whose logits are made at a time; a teacher's are made beside them, in the same budget. */
function logitRowsOf({ vocab }: ModelConfig, size: ScoreSize | DistillSize, table: TableSize): number {
  const budget = 'teacherPrompts' in size ? LOGITS_BUDGET / 2 : LOGITS_BUDGET;
  const elements = Math.min(budget, table.maxBindingBytes / BYTES);
  return Math.min(rowsOf(size).targets, Math.max(1, Math.floor(elements / vocab)));
}

/** What distill.ts takes beyond a score of the student: the teacher's rows of the head, stats, kl and logits, and one layer's
 *  activations, where the student's own do not lie there. */
function teacherParts(config: ModelConfig, size: DistillSize, table: TableSize): Sum {
  const { rows, targets, room } = rowsOf(size);
  const layer = keepsLayers(config, rows) ? activationWidths(config).map((width) => room * width) : [];
  const logits = logitRowsOf(config, size, table) * config.vocab;
  return scratchOf([targets * config.hiddenSize, 3 * targets, targets, logits, ...layer]);
}
