// Documents for next-token training: texts of any length, whole or under a mask. They are laid out by packing.ts as any other
// sequence is, end to end in the rows of one batch, and none sees another: no separator is between them, no row is padding.
// Documents longer than the model's positions are cut into windows, and windows that exceed a pass are split over
// several.
import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import type { Sequence } from '../types.ts';

export interface Document {
  ids: readonly number[];
  /** Marks the ids that are trained on; all where it is left out. The first one never is: nothing predicts it. */
  mask?: readonly boolean[];
  /** Gradient accumulator that it belongs to; 0 if absent. */
  segment?: number;
}

const isTrained = ({ mask }: Document, t: number): boolean => t > 0 && (mask?.[t] ?? true);

/** Tokens of a document that are trained on. */
export function trainedTokens(document: Document): number {
  return document.ids.reduce((count, _, t) => count + (isTrained(document, t) ? 1 : 0), 0);
}

/** Makes the ids before the first trained token the prompt, which documents of a segment that begin alike share. Throws
 *  ShapeError where nothing is trained on. */
export function sequenceOf(document: Document): Sequence {
  const { ids, mask, segment = 0 } = document;
  const first = ids.findIndex((_, t) => isTrained(document, t));
  if (first < 0 || (mask && mask.length !== ids.length)) {
    throw new ShapeError(
      `a document of ${ids.length} tokens${mask ? ` with a mask of ${mask.length}` : ''} has nothing to be trained on`,
      'Give two tokens at least, a mask of their number, and leave out what trains nothing.',
    );
  }
  const completion = ids.slice(first);
  const rest = mask?.slice(first);
  return { prompt: ids.slice(0, first), completion, ...(rest?.includes(false) ? { mask: rest } : {}), segment };
}

/** Windows of at most `length` tokens, each beginning with the `overlap` tokens before it as context: every token that is
 *  trained in the document is trained in exactly one of them. */
export function windowsOf(document: Document, length: number, overlap: number): Document[] {
  if (!(Number.isInteger(overlap) && overlap >= 1 && Number.isInteger(length) && length > overlap)) {
    throw new ShapeError(
      `windows of ${length} tokens with ${overlap} of context`,
      'Give at least one token of context, and room for more.',
    );
  }
  const { ids, segment } = document;
  if (ids.length <= length) return [document];
  const windows: Document[] = [];
  for (let from = 0, to = 1; to < ids.length; from = to - overlap) {
    const done = to;
    from = Math.max(0, from);
    to = Math.min(ids.length, from + length);
    const mask = ids.slice(from, to).map((_, i) => from + i >= done && isTrained(document, from + i));
    if (mask.includes(true)) windows.push({ ids: ids.slice(from, to), mask, segment });
  }
  return windows;
}

/** Limit on rows of a pass; a step of eight rollouts of 512 tokens has as many. */
export const PASS_ROWS = 4096;

/**
 * Splits sequences into consecutive passes [from, to) of at most `maxRows` rows; a longer sequence is a pass of its own. Sequences do
 * not affect each other, so passes bound memory and change only the order in which gradients are summed.
 */
export function passesOf(
  sequences: readonly Pick<Sequence, 'prompt' | 'completion'>[],
  maxRows = PASS_ROWS,
): { from: number; to: number }[] {
  const passes: { from: number; to: number }[] = [];
  let rows = Number.POSITIVE_INFINITY;
  sequences.forEach(({ prompt, completion }, i) => {
    const own = prompt.length + completion.length - 1;
    if (rows + own > maxRows) {
      passes.push({ from: i, to: i });
      rows = 0;
    }
    rows += own;
    passes[passes.length - 1].to = i + 1;
  });
  return passes;
}
