// Predicts the memory of the passes of a rollout and of a scored batch. It follows rollout/rows.ts, pass.ts, batch.ts
// and distill.ts buffer by buffer, as if every completion ran to its limit. A `Sum` has the total bytes of the buffers
// of a piece of work, and the largest of them.

import { gradScratch, RUN_WORDS } from '../../kernels/contract/delta.ts';
import { PANEL_BYTES, panelBytes } from '../../kernels/cpu/panels.ts';
import type { DeviceKind } from '../../kernels/device.ts';
import { isCheaperByRows } from '../adapter-layout.ts';
import { deltaSizes, layersOf, layerType } from '../layer-types.ts';
import { cachedLengths, cacheRoom } from '../passes/activation-cache.ts';
import { LOGITS_BUDGET } from '../passes/batch.ts';
import { qkvWidth } from '../passes/decoding.ts';
import { cacheWords } from '../passes/key-values.ts';
import { layerLengths, mixerWidth } from '../passes/layer.ts';
import { keepsLayers } from '../passes/packed-layers.ts';
import { rolloutLengths, rolloutRows } from '../rollout/places.ts';
import { statePlaces } from '../rollout/states.ts';
import type { KvCache } from '../storage-layouts.ts';
import type { AdapterLayout, AdapterModule, LayerType, ModelConfig, WeightStorage } from '../types.ts';
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

/** Scratch comes from the arena, whose buffers have at least 64 elements. */
const scratchOf = (lengths: readonly number[]): Sum => sumOf(lengths.map((length) => Math.max(64, length)));

/** The maximum of each, for pieces of work that reuse the same buffers. */
export function most(sums: readonly Sum[]): Sum {
  return {
    bytes: Math.max(0, ...sums.map(({ bytes }) => bytes)),
    largest: Math.max(0, ...sums.map(({ largest }) => largest)),
  };
}

export const plus = (a: Sum, b: Sum): Sum => ({ bytes: a.bytes + b.bytes, largest: Math.max(a.largest, b.largest) });

/** Sizes of one `Policy.generate` or `generateEpisodes`. */
export interface RolloutSize {
  prompts: number;
  sequences: number;
  /** Tokens per prompt. */
  promptTokens: number;
  maxNew: number;
  /** Most tokens of an episode after the prompt, over all turns. */
  maxTokens?: number;
  /** As in GenerateRequest: activations are kept for scoring. */
  willScore?: boolean;
  kvCache?: KvCache;
}

/** Sizes of one `Policy.score` and its backward pass. */
export interface ScoreSize {
  /** Number of prompts, counted once per segment in which they occur. */
  prompts: number;
  sequences: number;
  promptTokens: number;
  completionTokens: number;
  /** Trained tokens of an episode's completion; all of them if absent. */
  trainedTokens?: number;
  segments: number;
}

/** Sizes of one `Policy.distill` and its backward pass: the student's batch, and the teacher's prompts. */
export interface DistillSize extends ScoreSize {
  teacherPrompts: number;
  teacherPromptTokens: number;
}

/** Scratch for computing the logits of `rows` rows in chunks of the vocabulary. */
function tableScratch({ vocab, hiddenSize: d }: ModelConfig, rows: number, table: TableSize): number[] {
  const { isWhole, chunkRows } = vocabLayout(vocab, d, table.storage, table.maxBindingBytes);
  if (isWhole) return [];
  return [rows * chunkRows, ...(table.storage === 'f32' ? [] : [chunkRows * d])];
}

/** Storage of embedding and head on the device, and its sizes. */
interface TableSize {
  storage: WeightStorage;
  maxBindingBytes: number;
}

/** Elements of each activation buffer of a layer. */
const layerParts = (config: ModelConfig, type: LayerType, rows: number, tailRows = rows): number[] =>
  layerLengths(config, type, rows, tailRows).map(([, length]) => length);

/** The layer types of a model. */
const kindsOf = ({ layerTypes }: ModelConfig): LayerType[] => [...new Set<LayerType>(layerTypes ?? ['full_attention'])];

/** Elements of the state buffers of `layers` linear layers with `places` states each. */
function stateParts(config: ModelConfig, places: number, layers: number): number[] {
  if (!config.delta || layers === 0) return [];
  const { state, convState } = deltaSizes(config);
  return Array.from({ length: layers }, () => [places * state, places * convState]).flat();
}

/** A request is sampled in batches of at most `batch` sequences. */
export function rolloutParts(
  config: ModelConfig,
  size: RolloutSize,
  batch: number,
  table: TableSize & { kind: DeviceKind },
): { cache: Sum; scratch: Sum; rows: number; count: number } {
  const { kvHeads, headDim, hiddenSize: d, vocab } = config;
  const count = Math.min(size.sequences, batch);
  const prompts = Math.min(size.prompts, Math.ceil((count * size.prompts) / size.sequences) + 1);
  const promptRows = prompts * size.promptTokens;
  const room = size.maxTokens ?? size.maxNew;
  const isGrowing = size.maxTokens !== undefined;
  const cacheRows = promptRows + count * room;
  const rows = rolloutRows(promptRows, count, isGrowing ? room : 0);
  const writtenTokens = count * Math.min(size.maxNew, room);
  const ends = isGrowing ? count : Math.min(count, prompts);
  const linear = layersOf(config, 'linear_attention').length;
  const places = statePlaces(count, 2 * prompts);
  return {
    rows,
    count,
    cache: scratchOf([
      ...new Array<number>(2 * layersOf(config, 'full_attention').length).fill(
        cacheWords(cacheRows * kvHeads * headDim, size.kvCache ?? 'f32'),
      ),
      ...stateParts(config, places, linear),
    ]),
    scratch: scratchOf([
      ...rolloutLengths(config, rows).values(),
      ...(linear > 0 ? [places * RUN_WORDS] : []),
      ...[rows, rows, 4 * rows], // ids, positions, ranges
      ...[2 * count, ...new Array<number>(6).fill(count)], // keys; done, next, rstd, last rows, slots, starts
      isGrowing ? rows : count, // cache rows
      // Decoding in few calls on a GPU: positions and cache rows; q, k and v; gate and up.
      ...(table.kind === 'webgpu' ? [2 * count, count * qkvWidth(config), 2 * count * config.ffn] : []),
      promptRows, // the row of each token of a prompt
      ...[count * d, count * d, count * vocab], // last hidden rows, normed, logits
      ...[count * d, ends, ends, 4 * ends], // hidden rows of the prompts' last tokens; their rows, positions, ranges
      ...[writtenTokens, writtenTokens], // tokens, log-probabilities
      ...[count, count, count, 4 * count], // distinct rows of a step: index of each; ids, positions, ranges
      ...tableScratch(config, count, table),
    ]),
  };
}

/** Activations that a rollout keeps for scoring (activation-cache.ts), if its sequences share prompts and are sampled in
 *  one batch. */
export function keptParts(config: ModelConfig, size: RolloutSize, batch: number): Sum {
  const { prompts, sequences, promptTokens, maxNew } = size;
  const isKept =
    size.willScore &&
    size.kvCache !== 'f16' &&
    !config.layerTypes &&
    config.layers > 1 &&
    prompts < sequences &&
    sequences <= batch;
  if (!isKept || size.maxTokens !== undefined) return sumOf([]);
  const room = cacheRoom(config, prompts * promptTokens + sequences * maxNew);
  return scratchOf(cachedLengths(config, room));
}

/** Shape of a Linear's update up [dOut, r] · down [r, dIn]. */
export type UpdateShape = Pick<AdapterModule, 'dOut' | 'dIn' | 'r'>;

/** Matrices that the CPU device keeps packed into panels while it decodes (kernels/cpu/panels.ts): `wholes`, the head if it
 *  is in f32, and the factors of unfolded `updates`. */
export function decodingPanels(
  { vocab, hiddenSize }: ModelConfig,
  wholes: readonly Pick<AdapterModule, 'dOut' | 'dIn'>[],
  updates: readonly UpdateShape[],
  { storage, maxBindingBytes }: TableSize,
): Sum {
  const linears = [
    ...wholes.map(({ dOut, dIn }) => panelBytes(dOut, dIn)),
    ...updates.flatMap(({ dOut, dIn, r }) => [panelBytes(r, dIn), panelBytes(dOut, r)]),
  ];
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
  { isBare, isUnfolded }: { isBare: boolean; isUnfolded: boolean },
): Sum {
  const { layers, hiddenSize: d, heads, kvHeads, vocab, qkNorm } = config;
  const { modules, total: adapterParams } = layout;
  const { rows, targets, room } = rowsOf(size);
  const kept = keepsLayers(config, rows);
  const kinds = Array.from({ length: layers }, (_, layer) => layerType(config, layer));
  // On the CPU the last layer has fewer rows after attention (ends.ts), and a further buffer for their `o`.
  const ends = kind === 'cpu' && kept && targets < rows ? targets : null;
  const acts = kept
    ? kinds.flatMap((type, layer) => layerParts(config, type, rows, (layer === layers - 1 && ends) || rows))
    : kindsOf(config).flatMap((type) => layerParts(config, type, room));
  const ofEnds = ends === null ? [] : [ends * mixerWidth(config, layers - 1)];
  // A prompt and each of its sequences are a run.
  const runs = size.prompts + size.sequences;
  const r = Math.max(...modules.map((module) => module.rank ?? module.r));
  const square = Math.max(...modules.map(({ dOut, dIn }) => dOut * dIn));
  const alwaysByRows = kind === 'webgpu' || table.storage !== 'f32';
  // Fewer rows or more segments only favour projected rows further.
  const byRows = modules.every((module) => isCheaperByRows(module, rows, 1));
  const byWeight = modules[0].rank === undefined ? (alwaysByRows ? [] : [square, square]) : byRows ? [] : [square];
  const logitRows = logitRowsOf(config, size, table);
  const isFull = modules.some(({ whole }) => whole);
  // The sink of all weights stores which rows hold each token.
  const sink = isBare
    ? []
    : isFull
      ? [vocab + 1, rows]
      : [(isUnfolded ? room : rows) * r, rows * r, ...byWeight, size.segments * adapterParams];
  // Distinct rows (row-deduplication.ts): index of each; ids, positions, ranges; and activations without a buffer in the backward pass.
  const equal = [1, 1, 1, 4, 1, 2 * heads, ...(qkNorm ? [heads, kvHeads] : [])].map((width) => rows * width);
  const backward = backwardWidths(config).map((width) => rows * width);
  return scratchOf([
    ...acts,
    ...ofEnds,
    ...stateParts(config, runs, Math.min(1, layersOf(config, 'linear_attention').length)),
    ...(config.layerTypes ? [runs * RUN_WORDS] : []),
    ...Array.from({ length: layers + 1 }, (_, i) => (i < 2 ? room : rows) * d), // each layer's input, the last one's output
    ...[room, room, 4 * room, room], // ids, positions, ranges, ends
    ...[targets * d, targets * d], // hidden, normed
    ...[targets, targets, targets, 3 * targets], // ids, rows, rstd, stats
    logitRows * vocab,
    ...[targets, targets, targets * d, targets * d, rows * d, kept ? 0 : rows * d], // coefficients, also of entropies, and the head's gradients
    ...backward,
    ...(kind === 'cpu' && kept ? [...(config.layerTypes ? [] : equal), targets, targets] : []),
    ...sink,
    ...tableScratch(config, logitRows, table),
    ...(kind === 'webgpu' ? kernelParts(config, rows) : []),
  ]);
}

/** Lengths of the larger scratch buffers that the kernels of a backward pass keep for themselves on a GPU. */
export function kernelParts(config: ModelConfig, rows: number): number[] {
  if (!config.delta) return [];
  const { valueHeads: heads, keyDim, valueDim } = deltaSizes(config);
  return [gradScratch({ rows, heads, keyDim, valueDim })];
}

/** Widths of the scratch of a layer's backward pass; attention and linear layers share buffers of the same name. */
function backwardWidths(config: ModelConfig): number[] {
  const { hiddenSize: d, heads, kvHeads, headDim, ffn, qkNorm, outputGate, delta } = config;
  const [q, kv] = [heads * headDim, kvHeads * headDim];
  const feedForward = [ffn, ffn, ffn, d];
  const gated = outputGate ? [q, q, 2 * q] : [];
  const attention = [kv, kv, ...(qkNorm ? [q, kv] : []), ...gated];
  if (!delta) return [...feedForward, q, q, ...attention];
  const { keys, values, channels, valueHeads } = deltaSizes(config);
  const wide = Math.max(q, values); // o and q
  const linear = [values, values, 2 * keys, 2 * keys, channels, 2 * valueHeads, valueHeads, valueHeads];
  return [...feedForward, wide, wide, ...attention, ...linear];
}

/** Rows of a pass, rows that predict a token, and rows for which scratch is allocated (a teacher's pass may have more). */
function rowsOf(size: ScoreSize | DistillSize): { rows: number; targets: number; room: number } {
  const { prompts, sequences, promptTokens, completionTokens, trainedTokens = completionTokens } = size;
  const written = sequences * completionTokens;
  const rows = prompts * (promptTokens - 1) + written;
  const room = 'teacherPrompts' in size ? size.teacherPrompts * (size.teacherPromptTokens - 1) + written : 0;
  return { rows, targets: sequences * trainedTokens, room: Math.max(rows, room) };
}

/** Rows whose logits are computed at a time; a teacher's logits share the budget. */
function logitRowsOf({ vocab }: ModelConfig, size: ScoreSize | DistillSize, table: TableSize): number {
  const budget = 'teacherPrompts' in size ? LOGITS_BUDGET / 2 : LOGITS_BUDGET;
  const elements = Math.min(budget, table.maxBindingBytes / BYTES);
  return Math.min(rowsOf(size).targets, Math.max(1, Math.floor(elements / vocab)));
}

/** Memory of distill.ts beyond scoring the student: the teacher's head inputs, stats, kl and logits, and one layer's
 *  activations, unless the student recomputes and has them already. */
export function teacherParts(config: ModelConfig, size: DistillSize, table: TableSize): Sum {
  const { rows, targets, room } = rowsOf(size);
  const layer = keepsLayers(config, rows) ? kindsOf(config).flatMap((type) => layerParts(config, type, room)) : [];
  const logits = logitRowsOf(config, size, table) * config.vocab;
  return scratchOf([targets * config.hiddenSize, 3 * targets, targets, logits, ...layer]);
}
