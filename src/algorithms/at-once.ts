// Number of completions whose gradients are computed in one pass. The memory plan uses the same bound.

/** Most completions per backward pass, and most elements of their gradients (256 MB; a LoRA has many parameters). */
const CHUNK = 64;
const CHUNK_ELEMENTS = 2 ** 26;

/** Number of completions in one pass. It bounds memory, and affects the rounding of gradients, since rows that sequences share are computed
 *  once. */
export function completionsAtOnce(adapterParams: number): number {
  return Math.max(1, Math.min(CHUNK, Math.floor(CHUNK_ELEMENTS / adapterParams)));
}
