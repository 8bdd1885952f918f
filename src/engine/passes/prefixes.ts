// Prompts that begin alike: each beginning is computed once. A token's row depends on the tokens up to it alone, so prompts that
// share those share the row, to the bit; an evaluation's problems are told in the same words, and most of their rows are shared.
import { kept } from '../../lib/kept.ts';

/** The rows of a prefill, and which of them every token of every prompt is. */
export interface SharedPrefixes {
  /** One for each distinct beginning, in the order of the prompts: its last token, as the `index`th of prompt `of`. */
  rows: { of: number; index: number }[];
  /** Row of each token of each prompt. */
  rowOf: number[][];
}

interface Beginning {
  row: number;
  longer: Map<number, Beginning>;
}

/** `prompts`: token ids. Linear in their tokens. */
export function sharedPrefixes(prompts: readonly (readonly number[])[]): SharedPrefixes {
  const rows: SharedPrefixes['rows'] = [];
  const root: Map<number, Beginning> = new Map();
  const rowOf = prompts.map((prompt, of) => {
    let known = root;
    return prompt.map((id, index) => {
      const found = kept(known, id, () => ({ row: rows.push({ of, index }) - 1, longer: new Map() }));
      known = found.longer;
      return found.row;
    });
  });
  return { rows, rowOf };
}
