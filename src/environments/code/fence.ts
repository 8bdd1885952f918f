// The fenced python block in which an answer's program stands. A leaf: the judge, the probe and the page cut it out alike.

/** Range of the block's text, without the fences. */
export interface CodeBlock {
  start: number;
  end: number;
}

/**
 * The first closed ```python (or ```py) block, or null: a block that was cut off does not count. In time linear in the text:
 * what does not close the first block closes no later one.
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

/** Its text, or null. */
export function extractCode(completion: string): string | null {
  const block = codeBlock(completion);
  return block === null ? null : completion.slice(block.start, block.end);
}

/** A program as an answer has it. */
export const fencedPython = (code: string): string => `\`\`\`python\n${code}\n\`\`\``;
