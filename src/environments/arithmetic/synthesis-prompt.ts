// What the synthesiser of this world reads: the attempts, an empty line between them, in any order, and nothing of the problem unless
// it is shown. Workings stand as a solution writes them, line by line, since a small model copies what looks like what it writes (with
// the lines of an attempt joined by semicolons it lost their order). The box is left out where it repeats the last line, so that
// sixteen attempts fit into the model's positions. Whatever else a model wrote stays as it is, up to a length.

/** Characters of an attempt: a longer answer is cut, as it was when it was written. */
const LONGEST = 96;
const BEGIN = '<|im_start|>user\n';
const END = '<|im_end|>\n<|im_start|>assistant\n';

/** An answer as the synthesiser reads it. Chat markup that a model wrote by itself is left out: it would end the prompt. */
export function attemptText(completion: string): string {
  return completion
    .replaceAll(/<\|[^|]*\|>/g, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/\n?\\boxed\{([^{}]*)\}/g, '>$1')
    .replace(/=([^=>\n]*)>\1$/, '=$1')
    .slice(0, LONGEST);
}

/** `problem` null: question-blind. Else a whole prompt of the world, chat markup included, whose story is shown before the attempts. */
export function synthesisPrompt(attempts: readonly string[], problem: string | null = null): string {
  const story = problem === null ? '' : `${problem.slice(BEGIN.length, -END.length)}\n`;
  return `${BEGIN}${story}SYN\n${attempts.join('\n\n')}${END}`;
}
