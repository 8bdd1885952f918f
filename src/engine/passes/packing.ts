// Lays a ragged batch of (prompt, completion) sequences out as packed rows, without padding, so that a prompt shared by
// several sequences of one gradient segment is computed once.
//
//   block = [prefix rows: prompt without its last token] [sequence 1] [sequence 2] …
//   sequence rows = last prompt token, completion without its last token
//
// So every sequence row predicts exactly one completion token (row i of a sequence → token i), prefix rows predict none,
// and the last completion token, to which no row attends, costs nothing. Blocks are ordered by segment: a segment's rows
// are one contiguous range, as a per-segment gradient needs.
//
// A sequence with a mask (an episode: [model] [observation] [model] …) is packed in the same way: observation tokens have rows,
// since later rows attend to them. But the row before an observation token predicts nothing: it has no logits and no loss.
// Rows after the one that predicts the last trained token are left out.
import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import { trainedPlaces } from '../episodes/episode.ts';
import type { Sequence } from '../types.ts';

export interface Packed {
  /** Number of rows. */
  rows: number;
  ids: Uint32Array;
  pos: Uint32Array;
  /** [rows, 4]: see the attention kernels in kernels/contract.ts. */
  ranges: Uint32Array;
  qEnd: Uint32Array;
  /** [targets] Rows that predict a token, ascending unless aligned to another batch (alignTargets). */
  targetRows: Uint32Array;
  /** Ids of the predicted tokens, [targets]. */
  targetIds: Uint32Array;
  /** Offset of sequence i's targets in targetRows, and their number (its trained tokens). */
  targetStart: number[];
  targetCount: number[];
  /** Row range [from, to) of each segment. */
  segments: { from: number; to: number }[];
}

export function pack(sequences: readonly Sequence[], segmentCount: number, maxPositions: number): Packed {
  const blocks = new Map<string, { prompt: readonly number[]; members: number[] }>();
  const order = sequences.map((_, i) => i).sort((a, b) => sequences[a].segment - sequences[b].segment || a - b);
  const places: number[][] = [];
  let rows = 0;
  let targets = 0;
  for (const i of order) {
    const { prompt, completion, mask, segment } = sequences[i];
    if (prompt.length === 0 || completion.length === 0) {
      throw new ShapeError(
        `sequence ${i} has a prompt of ${prompt.length} and a completion of ${completion.length} tokens`,
        'Give at least one token of each.',
      );
    }
    if (prompt.length + completion.length > maxPositions) {
      throw new ShapeError(
        `sequence ${i} has ${prompt.length} + ${completion.length} tokens; the model's limit is ${maxPositions}`,
        'Shorten the prompt or the completion.',
      );
    }
    if (mask && mask.length !== completion.length) {
      throw new ShapeError(
        `sequence ${i} has a mask of ${mask.length} entries for ${completion.length} tokens`,
        'Give one entry per completion token.',
      );
    }
    places[i] = trainedPlaces(sequences[i]);
    if (places[i].length === 0) {
      throw new ShapeError(
        `none of the ${completion.length} completion tokens of sequence ${i} is trained on`,
        'Leave the sequence out, or mark a token of the model in its mask.',
      );
    }
    if (!(segment >= 0 && segment < segmentCount)) {
      throw new ShapeError(`sequence ${i} names segment ${segment} of ${segmentCount}`, 'Segments count from 0.');
    }
    const key = `${segment}:${prompt.join(',')}`;
    const block = blocks.get(key);
    if (block) block.members.push(i);
    else {
      blocks.set(key, { prompt, members: [i] });
      rows += prompt.length - 1;
    }
    rows += rowsOf(places[i]);
    targets += places[i].length;
  }

  const packed: Packed = {
    rows,
    ids: new Uint32Array(rows),
    pos: new Uint32Array(rows),
    ranges: new Uint32Array(rows * 4),
    qEnd: new Uint32Array(rows),
    targetRows: new Uint32Array(targets),
    targetIds: new Uint32Array(targets),
    targetStart: new Array<number>(sequences.length).fill(0),
    targetCount: sequences.map((_, i) => places[i].length),
    segments: Array.from({ length: segmentCount }, () => ({ from: 0, to: 0 })),
  };
  let row = 0;
  let target = 0;
  let segment = 0;
  for (const { prompt, members } of blocks.values()) {
    // Map keeps insertion order: segments ascend, so a change of segment closes the range before it.
    const now = sequences[members[0]].segment;
    while (segment < now) packed.segments[++segment] = { from: row, to: row };
    const prefixFrom = row;
    const prefixTo = row + prompt.length - 1;
    for (let p = 0; p < prompt.length - 1; p++, row++) {
      packed.ids[row] = prompt[p];
      packed.pos[row] = p;
      packed.ranges.set([0, 0, prefixFrom, row + 1], row * 4);
    }
    for (const i of members) {
      const { completion } = sequences[i];
      const from = row;
      packed.targetStart[i] = target;
      for (let t = 0; t < rowsOf(places[i]); t++, row++) {
        packed.ids[row] = t === 0 ? prompt[prompt.length - 1] : completion[t - 1];
        packed.pos[row] = prompt.length - 1 + t;
        packed.ranges.set([prefixFrom, prefixTo, from, row + 1], row * 4);
      }
      for (const t of places[i]) {
        packed.targetRows[target] = from + t;
        packed.targetIds[target] = completion[t];
        target++;
      }
      packed.qEnd.fill(row, from, row);
    }
    packed.qEnd.fill(row, prefixFrom, prefixTo);
    packed.segments[segment].to = row;
  }
  while (segment < segmentCount - 1) packed.segments[++segment] = { from: row, to: row };
  return packed;
}

/** Number of rows of a sequence: up to the one that predicts its last trained token. */
function rowsOf(places: readonly number[]): number {
  return places[places.length - 1] + 1;
}

/** Reorders a batch's targets to match another batch that predicts the same tokens of each sequence, so that their log-probabilities
 *  can be compared element by element. */
export function alignTargets(packed: Packed, to: Packed): Packed {
  const targetRows = new Uint32Array(to.targetRows.length);
  for (const [i, start] of to.targetStart.entries()) {
    const [count, own] = [to.targetCount[i], packed.targetStart[i]];
    const differs = (t: number) => packed.targetIds[own + t] !== to.targetIds[start + t];
    const first = Array.from({ length: count }, (_, t) => t).find(differs);
    if (packed.targetCount[i] !== count || first !== undefined) {
      const at = first === undefined ? '' : `; trained token ${first} is another`;
      throw new ShapeError(
        `pair ${i}: the student is trained on ${count} tokens, the teacher speaks of ${packed.targetCount[i]}${at}`,
        'Put the same tokens behind both prompts, with the same ones masked.',
      );
    }
    targetRows.set(packed.targetRows.subarray(own, own + count), start);
  }
  return { ...packed, targetRows, targetIds: to.targetIds, targetStart: to.targetStart };
}
