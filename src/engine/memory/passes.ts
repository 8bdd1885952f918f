// What a rollout's and a scored batch's passes leave and pass through, from sizes alone; it follows rollout/rows.ts, pass.ts,
// batch.ts and distill.ts buffer by buffer, as if every completion ran to its limit. Buffers of a piece of work are added up (`Sum`): their
// bytes, and the largest of them.

import { PANEL_BYTES, panelBytes } from '../../kernels/cpu/panels.ts';
import type { DeviceKind } from '../../kernels/device.ts';
import { cachedLengths, cacheRoom } from '../passes/activation-cache.ts';
import { LOGITS_BUDGET } from '../passes/batch.ts';
import { madeLengths } from '../passes/layer.ts';
import { keepsLayers } from '../passes/packed-layers.ts';
import { rolloutRows } from '../rollout/places.ts';
import type { AdapterLayout, ModelConfig, WeightStorage } from '../types.ts';
import { vocabLayout } from '../weights/vocab-table.ts';

const BYTES = 4;

export interface Sum {
  bytes: number;
  largest: number;
}

/** @param lengths elements of each buffer */
export const sumOf = (lengths: readonly number[]): Sum => ({
  bytes: BYTES * lengths.reduce((sum, length) => sum + length, 0),
  largest: BYTES * lengths.reduce((most, length) => Math.max(most, length), 0),
});

/** Scratch is taken from the arena, which gives 64 elements at least. */
const scratchOf = (lengths: readonly number[]): Sum => sumOf(lengths.map((length) => Math.max(64, length)));

/** The greatest of each, for pieces of work that use the same room in turn. */
export function most(sums: readonly Sum[]): Sum {
  return {
    bytes: Math.max(0, ...sums.map(({ bytes }) => bytes)),
    largest: Math.max(0, ...sums.map(({ largest }) => largest)),
  };
}

export const plus = (a: Sum, b: Sum): Sum => ({ bytes: a.bytes + b.bytes, largest: Math.max(a.largest, b.largest) });

/** One `Policy.generate` or `generateEpisodes`. */
export interface RolloutSize {
  prompts: number;
  sequences: number;
  /** Tokens of a prompt. */
  promptTokens: number;
  maxNew: number;
  /** Tokens of an episode after the prompt, over all turns. */
  maxTokens?: number;
  /** As GenerateRequest's: what it computes is kept for a score. */
  willScore?: boolean;
}

/** One `Policy.score` and its backward. */
export interface ScoreSize {
  /** Prompts, counted once for each segment that has sequences of them. */
  prompts: number;
  sequences: number;
  promptTokens: number;
  completionTokens: number;
  /** Trained tokens of an episode's completion; all of them if absent. */
  trainedTokens?: number;
  segments: number;
}

/** One `Policy.distill` and its backward: the student's side, and what the teacher sees before the same completions. */
export interface DistillSize extends ScoreSize {
  teacherPrompts: number;
  teacherPromptTokens: number;
}

/** Scratch of logits that are made piece by piece, for this many rows at a time. */
function tableScratch({ vocab, hiddenSize: d }: ModelConfig, rows: number, table: TableSize): number[] {
  const { isWhole, chunkRows } = vocabLayout(vocab, d, table.storage, table.maxBindingBytes);
  if (isWhole) return [];
  return [rows * chunkRows, ...(table.storage === 'f32' ? [] : [chunkRows * d])];
}

/** How embedding and head are stored on the device. */
interface TableSize {
  storage: WeightStorage;
  maxBindingBytes: number;
}

/** Elements of one layer's activations. */
const layerParts = (config: ModelConfig, rows: number, tailRows = rows): number[] =>
  madeLengths(config, rows, tailRows).map(([, length]) => length);

/** A large request is sampled in parts of `batch` sequences. */
export function rolloutParts(
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
  const writtenTokens = count * Math.min(size.maxNew, room);
  const ends = isGrowing ? count : Math.min(count, prompts);
  return {
    cache: scratchOf(new Array<number>(2 * layers).fill(cacheRows * kvHeads * headDim)),
    scratch: scratchOf([
      ...layerParts(config, rows),
      rows * d, // x
      ...[rows, rows, 4 * rows], // ids, positions, ranges
      ...[2 * count, ...new Array<number>(6).fill(count)], // keys; done, next, rstd, last rows, slots, starts
      isGrowing ? rows : count, // cache rows
      promptRows, // the row of each token of a prompt
      ...[count * d, count * d, count * vocab], // last hidden rows, normed, logits
      ...[count * d, ends, ends, 4 * ends], // hidden rows that prompts end with; their rows, positions, ranges
      ...[writtenTokens, writtenTokens], // tokens, log-probabilities
      ...[count, count, count, 4 * count], // rows that others are alike to: which each is; their ids, positions, ranges
      ...tableScratch(config, count, table),
    ]),
  };
}

/** What a rollout keeps for the score of it (activation-cache.ts): where its sequences share prompts and are sampled in one part. */
export function keptParts(config: ModelConfig, size: RolloutSize, batch: number): Sum {
  const { prompts, sequences, promptTokens, maxNew } = size;
  const isKept = size.willScore && config.layers > 1 && prompts < sequences && sequences <= batch;
  if (!isKept || size.maxTokens !== undefined) return sumOf([]);
  const room = cacheRoom(config, prompts * promptTokens + sequences * maxNew);
  return scratchOf(cachedLengths(config, room));
}

/** What the CPU device keeps packed while it decodes (kernels/cpu/panels.ts): Linears and head, where they are in f32. */
export function decodingPanels(
  { vocab, hiddenSize }: ModelConfig,
  { modules }: AdapterLayout,
  { storage, maxBindingBytes }: TableSize,
  isBare: boolean,
): Sum {
  const linears = storage === 'f32' || !isBare ? modules.map(({ dOut, dIn }) => panelBytes(dOut, dIn)) : [];
  const { isWhole } = vocabLayout(vocab, hiddenSize, storage, maxBindingBytes);
  const all = [...linears, ...(isWhole ? [panelBytes(vocab, hiddenSize)] : [])];
  return {
    bytes: Math.min(
      PANEL_BYTES,
      all.reduce((sum, bytes) => sum + bytes, 0),
    ),
    largest: 0,
  };
}

export function scoreParts(
  config: ModelConfig,
  layout: AdapterLayout,
  size: ScoreSize,
  kind: DeviceKind,
  table: TableSize,
  isBare: boolean,
): Sum {
  const { layers, hiddenSize: d, heads, kvHeads, headDim, ffn, vocab, qkNorm } = config;
  const { modules, total: adapterParams } = layout;
  const { rows, targets, room } = rowsOf(size);
  const q = heads * headDim;
  const kv = kvHeads * headDim;
  const kept = keepsLayers(config, rows);
  const acts = layerParts(config, kept ? rows : room);
  // On the CPU the last layer has less of what follows attention (ends.ts): `o` of its rows besides.
  const ends = kind === 'cpu' && kept && targets < rows ? targets : null;
  const last = ends === null ? acts : [...layerParts(config, rows, ends), ends * q];
  const r = Math.max(...modules.map((module) => module.rank ?? module.r));
  const square = Math.max(...modules.map(({ dOut, dIn }) => dOut * dIn));
  const alwaysByRows = kind === 'webgpu' || table.storage !== 'f32';
  const byWeight = modules[0].rank === undefined ? (alwaysByRows ? [] : [square, square]) : [square];
  const logitRows = logitRowsOf(config, size, table);
  const isFull = modules.some(({ whole }) => whole);
  // Where all weights are trained: which rows hold each token.
  const sink = isBare
    ? []
    : isFull
      ? [vocab + 1, rows]
      : [rows * r, rows * r, ...byWeight, size.segments * adapterParams];
  // Rows that are computed once (row-deduplication.ts): which each is; their ids, positions and ranges, and what is no scratch of the backward's.
  const equal = [1, 1, 1, 4, 1, 2 * heads, ...(qkNorm ? [heads, kvHeads] : [])].map((width) => rows * width);
  const backward = [ffn, ffn, ffn, d, q, q, kv, kv, ...(qkNorm ? [q, kv] : [])].map((width) => rows * width);
  return scratchOf([
    ...Array.from({ length: kept ? layers - 1 : 0 }, () => acts).flat(),
    ...last,
    ...Array.from({ length: layers + 1 }, (_, i) => (i < 2 ? room : rows) * d), // each layer's input, the last one's output
    ...[room, room, 4 * room, room], // ids, positions, ranges, ends
    ...[targets * d, targets * d], // hidden, normed
    ...[targets, targets, targets, 3 * targets], // ids, rows, rstd, stats
    logitRows * vocab,
    ...[targets, targets, targets * d, targets * d, rows * d, kept ? 0 : rows * d], // coefficients, also of entropies, and the head's gradients
    ...backward,
    ...(kind === 'cpu' && kept ? [...equal, targets, targets] : []),
    ...sink,
    ...tableScratch(config, logitRows, table),
  ]);
}

/** Rows of a pass, rows that predict a token, and rows that its scratch has room for (a teacher's pass may be longer). */
function rowsOf(size: ScoreSize | DistillSize): { rows: number; targets: number; room: number } {
  const { prompts, sequences, promptTokens, completionTokens, trainedTokens = completionTokens } = size;
  const written = sequences * completionTokens;
  const rows = prompts * (promptTokens - 1) + written;
  const room = 'teacherPrompts' in size ? size.teacherPrompts * (size.teacherPromptTokens - 1) + written : 0;
  return { rows, targets: sequences * trainedTokens, room: Math.max(rows, room) };
}

/** Rows whose logits are made at a time; a teacher's are made beside them, in the same budget. */
function logitRowsOf({ vocab }: ModelConfig, size: ScoreSize | DistillSize, table: TableSize): number {
  const budget = 'teacherPrompts' in size ? LOGITS_BUDGET / 2 : LOGITS_BUDGET;
  const elements = Math.min(budget, table.maxBindingBytes / BYTES);
  return Math.min(rowsOf(size).targets, Math.max(1, Math.floor(elements / vocab)));
}

/** What distill.ts takes beyond a score of the student: the teacher's rows of the head, stats, kl and logits, and one layer's
 *  activations, where the student's own do not be there. */
export function teacherParts(config: ModelConfig, size: DistillSize, table: TableSize): Sum {
  const { rows, targets, room } = rowsOf(size);
  const layer = keepsLayers(config, rows) ? layerParts(config, room) : [];
  const logits = logitRowsOf(config, size, table) * config.vocab;
  return scratchOf([targets * config.hiddenSize, 3 * targets, targets, logits, ...layer]);
}
