// What the synthesiser of this environment reads and writes: workings in one line each, every step under its letter, so that sixteen fit
// into the model's positions and a step is found by its letter: `A3+4=7B7*3=21`. (Without letters a model of this size lost the order
// while it copied: of eight equal and right attempts it made a wrong working in one case of five, with another step's numbers and
// never with a wrong result of the right ones.) Lines of one step stand together, `Adozen=12:2*12=24;7+24=31`, so that a step that
// some attempts tell in two lines and others in one does not move the letters of what follows. Nothing of the problem is shown unless
// it is asked for. Whatever else a model wrote stays as it is, up to a length.
import { lastBox } from './grader.ts';

/** Characters of an attempt's line: a longer answer is cut, as it was when it was written. */
const LONGEST = 96;
/** Of steps; later ones share the last. */
const LETTERS = 'ABCDEFGH';
const BEGIN = '<|im_start|>user\n';
const END = '<|im_end|>\n<|im_start|>assistant\n';

/** An answer as the synthesiser reads it, its box left out where the last line says the same: `A7/2=3.5>7/2`. */
export function attemptLine(completion: string): string {
  const lines = linesOf(completion);
  const box = lastBox(completion);
  const says = lines.at(-1)?.split('=').at(-1);
  return `${lettered(lines)}${box === null || box === says ? '' : `>${box}`}`.slice(0, LONGEST);
}

/** An answer as the synthesiser writes one. */
export function synthesisText(completion: string): string {
  const box = lastBox(completion);
  return `${lettered(linesOf(completion))}${box === null ? '' : `\\boxed{${box}}`}`;
}

/** The other way round, to be read by people: a line for each line. */
export const workingOfSynthesis = (text: string): string =>
  text
    .replaceAll(/[A-H:;](?=[\da-z])/g, '\n')
    .replaceAll(/\n?\\boxed/g, '\n\\boxed')
    .trim();

/** `problem` null: question-blind. Else a whole prompt of the environment, chat markup included, whose story is shown before the attempts. */
export function synthesisPrompt(lines: readonly string[], problem: string | null = null): string {
  const story = problem === null ? '' : `${problem.slice(BEGIN.length, -END.length)}\n`;
  return `${BEGIN}${story}SYN\n${lines.join('\n')}${END}`;
}

/** Chat markup that a model wrote by itself is left out: it would end the prompt. */
const linesOf = (completion: string): string[] =>
  completion
    .replaceAll(/<\|[^|]*\|>/g, '')
    .replaceAll(/\\boxed\{[^{}]*\}/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function lettered(lines: readonly string[]): string {
  const steps: string[][] = [];
  for (const [i, line] of lines.entries()) {
    if (i > 0 && isSameStep(lines[i - 1], line)) steps[steps.length - 1].push(line);
    else steps.push([line]);
  }
  return steps.map((step, i) => LETTERS[Math.min(i, LETTERS.length - 1)] + joined(step)).join('');
}

/** The last line of a step, which has the running number, stands after `;`, what comes before it after `:`. */
const joined = (step: readonly string[]): string =>
  [step.slice(0, -1).join(':'), step[step.length - 1]].filter((part) => part !== '').join(';');

/** After a fact, and where a product is added at once. */
function isSameStep(line: string, next: string): boolean {
  if (!/[-+*/]/.test(line)) return true;
  const product = /^\d+\*\d+=(\d+)$/.exec(line)?.[1];
  return product !== undefined && /^\d+\+(\d+)=/.exec(next)?.[1] === product;
}
