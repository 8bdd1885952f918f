// Computes each common prefix of several prompts once. A token's row depends only on the tokens up to it, so prompts that share a
// prefix share its rows, bit for bit. An evaluation's problems share a template, and so most of their rows.
import { kept } from '../../lib/kept.ts';

/** The rows of a prefill, and the row of every token of every prompt. */
export interface SharedPrefixes {
  /** One row for each distinct prefix, in the order of the prompts; its last token is token `index` of prompt `of`. */
  rows: { of: number; index: number }[];
  /** Row of each token of each prompt. */
  rowOf: number[][];
}

interface Beginning {
  row: number;
  longer: Map<number, Beginning>;
}

/** `prompts` holds token ids. The time is linear in their number. */
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
