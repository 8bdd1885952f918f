// Number of completions whose gradients are taken in one pass. The memory plan uses the same bound.

/** Completions per backward pass, and elements of their gradients (256 MB; the adapter parameters of a LoRA are many). */
const CHUNK = 64;
const CHUNK_ELEMENTS = 2 ** 26;

/** Number of completions in one pass of a model with so many adapter parameters. It bounds memory; the last bits of gradients depend on
 *  it, since rows that sequences share are computed once. */
export function completionsAtOnce(adapterParams: number): number {
  return Math.max(1, Math.min(CHUNK, Math.floor(CHUNK_ELEMENTS / adapterParams)));
}
