// What the synthesiser of this world reads: the attempts, a line each, in any order, and nothing of the problem unless it is shown.
// A line is an attempt's working joined and its box shortened, so that sixteen of them fit into the model's positions:
// `3+4=7;7*3=21`, and `7/2=3.5>7/2` where the box says it otherwise. Whatever else a model wrote stays as it is, up to a length.

/** Characters of an attempt's line: a longer answer is cut, as it was when it was written. */
const LONGEST = 96;
const BEGIN = '<|im_start|>user\n';
const END = '<|im_end|>\n<|im_start|>assistant\n';

/** An answer as the synthesiser reads it. Chat markup that a model wrote by itself is left out: it would end the prompt. */
export function attemptLine(completion: string): string {
  return completion
    .replaceAll(/<\|[^|]*\|>/g, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ';')
    .replaceAll(/;?\\boxed\{([^{}]*)\}/g, '>$1')
    .replace(/=([^=>;]*)>\1$/, '=$1')
    .slice(0, LONGEST);
}

/** `problem` null: question-blind. Else a whole prompt of the world, chat markup included, whose story is shown before the attempts. */
export function synthesisPrompt(lines: readonly string[], problem: string | null = null): string {
  const story = problem === null ? '' : `${problem.slice(BEGIN.length, -END.length)}\n`;
  return `${BEGIN}${story}SYN\n${lines.join('\n')}${END}`;
}
