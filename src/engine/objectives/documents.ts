// Documents for next-token training: texts of any length, optionally masked. packing.ts packs them like other sequences,
// end to end in one batch, without separators or padding; documents do not attend to each other. Documents longer than
// the model's context are split into windows, and batches larger than a pass into several passes.
import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import type { Sequence } from '../types.ts';

export interface Document {
  ids: readonly number[];
  /** Marks the trained ids; default: all. The first id is never trained, since nothing predicts it. */
  mask?: readonly boolean[];
  /** Gradient accumulator; default: 0. */
  segment?: number;
}

const isTrained = ({ mask }: Document, t: number): boolean => t > 0 && (mask?.[t] ?? true);

/** Number of trained tokens of a document. */
export function trainedTokens(document: Document): number {
  return document.ids.reduce((count, _, t) => count + (isTrained(document, t) ? 1 : 0), 0);
}

/** Makes the ids before the first trained token the prompt; documents of a segment with equal prompts share it. Throws
 *  ShapeError if no token is trained. */
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

/** Windows of at most `length` tokens, each beginning with the `overlap` preceding tokens as context. Every trained token of
 *  the document is trained in exactly one window. */
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

/** Most rows of a pass: those of eight rollouts of 512 tokens. */
export const PASS_ROWS = 4096;

/**
 * Splits sequences into consecutive passes [from, to) of at most `maxRows` rows; a longer sequence gets its own pass. Passes bound
 * memory and change only the order in which gradients are summed.
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
