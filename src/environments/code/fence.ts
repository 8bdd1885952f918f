// Finds an answer's fenced Python block. It imports nothing, so that the judge, the probe and the page share it.

/** Range of the block's text, without the fences. */
export interface CodeBlock {
  start: number;
  end: number;
}

/**
 * The first closed ```python (or ```py) block, or null: a block that was cut off does not count. Takes linear time: if nothing closes the
 * first block, nothing closes a later one.
 */
export function codeBlock(completion: string): CodeBlock | null {
  const opening = /^[ \t]*```[ \t]*(?:python|py)3?[ \t]*\r?\n/im.exec(completion);
  if (opening === null) return null;
  const start = opening.index + opening[0].length;
  const closing = /^[ \t]*```[ \t]*$/gm;
  closing.lastIndex = start;
  const close = closing.exec(completion);
  return close === null ? null : { start, end: close.index };
}

/** The block's text, or null. */
export function extractCode(completion: string): string | null {
  const block = codeBlock(completion);
  return block === null ? null : completion.slice(block.start, block.end);
}

/** A program in the form of an answer. */
export const fencedPython = (code: string): string => `\`\`\`python\n${code}\n\`\`\``;
